/* Tests of what is chosen: those of packages stats and evidence, over data sets alone. */

// signTail is min(1, 2 P(S <= most)), where S adds up each rank with probability 1/2. Ranks are doubled, so that they are whole.
function signTail(ranks, most) {
  const p = new Float64Array(most + 1);
  p[0] = 1;
  let reached = 0;
  for (const rank of [...ranks].sort((a, b) => a - b)) {
    reached = Math.min(reached + rank, most);
    for (let s = reached; s >= rank; s -= 1) p[s] = (p[s] + p[s - rank]) / 2;
    for (let s = 0; s < Math.min(rank, reached + 1); s += 1) p[s] /= 2;
  }
  return Math.min(1, 2 * p.reduce((a, b) => a + b, 0));
}

const size = x => [x[0] < 0n ? -x[0] : x[0], x[1]];
const sign = x => x[0] > 0n ? 1 : x[0] < 0n ? -1 : 0;

// wilcoxon is the exact signed-rank test of fractions, zeros split: its p, and the sign of the sum of ranks.
function wilcoxon(gains) {
  const order = gains.map(g => [size(g), sign(g)]).sort((a, b) => compare(a[0], b[0])), signed = [];
  let plus = 0, minus = 0;
  for (let first = 0; first < order.length;) {
    let end = first + 1;
    while (end < order.length && compare(order[end][0], order[first][0]) === 0) end += 1;
    for (let i = first; i < end; i += 1) {
      if (order[i][1] > 0) plus += first + 1 + end;
      if (order[i][1] < 0) minus += first + 1 + end;
      if (order[i][1] !== 0) signed.push(first + 1 + end);
    }
    first = end;
  }
  return { p: signTail(signed, Math.min(plus, minus)), side: Math.sign(plus - minus) };
}

// holm steps down.
function holm(ps) {
  const out = new Array(ps.length);
  let most = 0;
  ps.map((p, i) => [p, i]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).forEach(([p, i], place) => {
    most = Math.max(most, Math.min(1, p * (ps.length - place)));
    out[i] = most;
  });
  return out;
}

const negated = ([n, d]) => [-n, d];
// fewest is how many data sets Wilcoxon's test needs to find a difference at all, as one of so many comparisons.
const fewest = (level, comparisons) => Math.floor(1 - Math.log2(level / Math.max(1, comparisons))) + 1;

// testChosen compares each of the methods with each over the sets, and adjusts for these pairs alone. Two methods are told apart where
// the difference is found, the mean is further from zero than what does not matter, and most ranks are on the side of the mean.
function testChosen(methods, sets) {
  const pairs = [], rope = data.tests.rope ? fraction(data.tests.rope) : [0n, 1n];
  methods.forEach((a, i) => methods.slice(i + 1).forEach(b => {
    const gains = sets.map(s => sum(fraction(cell(s, a).m), negated(fraction(cell(s, b).m)))).map(g => data.metric.lower ? negated(g) : g);
    const total = gains.reduce(sum), mean = [total[0], total[1] * BigInt(gains.length)];
    pairs.push({ a, b, mean, ...wilcoxon(gains) });
  }));
  const adjusted = holm(pairs.map(p => p.p)), enough = sets.length >= fewest(data.tests.level, pairs.length);
  pairs.forEach((p, i) => {
    p.adjusted = adjusted[i];
    p.told = enough && p.adjusted < data.tests.level && compare(size(p.mean), rope) > 0 && sign(p.mean) === p.side;
  });
  return { pairs, enough };
}

// between has what the page computed of two methods, the first one's gain; undefined without a common data set.
const known = new Map((data.pairs || []).map(([a, b, mean, low, high, verdict, adjusted, sets, ahead, within, behind]) =>
  [a + "," + b, { mean, low, high, verdict, adjusted, sets, ahead, within, behind }]));
const turned = { better: "worse", worse: "better" };
function between(a, b) {
  const there = known.get(a + "," + b), back = known.get(b + "," + a);
  if (there || !back) return there;
  const minus = x => x === null ? null : -x;
  return { mean: minus(back.mean), low: minus(back.high), high: minus(back.low), verdict: turned[back.verdict] || back.verdict, adjusted: back.adjusted,
    sets: back.sets, ahead: back.behind, within: back.within, behind: back.ahead };
}

// groups covers each pair of methods that are alike by a group whose methods are all alike. Methods are in order; a group is made as
// large as the order lets it be, so that the leading groups hold the leading methods.
function groups(methods, alike) {
  const out = [], covered = new Set();
  methods.forEach((a, i) => methods.slice(i + 1).forEach(b => {
    if (!alike(a, b) || covered.has(a + "," + b)) return;
    const group = [a, b];
    for (const m of methods) if (!group.includes(m) && group.every(g => alike(g, m))) group.push(m);
    const sorted = methods.filter(m => group.includes(m));
    sorted.forEach((x, k) => sorted.slice(k + 1).forEach(y => covered.add(x + "," + y)));
    out.push(sorted);
  }));
  return out;
}
// a to z, then aa, ab and so on.
const letter = i => i < 26 ? String.fromCharCode(97 + i) : letter(Math.floor(i / 26) - 1) + letter(i % 26);
