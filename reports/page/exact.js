// The data of the page, and exact means and ranks.

const data = JSON.parse(document.getElementById("data").textContent);
const results = document.getElementById("results");

const plural = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;

// Fractions are pairs of integers, so that no comparison depends on rounding.
function fraction(text) {
  const [n, d] = text.split("/");
  return [BigInt(n), BigInt(d)];
}
const sum = (a, b) => [a[0] * b[1] + b[0] * a[1], a[1] * b[1]];
const compare = (a, b) => {
  const l = a[0] * b[1], r = b[0] * a[1];
  return l < r ? -1 : l > r ? 1 : 0;
};
// fixed writes a fraction with decimals. It rounds a fraction half-way between two results away from zero.
function fixed([n, d], decimals) {
  const negative = n < 0n, scale = 10n ** BigInt(decimals);
  const scaled = ((negative ? -n : n) * scale * 2n + d) / (2n * d);
  const digits = scaled.toString().padStart(decimals + 1, "0"), at = digits.length - decimals;
  return (negative && scaled > 0n ? "-" : "") + digits.slice(0, at) + (decimals ? "." + digits.slice(at) : "");
}

const cell = (s, m) => data.cells[s + "," + m];
// has says whether a cell has a mean.
const has = c => c !== undefined && c.m !== undefined;

// A method has a set if it finished the compared splits.
const hasAll = (s, m) => has(cell(s, m)) && cell(s, m).d === data.sets[s].d;

// groupOf returns the place of a choice in data.groups.counted, if the choice is all methods on a group of sets, or a
// group of methods on all sets. Otherwise it returns -1.
function groupOf(methods, sets) {
  const main = list => list.filter(s => data.sets[s].main && !empty(s)),
    same = (a, b) => a.length === b.length && a.every(x => b.includes(x));
  const m = data.groups.methods.findIndex(g => same(g.of, methods)),
    s = data.groups.sets.findIndex(g => same(main(g.of), main(sets)));
  return m < 0 || s < 0 || m && s ? -1 : m ? data.groups.sets.length + m - 1 : s;
}

// summary returns the means over sets and the average ranks of the whole methods, which are those that have every set
// that counts. Its coverage is the number of these sets that each method has. The program decides for each group which
// sets count. In any other choice those sets count that count for the whole page. Ranks follow the two conventions of
// `bench report ranks`.
function summary(methods, sets) {
  const group = groupOf(methods, sets), counted = data.groups.counted[Math.max(0, group)].filter(s => sets.includes(s));
  const whole = methods.filter(m => counted.every(s => hasAll(s, m)));
  const out = { counted, whole, group, mean: new Map(), deviation: new Map(), rank: new Map(), paper: new Map(),
    bestMean: new Set(), bestRank: new Set(), bestPaper: new Set(),
    coverage: new Map(methods.map(m => [m, counted.filter(s => hasAll(s, m)).length])) };
  if (counted.length === 0) return out;
  const alone = whole.length < 2 && methods.length > 1, n = BigInt(counted.length);
  methods = whole;
  for (const m of methods) {
    const total = counted.map(s => fraction(cell(s, m).m)).reduce(sum);
    out.mean.set(m, [total[0], total[1] * n]);
    out.deviation.set(m, counted.reduce((t, s) => t + Number(cell(s, m).t[2]), 0) / counted.length);
  }
  // A row of the table orders the methods: the result is positive if the first one is better.
  const rows = counted.map(s => (a, b) => cell(s, a).o - cell(s, b).o);
  const ofMeans = (a, b) => (data.metric.lower ? -1 : 1) * compare(out.mean.get(a), out.mean.get(b));
  for (const m of alone ? [] : methods) {
    const twice = rows.flatMap(order => methods.map(other => 1 + Math.sign(order(other, m)))); // 1 of itself
    out.rank.set(m, [BigInt(twice.reduce((a, b) => a + b, counted.length)), 2n * n]);
    const ahead = [...rows, ofMeans].flatMap(order => methods.filter(other => {
      const c = order(other, m);
      return c > 0 || c === 0 && other >= m;
    }));
    out.paper.set(m, [BigInt(ahead.length), n + 1n]);
  }
  const marks = (values, sign, into) => {
    const best = [...values.values()].reduce((a, b) => sign * compare(b, a) > 0 ? b : a);
    methods.filter(m => compare(values.get(m), best) === 0).forEach(m => into.add(m));
  };
  marks(out.mean, data.metric.lower ? -1 : 1, out.bestMean);
  if (alone) return out;
  marks(out.rank, -1, out.bestRank);
  marks(out.paper, -1, out.bestPaper);
  return out;
}

// bestOf returns the whole methods with the best mean on a set. It returns none if the means are not comparable, or if
// only one of several methods has a mean.
function bestOf(s, { methods, sums: { whole } }) {
  const have = whole.filter(m => has(cell(s, m)));
  if (have.length === 0 || have.length < 2 && methods.length > 1 || uneven(s, whole)) return new Set();
  const most = Math.max(...have.map(m => cell(s, m).o));
  return new Set(have.filter(m => cell(s, m).o === most));
}

// uneven says whether methods have finished different splits of a set, so that their means are not comparable.
function uneven(s, methods) {
  const have = methods.filter(m => has(cell(s, m)));
  return have.some(m => cell(s, m).d !== cell(s, have[0]).d);
}
