"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const results = document.getElementById("results");

  // Elements are made of nodes and texts, never of HTML: names come from databases that others wrote.
  function make(name, attributes, ...children) {
    const e = document.createElement(name);
    for (const [k, v] of Object.entries(attributes || {})) {
      if (v === true) e.setAttribute(k, "");
      else if (v !== false && v !== undefined && v !== null) e.setAttribute(k, v);
    }
    e.append(...children.flat().filter(c => c !== null && c !== undefined && c !== ""));
    return e;
  }

  const plural = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;

  // Fractions are pairs of whole numbers, so that no comparison depends on rounding.
  function fraction(text) {
    const [n, d] = text.split("/");
    return [BigInt(n), BigInt(d)];
  }
  const sum = (a, b) => [a[0] * b[1] + b[0] * a[1], a[1] * b[1]];
  const compare = (a, b) => {
    const l = a[0] * b[1], r = b[0] * a[1];
    return l < r ? -1 : l > r ? 1 : 0;
  };
  // fixed writes a fraction with decimals; what lies half-way is rounded away from zero.
  function fixed([n, d], decimals) {
    const negative = n < 0n, scale = 10n ** BigInt(decimals);
    const scaled = ((negative ? -n : n) * scale * 2n + d) / (2n * d);
    const digits = scaled.toString().padStart(decimals + 1, "0"), at = digits.length - decimals;
    return (negative && scaled > 0n ? "-" : "") + digits.slice(0, at) + (decimals ? "." + digits.slice(at) : "");
  }

  const cell = (s, m) => data.cells[s + "," + m];
  const has = c => c !== undefined && c.m !== undefined;

  // summary has means over sets and average ranks of the methods, over the sets that count: those of the main group that all
  // these methods have the same finished splits of. Both conventions are those of `bench report ranks`.
  function summary(methods, sets) {
    const counted = sets.filter(s => data.sets[s].main && methods.every(m => has(cell(s, m)) && cell(s, m).d === cell(s, methods[0]).d));
    const out = { counted, mean: new Map(), deviation: new Map(), rank: new Map(), paper: new Map(), bestMean: new Set(), bestRank: new Set(), bestPaper: new Set() };
    if (counted.length === 0 || methods.length === 0) return out;
    const inOrder = [...methods].sort((a, b) => a - b), n = BigInt(counted.length);
    for (const m of methods) {
      const total = counted.map(s => fraction(cell(s, m).m)).reduce(sum);
      out.mean.set(m, [total[0], total[1] * n]);
      out.deviation.set(m, counted.reduce((t, s) => t + Number(cell(s, m).t[2]), 0) / counted.length);
      let twice = 0;
      for (const s of counted) for (const other of methods) {
        const c = cell(s, other).o - cell(s, m).o;
        twice += c > 0 ? 2 : c === 0 ? 1 : 0;
      }
      out.rank.set(m, [BigInt(twice + counted.length), 2n * n]);
    }
    const meanOrder = (a, b) => (data.metric.lower ? -1 : 1) * compare(out.mean.get(a), out.mean.get(b));
    for (const m of methods) {
      let places = 0;
      const rows = [...counted.map(s => (a, b) => cell(s, a).o - cell(s, b).o), meanOrder];
      for (const order of rows) {
        places += 1;
        for (const other of inOrder) {
          const c = order(other, m);
          if (c > 0 || c === 0 && other > m) places += 1;
        }
      }
      out.paper.set(m, [BigInt(places), n + 1n]);
    }
    const marks = (values, better, into) => {
      const best = methods.map(m => values.get(m)).reduce((a, b) => better(b, a) ? b : a);
      methods.filter(m => compare(values.get(m), best) === 0).forEach(m => into.add(m));
    };
    marks(out.mean, (a, b) => (compare(a, b) > 0) !== Boolean(data.metric.lower) && compare(a, b) !== 0, out.bestMean);
    marks(out.rank, (a, b) => compare(a, b) < 0, out.bestRank);
    marks(out.paper, (a, b) => compare(a, b) < 0, out.bestPaper);
    return out;
  }

  // bestOf has the best of the methods on a set; none where they do not compare.
  function bestOf(s, methods) {
    const have = methods.filter(m => has(cell(s, m)));
    if (have.length < 2 && methods.length > 1 || uneven(s, methods)) return new Set();
    const most = Math.max(...have.map(m => cell(s, m).o));
    return new Set(have.filter(m => cell(s, m).o === most));
  }
  function uneven(s, methods) {
    const have = methods.filter(m => has(cell(s, m)));
    return have.some(m => cell(s, m).d !== cell(s, have[0]).d);
  }

  /* What is shown. */

  const all = list => list.map((_, i) => i);
  const first = () => ({ methods: new Set(all(data.methods)), sets: new Set(all(data.sets)), rows: "auto", byMethods: "", downMethods: false, bySets: "", downSets: false });
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

  function shown() {
    const chosen = all(data.methods).filter(m => state.methods.has(m)), of = all(data.sets).filter(s => state.sets.has(s));
    const sums = summary(chosen, of);
    const methods = ordered(chosen, state.byMethods, state.downMethods, m => {
      switch (state.byMethods) {
        case "name": return data.methods[m].name;
        case "mean": return sums.mean.get(m) || null;
        case "rank": return sums.rank.get(m) || null;
        case "paper": return sums.paper.get(m) || null;
      }
      return value(Number(state.byMethods), m);
    });
    const sets = ordered(of, state.bySets, state.downSets, s => state.bySets === "name" ? data.sets[s].name : value(s, Number(state.bySets)));
    return { methods, sets, sums };
  }

  /* The table. */

  const number = (text, deviation, best, withDeviation) => [
    best ? make("strong", {}, text) : text,
    deviation && withDeviation ? make("span", { class: "std" }, " ± " + deviation) : "",
  ];

  function dataCell(s, m, best, deviations, button) {
    const c = cell(s, m);
    if (c === undefined) return make("td", {}, "-");
    const content = number(has(c) ? c.t[0] : "-", has(c) ? c.t[1] : "", best, deviations);
    const label = `${data.methods[m].name} on ${data.sets[s].name}`;
    return make("td", { class: best ? "best" : null },
      button ? make("button", { type: "button", class: "cell", "data-cell": s + "," + m, tabindex: "-1", title: label }, content) : content);
  }

  function meanCell(sums, m, deviations) {
    const v = sums.mean.get(m);
    if (!v) return make("td", {}, "-");
    return make("td", { class: sums.bestMean.has(m) ? "best" : null }, number(fixed(v, data.metric.decimals), sums.deviation.get(m).toFixed(data.metric.decimals), sums.bestMean.has(m), deviations));
  }
  function rankCell(values, marks, m) {
    const v = values.get(m);
    return make("td", { class: v && marks.has(m) ? "best" : null, "data-rank": v ? v[0] + "/" + v[1] : null }, v ? number(fixed(v, 2), "", marks.has(m)) : "-");
  }
  const sumsOf = [
    ["Mean", "mean", meanCell],
    ["Average rank", "rank", (sums, m) => rankCell(sums.rank, sums.bestRank, m)],
    ["Paper's rank", "paper", (sums, m) => rankCell(sums.paper, sums.bestPaper, m)],
  ];

  function head(name, sort, direction, attributes, button) {
    const sorted = direction === null ? null : direction ? "descending" : "ascending";
    return make("th", { scope: "col", "aria-sort": sorted, ...attributes }, button ? make("button", { type: "button", class: "sort", "data-sort": sort }, name) : name);
  }

  const setName = (s, methods) => data.sets[s].name + (uneven(s, methods) ? " †" : "");

  // Sets as rows, as in a paper. Where the columns need more room than there is, the best of a row stands beside its name.
  function bySets(view, o) {
    const { methods, sets, sums } = view, t = make("table", { class: "results sets" + (o.upright ? " upright" : "") });
    const is = by => state.bySets === by && (by !== "" || state.downSets) ? state.downSets : null;
    t.append(make("thead", {}, make("tr", {},
      head("Data set", "sets:name", is("name"), { class: "corner" }, o.buttons),
      o.withBest ? make("th", { scope: "col", class: "beside" }, "Best") : null,
      methods.map(m => head(data.methods[m].name, "sets:" + m, is(String(m)), { "data-method": m }, o.buttons)))));
    const body = list => make("tbody", {}, list.map(s => {
      const best = bestOf(s, methods), [one, more] = [[...best][0], best.size - 1];
      return make("tr", { "data-set": s }, make("th", { scope: "row" }, make("a", { href: data.sets[s].link }, setName(s, methods))),
        o.withBest ? make("td", { class: "beside" }, one === undefined ? "-" : [make("strong", {}, cell(s, one).t[0]), " " + data.methods[one].name + (more ? ` +${more}` : "")]) : null,
        methods.map(m => dataCell(s, m, best.has(m), o.deviations, o.buttons)));
    }));
    const main = sets.filter(s => data.sets[s].main), apart = sets.filter(s => !data.sets[s].main);
    if (main.length) t.append(body(main));
    if (sums.counted.length) {
      t.append(make("tbody", { class: "sums" }, sumsOf.map(([name, by, draw]) => {
        const marks = { mean: sums.bestMean, rank: sums.bestRank, paper: sums.bestPaper }[by], one = methods.find(m => marks.has(m));
        return make("tr", { "data-sum": by }, make("th", { scope: "row" }, name),
          o.withBest ? make("td", { class: "beside" }, make("strong", {}, fixed(sums[by].get(one), by === "mean" ? data.metric.decimals : 2)), " " + data.methods[one].name) : null,
          methods.map(m => draw(sums, m, o.deviations)));
      })));
    }
    if (apart.length) t.append(body(apart));
    return t;
  }

  // Methods as rows, for many of them.
  function byMethods(view, o) {
    const { methods, sets, sums } = view, t = make("table", { class: "results methods" + (o.upright ? " upright" : "") });
    const is = by => state.byMethods === by ? state.downMethods : null;
    const ofSums = sums.counted.length ? [...sumsOf.slice(1), sumsOf[0]] : []; // ranks first
    t.append(make("thead", {}, make("tr", {},
      head("Method", "methods:name", is("name"), { class: "corner" }, o.buttons),
      ofSums.map(([name, by]) => head(name, "methods:" + by, is(by), { class: "sum" }, o.buttons)),
      sets.map(s => head(setName(s, methods), "methods:" + s, is(String(s)), { class: data.sets[s].main ? null : "apart" }, o.buttons)))));
    const best = new Map(sets.map(s => [s, bestOf(s, methods)]));
    t.append(make("tbody", {}, methods.map(m => make("tr", { "data-method": m },
      make("th", { scope: "row" }, make("a", { href: data.methods[m].link }, data.methods[m].name)),
      ofSums.map(([, , draw]) => draw(sums, m, o.deviations)),
      sets.map(s => dataCell(s, m, best.get(s).has(m), o.deviations, o.buttons))))));
    return t;
  }

  const unit = data.metric.percent ? " (%)" : "";
  const caption = (t, text) => { t.prepend(make("caption", {}, make("span", {}, text))); return t; };

  function draw() {
    const view = shown(), box = make("div", { class: "scroll", role: "region", "aria-label": "Results", tabindex: "0" });
    results.replaceChildren();
    say(view);
    if (view.methods.length === 0 || view.sets.length === 0) return;
    results.append(box);
    const text = `Mean test ${data.metric.title}${unit} ± standard deviation over splits, the best in bold. Arrow keys move among the numbers, Enter or a click shows what stands behind one; a head sorts.`;
    // The first layout whose columns fit, with deviations if they can be; where none does, sets as rows with the best beside the name.
    const fewer = view.methods.length > view.sets.length ? [byMethods, bySets] : [bySets, byMethods];
    const layouts = [[bySets, true, false], [byMethods, true, false], [bySets, false, false], [byMethods, false, false], ...fewer.map(by => [by, false, true])]
      .filter(([by]) => state.rows === "auto" || by === (state.rows === "sets" ? bySets : byMethods));
    const fits = () => box.scrollWidth <= box.clientWidth;
    for (const [by, deviations, upright] of layouts) {
      box.replaceChildren(caption(by(view, { deviations, upright, buttons: true, withBest: false }), text));
      if (fits()) break;
    }
    box.classList.toggle("fits", fits());
    if (!fits() && state.rows !== "methods") box.replaceChildren(caption(bySets(view, { upright: true, buttons: true, withBest: true }), text));
    const table = box.querySelector("table");
    table.style.setProperty("--first", table.querySelector(".corner").getBoundingClientRect().width + "px");
    const start = table.querySelector("td.best .cell") || table.querySelector(".cell");
    if (start) start.tabIndex = 0;
    drawPrint(view);
  }

  // On paper stand sets as rows, in blocks of as many methods as a page on its side holds.
  const inBlock = 10;
  function drawPrint(view) {
    const paper = document.getElementById("print");
    paper.hidden = false;
    paper.replaceChildren();
    for (let i = 0; i < view.methods.length; i += inBlock) {
      const methods = view.methods.slice(i, i + inBlock);
      const t = bySets(view, { deviations: true, buttons: false, withBest: false });
      for (const tr of t.rows) [...tr.cells].forEach((c, k) => { if (k > 0 && (k <= i || k > i + inBlock)) c.remove(); });
      paper.append(caption(t, `Mean test ${data.metric.title}${unit} ± standard deviation over splits, methods ${i + 1} to ${i + methods.length} of ${view.methods.length}.`));
    }
  }

  const said = document.getElementById("said");
  function say({ methods, sets, sums }) {
    if (methods.length === 0 || sets.length === 0) {
      said.replaceChildren("Choose at least one method and one data set.");
      return;
    }
    const text = [];
    if (sums.counted.length === 0) text.push("No data set has the same finished splits of all these methods, so that there are no means over sets and no ranks.");
    else text.push(`Mean and ranks of these ${plural(methods.length, "method")} among one another, over ${plural(sums.counted.length, "data set")}.`);
    const main = sets.filter(s => data.sets[s].main && !sums.counted.includes(s));
    const some = main.filter(s => methods.some(m => !has(cell(s, m)))), other = main.filter(s => !some.includes(s));
    if (some.length) text.push(`Not counted, since a result is missing: ${some.map(s => data.sets[s].name).join(", ")}.`);
    if (other.length) text.push(`Not counted, since the methods finished different splits (†): ${other.map(s => data.sets[s].name).join(", ")}.`);
    const apart = sets.filter(s => !data.sets[s].main);
    if (apart.length) text.push(`Shown apart, never counted: ${apart.map(s => data.sets[s].name).join(", ")}.`);
    said.replaceChildren(text.join(" "));
  }

  /* Controls. */

  function chooser(title, names, chosen, change) {
    const count = make("span", {}), boxes = names.map((name, i) => make("input", { type: "checkbox", value: String(i), "data-name": name }));
    const update = () => {
      boxes.forEach((b, i) => { b.checked = chosen().has(i); });
      count.textContent = `${title}: ${chosen().size === names.length ? "all" : chosen().size + " of"} ${names.length}`;
    };
    const set = list => { change(new Set(list)); update(); draw(); };
    boxes.forEach(b => b.addEventListener("change", () => set(all(names).filter(i => boxes[i].checked))));
    const button = (text, list) => {
      const b = make("button", { type: "button" }, text);
      b.addEventListener("click", () => set(list()));
      return b;
    };
    const box = make("details", { class: "chooser" }, make("summary", {}, count),
      make("fieldset", {}, make("legend", { class: "hidden" }, title),
        make("div", { class: "buttons" }, button("All", () => all(names)), button("None", () => []), button("The others", () => all(names).filter(i => !chosen().has(i)))),
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

  const better = () => !data.metric.lower; // a large value is the better one
  const downFor = by => /^\d+$/.test(by) || by === "mean" ? better() : false;
  let parts = [];
  function refresh() {
    parts.forEach(p => p.update());
    draw();
  }

  function controls() {
    const box = document.getElementById("controls"), names = list => list.map(x => x.name);
    const reset = make("button", { type: "button", class: "reset" }, "Show everything");
    reset.addEventListener("click", () => { state = first(); refresh(); });
    parts = [
      chooser("Methods", names(data.methods), () => state.methods, v => { state.methods = v; }),
      chooser("Data sets", names(data.sets), () => state.sets, v => { state.sets = v; }),
      select("Methods by", [["", "the protocol"], ["rank", "average rank"], ["paper", "paper's rank"], ["mean", "mean"], ["name", "name"], ...data.sets.map((s, i) => [String(i), s.name])],
        () => state.byMethods, v => { state.byMethods = v; state.downMethods = downFor(v); }),
      select("Data sets by", [["", "the protocol"], ["name", "name"], ...data.methods.map((m, i) => [String(i), m.name])],
        () => state.bySets, v => { state.bySets = v; state.downSets = downFor(v); }),
      select("Rows", [["auto", "as they fit"], ["sets", "data sets"], ["methods", "methods"]], () => state.rows, v => { state.rows = v; }),
    ];
    box.append(...parts.map(p => p.box), reset);
    box.hidden = false;
  }

  function sort(key) {
    const [what, by] = key.split(":"), same = what === "sets" ? state.bySets === by : state.byMethods === by;
    if (what === "sets") [state.bySets, state.downSets] = [by, same ? !state.downSets : downFor(by)];
    else [state.byMethods, state.downMethods] = [by, same ? !state.downMethods : downFor(by)];
    refresh();
    const button = results.querySelector(`button[data-sort="${key}"]`);
    if (button) button.focus();
  }

  /* Keys in the table: one number is in the order of tabs, arrows move to the others. */

  function move(from, key) {
    const td = from.closest("td"), table = from.closest("table"), rows = [...table.rows].filter(r => r.querySelector(".cell"));
    let row = rows.indexOf(td.parentElement), column = td.cellIndex;
    const at = () => rows[row] && rows[row].cells[column] && rows[row].cells[column].querySelector(".cell");
    const inRow = () => [...rows[row].cells].filter(c => c.querySelector(".cell"));
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[key];
    if (key === "Home") column = inRow()[0].cellIndex;
    else if (key === "End") column = inRow().pop().cellIndex;
    else {
      do { row += step[0]; column += step[1]; } while (rows[row] && column > 0 && column < rows[row].cells.length && !at());
    }
    const to = at();
    if (!to) return;
    from.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  }

  results?.addEventListener("keydown", e => {
    const from = e.target.closest(".cell");
    if (!from || e.ctrlKey || e.altKey || e.metaKey || !["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].includes(e.key)) return;
    e.preventDefault();
    move(from, e.key);
  });

  /* What stands behind a number. */

  const dialog = document.getElementById("why");
  const filled = (command, s, m) => command.replaceAll("@SET@", data.sets[s].shell || data.sets[s].name).replaceAll("@METHOD@", data.methods[m].shell || data.methods[m].name);
  const literal = (sql, s, m) => sql.replaceAll("@SET@", data.sets[s].name.replaceAll("'", "''")).replaceAll("@METHOD@", data.methods[m].name.replaceAll("'", "''"));
  const time = ms => ms < 9950 ? (ms / 1000).toFixed(1) + " s" : ms < 599500 ? Math.round(ms / 1000) + " s" : ms < 35970000 ? Math.round(ms / 60000) + " min" : Math.round(ms / 3600000) + " h";

  function split(run, s) {
    const test = run[4] || data.sets[s].test, [number, value] = run;
    if (typeof value === "string" && run.length === 3) {
      const error = data.errors[run[2]];
      return [number, "-", "-", "-", value + (error ? ": " + error : "")];
    }
    const shown = data.metric.counts ? fixed([BigInt(value) * 100n, BigInt(test)], data.metric.decimals + 2) : value;
    return [number, data.metric.counts ? `${value}/${test}` : "-", shown, run[3] === null ? "-" : time(run[3]), run[2] === null ? "-" : data.settings[run[2]]];
  }

  function explain(key) {
    const c = data.cells[key], [s, m] = key.split(",").map(Number), set = data.sets[s], method = data.methods[m];
    const mark = data.metric.percent ? " %" : "", done = c.r.filter(r => r.length !== 3).length, digits = data.metric.decimals + 2;
    const say = !has(c) ? `No split of ${method.name} on ${set.name} is finished.`
      : `Test ${data.metric.title}, mean over ${plural(done, "split")}: ${fixed(fraction(c.m), digits)}${mark}, exactly ${c.m.endsWith("/1") ? c.m.slice(0, -2) : c.m.length > 40 ? "a fraction of many digits" : c.m}. `
        + `Standard deviation ${Number(c.t[2]).toFixed(digits)} (divisor n)${c.t[3] === "-" ? "" : `, ${Number(c.t[3]).toFixed(digits)} (divisor n-1)`}.`;
    const close = make("button", { type: "button", class: "close", autofocus: true }, "Close");
    close.addEventListener("click", () => dialog.close());
    const code = (title, text) => [make("p", {}, title), make("pre", { tabindex: "0" }, text)];
    const link = (to, text) => {
      const a = make("a", { href: to }, text);
      a.addEventListener("click", () => dialog.close());
      return a;
    };
    dialog.replaceChildren(
      make("div", { class: "title" }, make("h2", { id: "why-title" }, `${method.name} on ${set.name}`), close),
      make("p", {}, say, ` Each split trains on ${set.train} rows and tests on ${set.test}.`),
      ...(c.p || []).map(text => make("p", {}, text)),
      make("p", {}, link(set.link, `All methods on ${set.name}`), " · ", link(method.link, `${method.name} on all sets`)),
      make("div", { class: "scroll", role: "region", "aria-label": "Splits", tabindex: "0" }, make("table", { class: "splits" },
        make("thead", {}, make("tr", {}, ["split", "correct", data.metric.title, "processor time"].map(h => make("th", { scope: "col" }, h)), make("th", { scope: "col", class: "text" }, "chosen, or what went wrong"))),
        make("tbody", {}, c.r.map(run => {
          const [n, correct, v, t, last] = split(run, s);
          return make("tr", {}, make("th", { scope: "row" }, String(n)), [correct, v, t].map(x => make("td", {}, x)), make("td", { class: "text" }, last));
        })))),
      make("h3", {}, "Where it was computed"),
      make("ul", {}, c.f.map(([splits, at]) => make("li", {}, `Splits ${splits}: ${data.origins[at]}.`)), (c.w || []).map(w => make("li", {}, `A fit warned, ${w}`))),
      make("h3", {}, "How to see more"),
      ...code("With the folds of the search", filled(data.commands.why, s, m)),
      ...code("Computed again and compared", filled(data.commands.verify, s, m)),
      ...code("The rows of a split", filled(data.commands.splits, s, m)),
      ...code("From the database", literal(data.commands.sql, s, m)));
    dialog.showModal();
    dialog.scrollTop = 0;
  }

  document.addEventListener("click", e => {
    const target = e.target;
    if (target === dialog) dialog.close();
    const shownCell = target.closest(".cell"), sorter = target.closest(".sort");
    if (shownCell && data.cells[shownCell.dataset.cell]) explain(shownCell.dataset.cell);
    if (sorter) sort(sorter.dataset.sort);
  });

  /* The method in question. */

  function question() {
    const box = document.getElementById("question"), out = document.getElementById("verdicts"), more = document.getElementById("verdict-more");
    if (!box || !data.verdicts) return;
    const names = data.methods.map(m => m.name), asked = box.dataset.method;
    const s = make("select", {}, names.map(n => make("option", { value: n, selected: n === asked }, n)));
    s.addEventListener("change", () => {
      const [line, ...others] = data.verdicts[s.value], m = names.indexOf(s.value);
      out.replaceChildren(make("p", { class: "verdict" }, line), others.length ? make("ul", { class: "verdicts" }, others.map(o => make("li", {}, o))) : "",
        s.value === asked || !data.commands.compare ? "" : make("p", { class: "soft" }, "With the probabilities on a new set: ", make("code", {}, filled(data.commands.compare, 0, m))));
      more.hidden = s.value !== asked;
    });
    box.append(make("label", { class: "select" }, make("span", {}, "Method in question"), s));
    box.hidden = false;
  }

  /* Links to what is folded open it. */

  function reveal() {
    const id = location.hash.slice(1), target = id && document.getElementById(id);
    if (!target) return;
    for (let e = target; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
    target.scrollIntoView();
  }
  addEventListener("hashchange", reveal);

  if (results) {
    controls();
    question();
    draw();
    let width = innerWidth;
    addEventListener("resize", () => {
      if (innerWidth === width) return;
      width = innerWidth;
      draw();
    });
  }
  reveal();
})();
