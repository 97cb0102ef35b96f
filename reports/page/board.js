/* The leaderboard: sorting, and a method against each other one. */

const board = document.getElementById("board");
const found = { better: "better", worse: "worse", open: "not told apart", smaller: "smaller than " + data.tests?.matter, mixed: "differs both ways", "-": "too few sets", "": "not tested here" };
const signed = (x, digits) => x === null ? "-" : (x > 0 && Number(x.toFixed(digits)) !== 0 ? "+" : "") + x.toFixed(digits).replace(/^-(0\.?0*)$/, "$1").replace("-", "−");

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

// forest draws the mean gain of a method over each other one, with its interval.
function forest(width, m, rows) {
  const name = data.methods[m].name, digits = data.metric.percent ? 2 : 4, line = 20, top = 30;
  const words = rows.map(r => found[r.verdict]), numbers = rows.map(r => width < 560 ? "" : `${signed(r.mean, digits)} (${signed(r.low, digits)} to ${signed(r.high, digits)})`);
  const room = Math.min(widest(rows.map(r => data.methods[r.m].name)) + 1, width * 0.28), at = room + 14, last = width - widest(words) - 2, end = last - widest(numbers) - 24;
  const rope = data.tests.rope ? Number(fraction(data.tests.rope)[0]) / Number(fraction(data.tests.rope)[1]) : 0;
  const reach = 3 * Math.max(...rows.map(r => Math.abs(r.mean)), rope) || 1, within = v => Math.max(-reach, Math.min(reach, v));
  const low = Math.min(-rope, ...rows.map(r => within(r.low ?? r.mean))), high = Math.max(rope, ...rows.map(r => within(r.high ?? r.mean))), span = high - low || 1;
  const x = v => at + (Math.max(low, Math.min(high, v)) - low) / span * (end - at), y = i => top + line * i + 10, bottom = top + line * rows.length;
  const d = sheet(`Mean gain of ${name} over each other method: ${rows.map(r => `${data.methods[r.m].name} ${signed(r.mean, digits)}, ${found[r.verdict]}`).join("; ")}`);
  if (rope) d.box("band", x(-rope), top, x(rope), bottom);
  const { out, decimals } = ticks(low, high, Math.max(3, (end - at) / 60));
  for (const v of out) {
    d.line("grid", x(v), top, x(v), bottom);
    d.word("tick", x(v), top - 4, "middle", signed(v, decimals));
  }
  d.line("thin", x(0), top, x(0), bottom);
  d.word("tick", at, 11, "start", `mean gain${data.metric.percent ? " in points" : ""}: to the right ${cut(name, 130)} is better`);
  rows.forEach((r, i) => {
    const role = ["better", "worse"].includes(r.verdict) ? r.verdict : "unclear";
    d.word("name", room, y(i) + 4, "end", cut(data.methods[r.m].name, room));
    if (r.low !== null) d.line("interval " + role, x(r.low), y(i), x(r.high), y(i));
    d.dot("estimate " + role, x(r.mean), y(i), 4, `${signed(r.mean, digits)} (${signed(r.low, digits)} to ${signed(r.high, digits)})`);
    d.word("name", last - 10, y(i) + 4, "end", numbers[i]);
    d.word("name", last, y(i) + 4, "start", words[i]);
  });
  return d.svg(width, bottom + 6);
}

