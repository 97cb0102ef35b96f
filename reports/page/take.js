/* Every table can be taken as CSV. The page sends nothing. It makes a file only when the reader clicks a button. */

// textOf is what a cell says, on one line.
const textOf = e => {
  const copy = e.cloneNode(true);
  copy.querySelectorAll(".hidden, svg").forEach(x => x.remove());
  return copy.textContent.replaceAll("−", "-").replace(/\s+/g, " ").trim();
};

// A name that looks like a formula gets an apostrophe, so that a spreadsheet does not compute it.
const csvCell = text => {
  const safe = /^[=+\-@]/.test(text) && !/^[+-]?([\d.]+(e[+-]?\d+)?)?$/i.test(text) ? "'" + text : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
const csvOf = table => [...table.rows].map(r => [...r.cells]
  .flatMap(c => [textOf(c), ...Array(c.colSpan - 1).fill("")]).map(csvCell).join(",")).join("\r\n") + "\r\n";

function download(table) {
  const url = URL.createObjectURL(new Blob([csvOf(table)], { type: "text/csv" }));
  make("a", { href: url, download: (table.closest("[data-name]")?.dataset.name ?? "table") + ".csv" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// takeable adds the button to every table in a part of the page that has none yet.
function takeable(part) {
  for (const table of part.querySelectorAll("table")) {
    const box = table.closest(".scroll") || table;
    if (table.closest("noscript, #print") || box.nextElementSibling?.classList.contains("take")) continue;
    const act = e => { e.stopPropagation(); download(table); };
    box.after(make("p", { class: "take" }, button({ "aria-label": "Download the table as CSV" }, act, "CSV")));
  }
}
