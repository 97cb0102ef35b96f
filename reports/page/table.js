/* The reader's choice of methods and sets, and their order. */

const all = list => list.map((_, i) => i);
const first = () => ({ methods: new Set(all(data.methods)), sets: new Set(all(data.sets)), rows: "auto", byMethods: "",
  downMethods: false, bySets: "", downSets: false });
let state = first();

function ordered(list, by, down, value) {
  const items = [...list];
  if (by === "") return down ? items.reverse() : items;
  const known = items.filter(i => value(i) !== null), unknown = items.filter(i => value(i) === null);
  known.sort((a, b) => {
    const x = value(a), y = value(b);
    const c = typeof x === "string" ? x.localeCompare(y, "en", { numeric: true, sensitivity: "base" }) : compare(x, y);
    return (down ? -c : c) || a - b;
  });
  return [...known, ...unknown];
}

const value = (s, m) => has(cell(s, m)) ? fraction(cell(s, m).m) : null;

const empty = s => !data.methods.some((_, m) => has(cell(s, m))); // a set without results has no row

function shown() {
  const chosen = all(data.methods).filter(m => state.methods.has(m)),
    of = all(data.sets).filter(s => state.sets.has(s) && !empty(s));
  const sums = summary(chosen, of);
  const inOrder = ordered(chosen, state.byMethods, state.downMethods, m => {
    if (state.byMethods === "name") return data.methods[m].name;
    const sum = sums[state.byMethods]; // mean, rank or paper
    return sum ? sum.get(m) || null : value(Number(state.byMethods), m);
  });
  const methods = state.byMethods === "" ? [...inOrder.filter(m => sums.whole.includes(m)),
    ...inOrder.filter(m => !sums.whole.includes(m))] : inOrder;
  const sets = ordered(of, state.bySets, state.downSets, s => state.bySets === "name" ? data.sets[s].name
    : value(s, Number(state.bySets)));
  return { methods, sets, sums };
}

/* The table. */

const number = (text, deviation, best) => [
  best ? make("strong", {}, text) : text,
  deviation ? make("span", { class: "std" }, " ± " + deviation) : "",
];

function dataCell(s, m, best, deviations, button) {
  const c = cell(s, m);
  if (c === undefined) return make("td", {}, "-");
  const content = number(has(c) ? c.t[0] : "-", deviations && has(c) ? c.t[1] : "", best);
  const label = `${data.methods[m].name} on ${data.sets[s].name}`;
  return make("td", { class: best ? "best" : null },
    button ? make("button", { type: "button", class: "cell", "data-cell": s + "," + m, tabindex: "-1", title: label },
      content) : content);
}

function sumCell(v, best, decimals, deviation) {
  return make("td", { class: v && best ? "best" : null, "data-rank": v ? v.join("/") : null },
    v ? number(fixed(v, decimals), deviation, best) : "-");
}
const sumsOf = sums => [
  ["Mean", "mean", (m, deviations) => sumCell(sums.mean.get(m), sums.bestMean.has(m), data.metric.decimals,
    deviations && sums.deviation.get(m)?.toFixed(data.metric.decimals))],
  ["Average rank", "rank", m => sumCell(sums.rank.get(m), sums.bestRank.has(m), 2)],
  ["Paper's rank", "paper", m => sumCell(sums.paper.get(m), sums.bestPaper.has(m), 2)],
  ["Data sets", "coverage", m => make("td", {}, `${sums.coverage.get(m)} of ${sums.counted.length}`)],
].filter(([, by]) => by === "coverage" ? sums.counted.length && sums.whole.length < sums.coverage.size
  : sums[by].size && (by !== "paper" || data.paper));

function head(name, sort, direction, attributes, button) {
  const sorted = direction === null ? null : direction ? "descending" : "ascending";
  return make("th", { scope: "col", "aria-sort": sorted, ...attributes },
    button ? make("button", { type: "button", class: "sort", "data-sort": sort }, name) : name);
}

const setName = (s, sums) => data.sets[s].name + (uneven(s, sums.whole) ? " †" : "");

