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

// a to z, then aa, ab and so on.
const letter = i => i < 26 ? String.fromCharCode(97 + i) : letter(Math.floor(i / 26) - 1) + letter(i % 26);

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

// drawDiagram shows the ranks of what is chosen. Lines, and what they rest on, are what the program found of the whole page or of a group.
function drawDiagram({ methods: chosen, sets, sums: { whole, counted, rank, tested } }) {
  const box = document.getElementById("diagram");
  if (!box || !data.tests) return;
  if (whole.length < 2 || counted.length === 0) {
    box.replaceChildren(make("p", {}, "There are no ranks of this choice: they take two methods that have the same data sets."));
    return;
  }
  const order = [...whole].sort((a, b) => compare(rank.get(a), rank.get(b)) || a - b), lines = tested?.lines || [];
  const ranks = order.map(m => Number(rank.get(m)[0]) / Number(rank.get(m)[1])), names = list => list.map(m => data.methods[m].name).join(", ");
  const { svg, left, from } = ranking(widthOf(box), order, ranks, lines), everything = tested === data.groups.prepared[0];
  box.replaceChildren(
    make("p", {}, everything ? "" : make("strong", {}, `Your choice of ${plural(order.length, "method")} over ${plural(counted.length, "data set")}. `),
      tested ? [tested.text, everything ? "" : " The level holds of this group by itself, if you chose it before you saw results."]
        : ["Tests are shown for the prepared groups only; ", make("code", {}, filled(data.commands.tests, counted, order)), " computes those of this choice."]),
    make("figure", { class: "wide drawn", "data-name": "ranks", "data-groups": JSON.stringify(lines) }, svg),
    left.length ? make("details", { class: "more" }, make("summary", {}, `${plural(left.length, "more line")}, of methods further down`), make("ul", {}, left.map((g, i) => make("li", {}, `${letter(from + i)}: ${names(g)}`)))) : "");
  takeable(box);
}
