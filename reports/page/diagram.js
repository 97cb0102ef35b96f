/* Average ranks, a line a method, and letters that join what is not told apart. */

function mark(name, attributes, text) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [k, v] of Object.entries(attributes)) if (v !== null && v !== undefined) e.setAttribute(k, typeof v === "number" ? v.toFixed(1).replace(/\.0$/, "") : v);
  if (text !== undefined) e.textContent = text;
  return e;
}

// A sheet gathers marks. Units are pixels, so that letters have their size at any width.
function sheet(label) {
  const marks = [];
  return {
    line: (role, x1, y1, x2, y2) => marks.push(mark("line", { class: role, x1, y1, x2, y2 })),
    box: (role, x, y, x2, y2) => marks.push(mark("rect", { class: role, x, y, width: x2 - x, height: y2 - y })),
    dot: (role, cx, cy, r, tip) => {
      const dot = mark("circle", { class: role, cx, cy, r });
      if (tip) dot.append(mark("title", {}, tip));
      marks.push(dot);
    },
    word: (role, x, y, anchor, text) => marks.push(mark("text", { class: role, x, y, "text-anchor": anchor }, text)),
    svg: (width, height) => {
      const svg = mark("svg", { viewBox: `0 0 ${Math.round(width)} ${Math.round(height)}`, role: "img", "aria-label": label });
      svg.append(...marks);
      return svg;
    },
  };
}

// lengths of text as the page's drawings write it, in pixels.
const pen = document.createElement("canvas").getContext("2d");
pen.font = "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif";
const long = text => pen.measureText(text).width;
const widest = texts => Math.max(0, ...texts.map(long));
// cut shortens a name that is longer than a width.
function cut(name, width) {
  const letters = [...name];
  while (letters.length > 1 && long(letters.join("") + (letters.length < [...name].length ? "…" : "")) > width) letters.pop();
  return letters.length < [...name].length ? letters.join("") + "…" : name;
}
const widthOf = box => Math.max(300, Math.min(760, box.clientWidth || 760));

// ticks are whole ranks, or round numbers between two values.
function ticks(low, high, most) {
  const rough = (high - low) / most, ten = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].map(f => f * ten).find(s => s >= rough);
  const out = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i += 1) out.push(i * step);
  return { out, decimals: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
}

// ranking draws methods, the best first, and the leading groups at the right.
function ranking(width, methods, ranks, joined) {
  const names = methods.map(m => data.methods[m].name), line = 18, top = 44;
  const room = Math.min(widest(names) + 1, width * 0.32), at = room + 50, column = 15;
  const shown = joined.slice(0, Math.max(1, Math.floor((width - at - Math.max(110, width * 0.35)) / column)));
  const end = width - column * shown.length - 14;
  const d = sheet(`Average ranks: ${names.map((n, i) => `${n} ${ranks[i].toFixed(2)}`).join(", ")}`);
  const x = rank => at + (rank - 1) / Math.max(1, methods.length - 1) * (end - at), y = i => top + line * i + 9, bottom = top + line * methods.length;
  for (const rank of ticks(1, Math.max(2, methods.length), Math.max(3, (end - at) / 34)).out.filter(r => Number.isInteger(r) && r >= 1)) {
    d.line("grid", x(rank), top - 4, x(rank), bottom);
    d.word("tick", x(rank), top - 8, "middle", String(rank));
  }
  d.word("tick", at, 14, "start", "average rank, the best at the left");
  methods.forEach((m, i) => {
    d.word("name", room, y(i) + 4, "end", cut(names[i], room));
    d.word("tick", room + 38, y(i) + 4, "end", ranks[i].toFixed(2));
    d.line("axis", at, y(i), end, y(i));
    d.dot("mean", x(ranks[i]), y(i), 3.6, `${names[i]} ${ranks[i].toFixed(2)}`);
  });
  shown.forEach((group, k) => {
    const places = group.map(m => methods.indexOf(m)), cx = end + 14 + column * k;
    d.word("tick", cx, top - 8, "middle", letter(k));
    d.line("strong", cx, y(places[0]), cx, y(places[places.length - 1]));
    places.forEach(i => d.dot("member", cx, y(i), 4.2));
  });
  return { svg: d.svg(width, bottom + 6), left: joined.slice(shown.length), from: shown.length };
}

// alikeOf says which of the methods on the screen are not told apart, and by what: the page's own tests where everything is shown, and
// else tests of the choice.
function alikeOf(methods, sets, everything) {
  const { level, matter, named, family } = data.tests, about = `Wilcoxon's signed-rank test over data sets; differences of at most ${matter} do not count; level ${level}`;
  if (!everything) {
    const { pairs, enough } = testChosen(methods, sets), told = new Set(pairs.filter(p => p.told).flatMap(p => [p.a + "," + p.b, p.b + "," + p.a]));
    const text = enough ? `Adjusted by Holm's procedure for the ${plural(pairs.length, "comparison")} of your choice alone (${about}). The choice is yours: the level holds if you made it before you saw results.`
      : `${plural(sets.length, "data set")} cannot tell any two of the methods apart at level ${level}: that takes ${fewest(level, pairs.length)}.`;
    return { alike: (a, b) => !told.has(a + "," + b), text, pairs };
  }
  const is = (a, b) => !["better", "worse"].includes(between(a, b)?.verdict);
  if (named === undefined) return { alike: is, text: `Adjusted for ${family} (${about}).` };
  const name = data.methods[named].name;
  return { one: [methods.filter(m => m === named || is(named, m))], text: `The line marks ${name} and what is not told apart from it. Other methods are not tested beside one another on this page. Adjusted for ${family} (${about}).` };
}

// drawDiagram shows the ranks of what is chosen.
function drawDiagram({ methods: chosen, sets, sums }) {
  const box = document.getElementById("diagram");
  if (!box || !data.tests) return;
  const methods = sums.whole, everything = chosen.length === data.methods.length && sets.length === data.sets.length, n = sums.counted.length;
  if (methods.length < 2 || n === 0) {
    box.replaceChildren(make("p", {}, "There are no ranks of this choice: they take two methods that have the same data sets."));
    return;
  }
  const order = [...methods].sort((a, b) => compare(sums.rank.get(a), sums.rank.get(b)) || a - b);
  const ranks = order.map(m => Number(sums.rank.get(m)[0]) / Number(sums.rank.get(m)[1]));
  const { alike, one, text, pairs } = alikeOf(order, sums.counted, everything), joined = one || groups(order, alike);
  const { svg, left, from } = ranking(widthOf(box), order, ranks, joined), names = list => list.map(m => data.methods[m].name).join(", ");
  const figure = make("figure", { class: "wide drawn", "data-name": "ranks", "data-groups": JSON.stringify(joined), "data-tests": pairs ? JSON.stringify(pairs.map(p => [p.a, p.b, p.p, p.adjusted, p.told])) : null }, svg);
  box.replaceChildren(make("p", {}, everything ? "" : make("strong", {}, `Your choice of ${plural(methods.length, "method")} over ${plural(n, "data set")}. `),
    one ? "" : joined.length ? "Dots on one line at the right are methods that are not told apart: none is found to be better than another one of them. " : "Each method is told apart from each other one. ", text),
  figure, left.length ? make("details", { class: "more" }, make("summary", {}, `${plural(left.length, "more line")}, of methods further down`), make("ul", {}, left.map((g, i) => make("li", {}, `${letter(from + i)}: ${names(g)}`)))) : "");
  takeable(box);
}
