/* The dialog with the runs of a cell. */

const dialog = document.getElementById("why");
// filled inserts the names of sets and methods into a command.
function filled(command, sets, methods) {
  const names = (of, list) => list.map(i => of[i].shell || of[i].name).join(",");
  return command.replaceAll("@SET@", () => names(data.sets, sets))
    .replaceAll("@METHOD@", () => names(data.methods, methods));
}
const literal = (sql, s, m) => sql.replaceAll("@SET@", data.sets[s].name.replaceAll("'", "''"))
  .replaceAll("@METHOD@", data.methods[m].name.replaceAll("'", "''"));
function split(run, s) {
  const test = run[4] || data.sets[s].test, [number, value] = run;
  if (typeof value === "string" && run.length === 3) {
    const error = data.errors[run[2]];
    return [number, "-", "-", "-", value + (error ? ": " + error : "")];
  }
  const shown = data.metric.counts ? fixed([BigInt(value) * 100n, BigInt(test)], data.metric.decimals + 2) : value;
  return [number, data.metric.counts ? `${value}/${test}` : "-", shown, data.times?.[run[3]] ?? "-",
    run[2] === null ? "-" : data.points[run[2]]];
}

function explain(key) {
  const c = data.cells[key], [s, m] = key.split(",").map(Number), set = data.sets[s], method = data.methods[m];
  const runs = c.r || c.c[0].map((v, i) => [i + 1, v, ...c.c.slice(1).map(of => of[of.length > 1 ? i : 0])]);
  const mark = data.metric.percent ? " %" : "", done = runs.filter(r => r.length !== 3).length,
    digits = data.metric.decimals + 2;
  const say = !has(c) ? `No split of ${method.name} on ${set.name} is finished.`
    : `Test ${data.metric.title}, mean over ${plural(done, "split")}: ${fixed(fraction(c.m), digits)}${mark}, ` +
      `exactly ${c.m.endsWith("/1") ? c.m.slice(0, -2) : c.m.length > 40 ? "a fraction of many digits" : c.m}. `
      + (done < 2 ? "" : `Standard deviation ${Number(c.t[2]).toFixed(digits)} (divisor n), ` +
        `${Number(c.t[3]).toFixed(digits)} (divisor n-1).`);
  const code = (title, text) => [make("p", {}, title), make("pre", { tabindex: "0" }, text)];
  dialog.replaceChildren(
    make("div", { class: "title" }, make("h2", { id: "why-title" }, `${method.name} on ${set.name}`),
      make("button", { type: "button", class: "close", autofocus: true }, "Close")),
    make("p", {}, say, ` Each split trains on ${set.train} rows and tests on ${set.test}.`),
    ...(c.p || []).map(text => make("p", {}, text)),
    make("p", {}, make("a", { href: set.link }, `All methods on ${set.name}`), " · ",
      make("a", { href: method.link }, `${method.name} on all sets`)),
    make("div", { class: "scroll", role: "region", "aria-label": "Splits", tabindex: "0" },
      make("table", { class: "splits" },
      make("thead", {}, make("tr", {}, ["split", "correct", data.metric.title, "processor time"]
        .map(h => make("th", { scope: "col" }, h)), make("th", { scope: "col", class: "text" },
        "chosen, or what went wrong"))),
      make("tbody", {}, runs.map(run => {
        const [n, correct, v, t, last] = split(run, s);
        return make("tr", {}, make("th", { scope: "row" }, String(n)), [correct, v, t].map(x => make("td", {}, x)),
          make("td", { class: "text" }, last));
      })))),
    make("h3", {}, "Where it was computed"),
    make("ul", {}, c.f.map(([splits, version, i]) => make("li", {}, `Splits ${splits}: ${version}, ${data.origins[i]}.`)),
      (c.w || []).map(w => make("li", {}, `A fit warned, ${w}`))),
    make("h3", {}, "How to see more"),
    ...code("With the folds of the search", filled(data.commands.why, [s], [m])),
    ...(method.sql ? [] : code("Computed again and compared", filled(data.commands.verify, [s], [m]))),
    ...code("The rows of a split", filled(data.commands.splits, [s], [m])),
    ...code("From the database", literal(method.sql || data.commands.sql, s, m)));
  dialog.showModal();
  dialog.scrollTop = 0;
}

document.addEventListener("click", e => {
  const target = e.target;
  if (target === dialog || target.closest("#why a, #why .close")) dialog.close();
  const shownCell = target.closest(".cell"), sorter = target.closest(".sort");
  if (shownCell && data.cells[shownCell.dataset.cell]) explain(shownCell.dataset.cell);
  if (sorter) sort(sorter.dataset.sort);
});
