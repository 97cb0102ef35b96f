
/* The diagram of critical differences of what is chosen: that of `bench report cd --methods ... --datasets ...`, mark by mark. */

const drawing = { axis: 44, width: 380, line: 17, bar: 8, letter: 6.2, numbers: 20 };

function mark(name, attributes, text) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [k, v] of Object.entries(attributes)) if (v !== null) e.setAttribute(k, typeof v === "number" ? v.toFixed(1).replace(/\.0$/, "") : v);
  if (text !== undefined) e.textContent = text;
  return e;
}

// bars joins neighbours in the order of ranks that all lie within the critical difference; none lies within another.
function bars(ranks, cd) {
  const out = [];
  let end = 0;
  ranks.forEach((rank, at) => {
    let last = at + 1;
    while (last < ranks.length && ranks[last] - rank < cd) last += 1;
    if (last > end && last > at + 1) {
      out.push([at, last - 1]);
      end = last;
    }
  });
  return out;
}

// diagram draws methods, the best first, on an axis of their average ranks.
function diagram(names, ranks, cd) {
  const d = drawing, k = names.length, joined = bars(ranks, cd), left = Math.floor((k + 1) / 2);
  const margin = d.letter * (Math.max(...names.map(n => [...n].length)) + 6) + 10;
  const at = rank => margin + (rank - 1) / (k - 1) * d.width, first = d.axis + 16 + d.bar * joined.length;
  const marks = [];
  const line = (role, x1, y1, x2, y2) => marks.push(mark("line", { class: role, x1, y1, x2, y2 }));
  const word = (role, x, y, anchor, text) => marks.push(mark("text", { class: role, x, y, "text-anchor": anchor }, text));
  line("thin", margin, d.axis, margin + d.width, d.axis);
  for (let rank = 1; rank <= k; rank += 1) {
    line("thin", at(rank), d.axis - 5, at(rank), d.axis);
    if (k <= d.numbers || rank === 1 || rank % 5 === 0) word("tick", at(rank), d.axis - 9, "middle", String(rank));
  }
  const end = margin + cd / (k - 1) * d.width;
  line("mean", margin, 12, end, 12);
  line("mean", margin, 8, margin, 16);
  line("mean", end, 8, end, 16);
  word("tick", end + 6, 15, null, "critical difference " + cd.toFixed(2));
  names.forEach((name, i) => {
    const right = i >= left, y = first + d.line * (right ? k - i : i + 1) - 6, x = at(ranks[i]), text = ranks[i].toFixed(2);
    line("thin", x, d.axis, x, y);
    line("thin", x, y, right ? margin + d.width + 6 : margin - 6, y);
    word("name", right ? margin + d.width + 10 : margin - 10, y + 4, right ? null : "end", right ? text + " " + name : name + " " + text);
  });
  joined.forEach(([a, b], i) => {
    const y = d.axis + 10 + d.bar * i;
    line("strong", at(ranks[a]) - 3, y, at(ranks[b]) + 3, y);
  });
  const svg = mark("svg", { viewBox: `0 0 ${d.width + 2 * margin} ${first + d.line * left + 4}`, role: "img", "aria-label": `Average ranks of ${names.map((n, i) => n + " " + ranks[i].toFixed(2)).join(", ")}; critical difference ${cd.toFixed(2)}` });
  svg.append(...marks);
  return svg;
}

// drawDiagram shows the diagram where the choice is not everything and has ranks.
function drawDiagram({ methods: chosen, sets, sums }) {
  const box = document.getElementById("chosen");
  if (!box) return;
  box.replaceChildren();
  const methods = sums.whole, everything = chosen.length === data.methods.length && sets.length === data.sets.length, n = sums.counted.length;
  if (everything || methods.length < 2 || n === 0) return;
  const order = [...methods].sort((a, b) => compare(sums.rank.get(a), sums.rank.get(b)) || a - b);
  const ranks = order.map(m => Number(sums.rank.get(m)[0]) / Number(sums.rank.get(m)[1]));
  box.append(make("h3", {}, `Of ${methods.length} chosen methods over ${plural(n, "data set")}`),
    make("figure", { class: "wide" }, diagram(order.map(m => data.methods[m].name), ranks, data.critical[methods.length - 2] / Math.sqrt(n))),
    make("p", { class: "soft" }, "A bar joins methods that are not told apart by average rank. Whether the chosen methods rank alike at all says ", make("code", {}, "bench report tests"), " with the same --methods and --datasets."),
    make("h3", {}, "Of all methods and data sets"));
}