// bySets makes a table with a row for each set, as in a paper. With o.withBest the best of a row is next to the name,
// for windows that are too narrow for all columns.
function bySets(view, o) {
  const { methods, sets, sums } = view, t = make("table", { class: "results sets" + (o.upright ? " upright" : "") });
  const is = by => state.bySets === by && (by !== "" || state.downSets) ? state.downSets : null;
  t.append(make("thead", {}, make("tr", {},
    head("Data set", "sets:name", is("name"), { class: "corner" }, o.buttons),
    o.withBest ? make("th", { scope: "col", class: "beside" }, "Best") : null,
    methods.map(m => head(data.methods[m].name, "sets:" + m, is(String(m)), { "data-method": m }, o.buttons)))));
  const body = list => make("tbody", {}, list.map(s => {
    const best = bestOf(s, view), [one, more] = [[...best][0], best.size - 1];
    return make("tr", { "data-set": s }, make("th", { scope: "row" },
      make("a", { href: data.sets[s].link }, setName(s, sums))),
      o.withBest ? make("td", { class: "beside" }, one === undefined ? "-"
        : [make("strong", {}, cell(s, one).t[0]), " " + data.methods[one].name + (more ? ` +${more}` : "")]) : null,
      methods.map(m => dataCell(s, m, best.has(m), o.deviations, o.buttons)));
  }));
  const main = sets.filter(s => data.sets[s].main), apart = sets.filter(s => !data.sets[s].main);
  if (main.length) t.append(body(main));
  const below = sumsOf(sums);
  if (below.length) {
    t.append(make("tbody", { class: "sums" }, below.map(([name, by, draw]) => {
      const marks = { mean: sums.bestMean, rank: sums.bestRank, paper: sums.bestPaper }[by],
        one = marks && methods.find(m => marks.has(m));
      return make("tr", { "data-sum": by }, make("th", { scope: "row" }, name),
        o.withBest ? make("td", { class: "beside" }, one === undefined ? ""
          : make("strong", {}, fixed(sums[by].get(one), by === "mean" ? data.metric.decimals : 2)),
          one === undefined ? "" : " " + data.methods[one].name) : null,
        methods.map(m => draw(m, o.deviations)));
    })));
  }
  if (apart.length) t.append(body(apart));
  return t;
}

// byMethods makes a table with a row for each method, for many methods.
function byMethods(view, o) {
  const { methods, sets, sums } = view, t = make("table", { class: "results methods" + (o.upright ? " upright" : "") });
  const is = by => state.byMethods === by ? state.downMethods : null;
  const [mean, ...others] = sumsOf(sums), ofSums = mean ? [...others, mean] : []; // ranks first
  t.append(make("thead", {}, make("tr", {},
    head("Method", "methods:name", is("name"), { class: "corner" }, o.buttons),
    ofSums.map(([name, by]) => head(name, "methods:" + by, is(by), { class: "sum" }, o.buttons && by !== "coverage")),
    sets.map(s => head(setName(s, sums), "methods:" + s, is(String(s)), { class: data.sets[s].main ? null : "apart" },
      o.buttons)))));
  const best = new Map(sets.map(s => [s, bestOf(s, view)]));
  t.append(make("tbody", {}, methods.map(m => make("tr", { "data-method": m },
    make("th", { scope: "row" }, make("a", { href: data.methods[m].link }, data.methods[m].name)),
    ofSums.map(([, , draw]) => draw(m, o.deviations)),
    sets.map(s => dataCell(s, m, best.get(s).has(m), o.deviations, o.buttons))))));
  return t;
}

const unit = data.metric.percent ? " (%)" : "";
const caption = (t, text) => { t.prepend(make("caption", {}, make("span", {}, text))); return t; };