// forestOf is the figure of a method with its numbers.
function forestOf(m, width) {
  const rows = data.tests.order.filter(o => o !== m && between(m, o)).map(o => ({ m: o, ...between(m, o) })), digits = data.metric.percent ? 2 : 4;
  const name = data.methods[m].name, rope = data.tests.rope ? `; the band is what does not matter, ${data.tests.matter}` : "", asked = data.tests.named;
  if (rows.length === 0) return [make("p", {}, `No other method has finished the same split of a data set as ${name}.`)];
  const rest = asked !== undefined && asked !== m ? ` This page tests methods beside ${data.methods[asked].name} alone.` : "";
  return [
    make("figure", { class: "wide drawn", "data-name": name + " against each other method" },
      make("figcaption", {}, make("b", {}, `${name} against each other method`), make("span", {}, `Mean difference over data sets with the ${100 * (1 - data.tests.level)} % interval of each comparison by itself${rope}. Verdicts are adjusted for ${data.tests.family}.${rest}`)),
      forest(width, m, rows),
      make("details", {}, make("summary", {}, "numbers"), make("div", { class: "scroll", role: "region", "aria-label": `${name} against each other method`, tabindex: "0" }, make("table", {},
        make("thead", {}, make("tr", {}, ["Against", "gain", "from", "to", "verdict", "adjusted p", "sets", "ahead", "within", "behind"].map((h, i) => make("th", { scope: "col", class: i ? null : "corner" }, h)))),
        make("tbody", {}, rows.map(r => make("tr", {}, make("th", { scope: "row" }, data.methods[r.m].name),
          [signed(r.mean, digits), signed(r.low, digits), signed(r.high, digits), found[r.verdict], r.adjusted === null ? "-" : r.adjusted < 0.0001 ? "<0.0001" : r.adjusted.toFixed(4), r.sets, r.ahead, r.within, r.behind].map(v => make("td", {}, String(v)))))))))),
    make("p", { class: "soft" }, make("a", { href: data.methods[m].link }, `All of ${name}`), data.commands.compare ? [" · ", make("code", {}, filled(data.commands.compare, [], [m]))] : ""),
  ];
}

// toggle opens the plot of a row below it, or closes it.
function toggle(row) {
  const button = row.querySelector(".opens"), open = button.getAttribute("aria-expanded") === "true";
  button.setAttribute("aria-expanded", String(!open));
  if (open) {
    row.nextElementSibling.remove();
    return;
  }
  const m = Number(row.dataset.method), box = make("div", { class: "plot-of" });
  row.after(make("tr", { class: "forest" }, make("td", { colspan: String(row.cells.length) }, box)));
  box.append(...forestOf(m, widthOf(box)));
  takeable(box);
}

// Sorting keeps partial methods below, and puts what has no value last.
function sortBoard(th, at) {
  const down = th.getAttribute("aria-sort") === "descending" || th.getAttribute("aria-sort") === null && th.dataset.first === "up" ? "ascending" : "descending";
  board.querySelectorAll("thead th").forEach(h => h.removeAttribute("aria-sort"));
  th.setAttribute("aria-sort", down);
  board.querySelectorAll("tr.forest").forEach(f => toggle(f.previousElementSibling));
  const key = row => at === 0 ? row.cells[0].textContent : row.cells[at].dataset.v, turn = down === "descending" ? -1 : 1;
  const order = (a, b) => {
    const x = key(a), y = key(b);
    if (x === "" || y === "") return (x === "") - (y === "");
    return turn * (at === 0 ? x.localeCompare(y, "en", { numeric: true }) : Number(x) - Number(y));
  };
  for (const body of board.tBodies) body.append(...[...body.rows].sort(order));
}

if (board) {
  for (const row of board.querySelectorAll("tbody tr")) {
    const name = row.cells[0].textContent;
    row.cells[0].replaceChildren(make("button", { type: "button", class: "opens", "aria-expanded": "false", title: `${name} against each other method` }, name));
    row.addEventListener("click", e => { if (!e.target.closest("a")) toggle(row); });
  }
  board.querySelectorAll("thead th").forEach((th, at) => {
    if (th.dataset.first === undefined) return;
    const button = make("button", { type: "button", class: "order" }, ...th.childNodes);
    button.addEventListener("click", () => sortBoard(th, at));
    th.replaceChildren(button);
  });
}

// Sections of methods draw their plot when they are opened; on a page of its own it is there at once.
for (const box of document.querySelectorAll(".forest-of")) {
  const fill = () => {
    if (box.firstChild || !data.tests) return;
    box.append(...forestOf(Number(box.dataset.method), widthOf(box)).slice(0, 1));
    takeable(box);
  };
  const fold = box.closest("details");
  if (fold) fold.addEventListener("toggle", () => { if (fold.open) fill(); });
  else fill();
}
