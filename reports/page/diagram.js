
/* The diagram of critical differences of what is chosen: that of `bench report cd --methods ... --datasets ...` at the width of a page,
   mark by mark (package plot, rank.go). */

const drawing = {
  width: 174 * 100 / 25.4, axis: 44, line: 15, bar: 8, least: 0.3, sides: 16, bars: 6, listTop: 52, listLine: 12.5, listBar: 6.5, listAxis: 100,
  numbers: 20, number: 16, title: "average rank",
  letters: [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584],
};

function mark(name, attributes, text) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [k, v] of Object.entries(attributes)) if (v !== null) e.setAttribute(k, typeof v === "number" ? v.toFixed(1).replace(/\.0$/, "") : v);
  if (text !== undefined) e.textContent = text;
  return e;
}

// textWidth is the width of a name in units of the drawing.
function textWidth(text) {
  let width = 0;
  for (const letter of text) {
    const code = letter.codePointAt(0);
    width += code >= 32 && code <= 126 ? drawing.letters[code - 32] : code < 0x2e80 ? 600 : 1000;
  }
  return width / 1000 * 10.5 * 1.03;
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

// diagram draws methods, the best first, on an axis of their average ranks: at both sides of it, or many in a list.
function diagram(names, ranks, cd) {
  const d = drawing, k = names.length, joined = bars(ranks, cd), marks = [], texts = ranks.map(rank => rank.toFixed(2));
  const line = (role, x1, y1, x2, y2) => marks.push(mark("line", { class: role, x1, y1, x2, y2 }));
  const word = (role, x, y, anchor, text) => marks.push(mark("text", { class: role, x, y, "text-anchor": anchor }, text));
  const axis = (from, to) => {
    const at = rank => from + (rank - 1) / (k - 1) * (to - from), apart = (to - from) / (k - 1);
    const every = 5 * apart < d.number ? 10 : k > d.numbers || apart < d.number ? 5 : 1;
    line("thin", from, d.axis, to, d.axis);
    word("tick", from - 10, d.axis, "end", d.title);
    for (let rank = 1; rank <= k; rank += 1) {
      line("thin", at(rank), d.axis - 5, at(rank), d.axis);
      if (rank === 1 || rank % every === 0) word("tick", at(rank), d.axis - 9, "middle", String(rank));
    }
    word("tick", from - 10, 15, "end", "CD = " + cd.toFixed(2));
    const end = from + cd / (k - 1) * (to - from);
    if (end > d.width - 2) word("tick", from, 15, null, "(longer than the axis)");
    else {
      line("mean", from, 12, end, 12);
      line("mean", from, 8, from, 16);
      line("mean", end, 8, end, 16);
    }
    return at;
  };
  const side = Math.max(textWidth(d.title), ...names.map((name, i) => textWidth(name + "  " + texts[i]))) + 12;
  let height, left = 0;
  if (k > d.sides || joined.length > d.bars || d.width - 2 * side < d.least * d.width) {
    const number = textWidth("00.00"), from = Math.max(textWidth(d.title), Math.max(...names.map(textWidth)) + number + 8) + 12;
    const shown = joined.length && Math.max(1, Math.min(joined.length, Math.trunc((d.width - from - d.listAxis - 8) / d.listBar)));
    const to = d.width - 10 - d.listBar * shown, at = axis(from, to), y = i => d.listTop + d.listLine * i + 4;
    names.forEach((name, i) => {
      line("grid", from - 6, y(i), d.width, y(i));
      line("rest", from - 6, y(i), at(ranks[i]), y(i));
      marks.push(mark("circle", { class: "mean", cx: at(ranks[i]), cy: y(i), r: 2.5 }));
      word("name", from - 16 - number, y(i) + 3.5, "end", name);
      word("name", from - 10, y(i) + 3.5, "end", texts[i]);
    });
    joined.slice(0, shown).forEach(([a, b], i) => line("strong", to + 12 + d.listBar * i, y(a) - 2, to + 12 + d.listBar * i, y(b) + 2));
    height = d.listTop + d.listLine * k + 2;
    left = joined.length - shown;
  } else {
    const half = Math.floor((k + 1) / 2), to = d.width - side, at = axis(side, to), first = d.axis + 16 + d.bar * joined.length;
    names.forEach((name, i) => {
      const right = i >= half, y = first + d.line * (right ? k - i : i + 1) - 6, x = at(ranks[i]);
      line("thin", x, d.axis, x, y);
      line("thin", x, y, right ? to + 6 : side - 6, y);
      word("name", right ? to + 10 : side - 10, y + 4, right ? null : "end", right ? texts[i] + " " + name : name + " " + texts[i]);
    });
    joined.forEach(([a, b], i) => line("strong", at(ranks[a]) - 3, d.axis + 10 + d.bar * i, at(ranks[b]) + 3, d.axis + 10 + d.bar * i));
    height = first + d.line * half + 4;
  }
  let x = 0;
  const key = (role, text) => {
    if (role) line(role, x, height + 8.5, x + 16, height + 8.5);
    word("tick", x + (role ? 20 : 0), height + 12, null, text);
    x += (role ? 20 : 0) + 9.8 / 10.5 * textWidth(text) + 14;
  };
  key("mean", "critical difference (CD)");
  if (joined.length) key("strong", "not told apart");
  if (left) key(null, "bars of lower places left out: " + left);
  const svg = mark("svg", { viewBox: `0 0 ${d.width.toFixed(1)} ${height + 17}`, role: "img", "aria-label": `Average ranks of ${names.map((n, i) => n + " " + texts[i]).join(", ")}; critical difference ${cd.toFixed(2)}` });
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