function draw() {
  const view = shown(), box = make("div", { class: "scroll", role: "region", "aria-label": "Results", tabindex: "0",
    "data-name": "results" });
  results.replaceChildren();
  say(view);
  drawDiagram(view);
  if (view.methods.length === 0 || view.sets.length === 0) return;
  results.append(box);
  const text = `Mean test ${data.metric.title}${unit} ± standard deviation over splits, the best in bold. Arrow ` +
    `keys move among the numbers. Enter or a click shows the splits of a number. A click on a head sorts.`;
  // The first layout whose columns fit is taken. Layouts with deviations are tried first. If none fits, the table has
  // sets as rows, with the best next to the name.
  const fewer = view.methods.length > view.sets.length ? [byMethods, bySets] : [bySets, byMethods];
  const layouts = [[bySets, true, false], [byMethods, true, false], [bySets, false, false], [byMethods, false, false],
    ...fewer.map(by => [by, false, true])]
    .filter(([by]) => state.rows === "auto" || by === (state.rows === "sets" ? bySets : byMethods));
  const fits = () => box.scrollWidth <= box.clientWidth;
  for (const [by, deviations, upright] of layouts) {
    box.replaceChildren(caption(by(view, { deviations, upright, buttons: true, withBest: false }), text));
    if (fits()) break;
  }
  box.classList.toggle("fits", fits());
  if (!fits() && state.rows !== "methods") box.replaceChildren(
    caption(bySets(view, { upright: true, buttons: true, withBest: true }), text));
  const table = box.querySelector("table");
  table.style.setProperty("--first", table.querySelector(".corner").getBoundingClientRect().width + "px");
  (table.querySelector("td.best .cell") || table.querySelector(".cell"))?.setAttribute("tabindex", "0");
  takeable(results);
  drawPrint(view);
  markOwn();
}

// On paper methods are rows, so that all of them are there.
function drawPrint(view) {
  const paper = document.getElementById("print"), table = byMethods(view, { upright: true });
  paper.hidden = false;
  paper.replaceChildren(caption(table, `Mean test ${data.metric.title}${unit}, the best in bold.`));
}

// drawDiagram shows the diagram of the chosen group. For any other choice it shows the command that computes the tests.
function drawDiagram({ methods, sets, sums: { group } }) {
  const untested = document.getElementById("untested");
  if (!untested) return;
  document.querySelectorAll("#diagram > [data-group]").forEach((d, i) => { d.hidden = i !== group; });
  untested.hidden = group >= 0;
  untested.replaceChildren("Tests are shown for the prepared groups only; ",
    make("code", {}, filled(data.commands.tests, sets.filter(s => data.sets[s].main), methods)),
    " computes those of your choice.");
}

const said = document.getElementById("said");
function say({ methods, sets, sums }) {
  if (!methods.length || !sets.length) return said.replaceChildren("Choose at least one method and one data set.");
  const counted = sums.counted.length, apart = s => !data.sets[s].main;
  const text = [counted ? `Mean and ranks of ${plural(sums.whole.length, "method")} among one another, over ` +
    `${plural(counted, "data set")}.` : "No data set that enters means has a result of these methods, so that there " +
    "are no means over sets and no ranks."];
  const add = (list, of, noun, before, after) => {
    if (list.length) text.push(before + (list.length > 5 ? plural(list.length, noun)
      : list.map(i => of[i].name).join(", ")) + after);
  };
  add(methods.filter(m => !sums.whole.includes(m)), data.methods, "method", "",
    ": partial, without some of these sets, so without Mean, ranks and marks.");
  add(sets.filter(s => !apart(s) && !sums.counted.includes(s)), data.sets, "data set",
    "Not counted, since results are missing or of different splits (†): ", ".");
  add(sets.filter(apart), data.sets, "data set", "Shown apart, never counted: ", ".");
  add(all(data.sets).filter(s => state.sets.has(s) && empty(s)), data.sets, "data set", "Without results: ", ".");
  said.replaceChildren(text.join(" "));
}

/* Keys in the table: the Tab key reaches one number, and arrow keys move to the others. */

function move(from, key) {
  const grid = [...from.closest("table").rows].map(r => [...r.cells].map(c => c.querySelector(".cell")))
    .filter(r => r.some(Boolean));
  const y = grid.findIndex(r => r.includes(from)), row = grid[y], x = row.indexOf(from), column = grid.map(r => r[x]);
  const to = { Home: row.find(Boolean), End: row.findLast(Boolean), ArrowLeft: row.slice(0, x).findLast(Boolean),
    ArrowRight: row.slice(x + 1).find(Boolean), ArrowUp: column.slice(0, y).findLast(Boolean),
    ArrowDown: column.slice(y + 1).find(Boolean) }[key];
  if (!to) return;
  from.tabIndex = -1;
  to.tabIndex = 0;
  to.focus();
}

results?.addEventListener("keydown", e => {
  const from = e.target.closest(".cell");
  if (!from || e.ctrlKey || e.altKey || e.metaKey || !/^(Arrow|Home$|End$)/.test(e.key)) return;
  e.preventDefault();
  move(from, e.key);
});
