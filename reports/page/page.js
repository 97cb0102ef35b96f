/* Controls. */

function chooser(title, names, groups, chosen, change) {
  const count = make("span", {}), boxes = names.map((name, i) =>
    make("input", { type: "checkbox", value: String(i), "data-name": name }));
  const update = () => {
    boxes.forEach((b, i) => { b.checked = chosen().has(i); });
    count.textContent = `${title}: ${chosen().size === names.length ? "all" : chosen().size + " of"} ${names.length}`;
  };
  const set = list => { change(new Set(list)); update(); draw(); };
  boxes.forEach(b => b.addEventListener("change", () => set(all(names).filter(i => boxes[i].checked))));
  const chooses = (text, list) => button({}, () => set(list()), text);
  const box = make("details", { class: "chooser" }, make("summary", {}, count),
    make("fieldset", {}, make("legend", { class: "hidden" }, title),
      make("div", { class: "buttons" }, chooses("All", () => all(names)), chooses("None", () => []),
        chooses("The others", () => all(names).filter(i => !chosen().has(i))),
        groups.slice(1).map(g => chooses(g.name, () => g.of))),
      make("div", { class: "boxes" }, boxes.map((b, i) => make("label", {}, b, names[i])))));
  update();
  return { box, update };
}

function select(title, options, get, change) {
  const s = make("select", {}, options.map(([v, text]) => make("option", { value: v }, text)));
  const update = () => { s.value = get(); };
  s.addEventListener("change", () => { change(s.value); refresh(); });
  update();
  return { box: make("label", { class: "select" }, make("span", {}, title), s), update };
}

// downFor says whether the first sorting is descending: means begin with the best, ranks and names with the smallest.
const downFor = by => /^\d+$/.test(by) || by === "mean" ? !data.metric.lower : false;
let parts = [];
function refresh() {
  parts.forEach(p => p.update());
  draw();
}

function controls() {
  const box = document.getElementById("controls"), names = list => list.map(x => x.name);
  const reset = button({ class: "reset" }, () => { state = first(); refresh(); }, "Show everything");
  parts = [
    chooser("Methods", names(data.methods), data.groups.methods, () => state.methods, v => { state.methods = v; }),
    chooser("Data sets", names(data.sets), data.groups.sets, () => state.sets, v => { state.sets = v; }),
    select("Methods by", [["", "order of the protocol"], ["rank", "average rank"],
      ...(data.paper ? [["paper", "paper's rank"]] : []), ["mean", "mean"], ["name", "name"],
      ...data.sets.map((s, i) => [String(i), s.name])],
      () => state.byMethods, v => { state.byMethods = v; state.downMethods = downFor(v); }),
    select("Data sets by", [["", "order of the protocol"], ["name", "name"],
      ...data.methods.map((m, i) => [String(i), m.name])],
      () => state.bySets, v => { state.bySets = v; state.downSets = downFor(v); }),
    select("Rows", [["auto", "what fits the window"], ["sets", "data sets"], ["methods", "methods"]], () => state.rows,
      v => { state.rows = v; }),
  ];
  box.append(...parts.map(p => p.box), reset);
  box.hidden = false;
}

function sort(key) {
  const [what, by] = key.split(":"), same = what === "sets" ? state.bySets === by : state.byMethods === by;
  if (what === "sets") [state.bySets, state.downSets] = [by, same ? !state.downSets : downFor(by)];
  else [state.byMethods, state.downMethods] = [by, same ? !state.downMethods : downFor(by)];
  refresh();
  results.querySelector(`button[data-sort="${key}"]`)?.focus();
}

/* Methods of one's own are marked wherever a table or a drawing names them. */

const own = new Set(data.methods.filter(m => m.own).map(m => m.name));
function markOwn() {
  if (!own.size) return;
  for (const e of document.querySelectorAll("th, th a, th .sort, td, h3, svg text"))
    if (!e.childElementCount && own.has(e.textContent.replace(/^[\d.]+ +| +[\d.]+$/g, ""))) e.classList.add("own");
}

/* A link to a closed part opens this part and all parts around it. */

function reveal() {
  const id = location.hash.slice(1), target = id && document.getElementById(id);
  if (!target) return;
  for (let e = target; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
  target.scrollIntoView();
}
addEventListener("hashchange", reveal);

if (results) {
  controls();
  draw();
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    draw();
  });
}
markOwn();
takeable(document);
reveal();
