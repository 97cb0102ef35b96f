/* Tables and figures to copy and to download: a table as CSV and LaTeX, a figure as SVG. Nothing leaves the page but by the reader's hand. */

// textOf is what a cell says, on one line.
const textOf = e => {
  const copy = e.cloneNode(true);
  copy.querySelectorAll(".hidden, svg").forEach(x => x.remove());
  return copy.textContent.replaceAll("−", "-").replace(/\s+/g, " ").trim();
};

// gridOf is a table as rows of cells: heads with their groups before them, a value and its deviation apart. Cells that stand across
// columns, such as an opened plot, are no row.
function gridOf(table) {
  const rows = [...table.rows].filter(r => ![...r.cells].some(c => c.tagName === "TD" && c.colSpan > 1)), heads = [], body = [];
  for (const row of rows) {
    if (row.parentElement.tagName !== "THEAD") {
      body.push([...row.cells].map(c => ({ text: textOf(c), best: c.querySelector("strong") !== null })));
      continue;
    }
    let at = 0;
    for (const c of row.cells) {
      while (heads[at]?.down > 0 && row !== heads[at].row) at += 1;
      for (let i = 0; i < c.colSpan; i += 1, at += 1) {
        heads[at] = { text: [heads[at]?.text, textOf(c)].filter(Boolean).join(": "), down: c.rowSpan - 1, row };
      }
    }
  }
  const apart = heads.map((_, i) => i > 0 && body.some(r => r[i]?.text.includes(" ± ")));
  const wide = row => row.flatMap((c, i) => apart[i] ? [{ ...c, text: c.text.split(" ± ")[0] }, { text: c.text.split(" ± ")[1] || "" }] : [c]);
  return { heads: heads.flatMap((h, i) => apart[i] ? [h.text, h.text + " ±"] : [h.text]), body: body.map(wide), whole: body, names: heads.map(h => h.text) };
}

const isNumber = text => /^[+-]?[\d.]+(e[+-]?\d+)?$/i.test(text);
// A spreadsheet must not take a name for a formula.
const csvCell = text => {
  const safe = /^[=+\-@]/.test(text) && !isNumber(text) && text !== "-" ? "'" + text : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
function csvOf(table) {
  const { heads, body } = gridOf(table);
  return [heads, ...body.map(r => r.map(c => c.text))].map(r => r.map(csvCell).join(",")).join("\r\n") + "\r\n";
}

const tex = text => text.replace(/[\\{}$&#%_^~<>|±†…▲▼]/g, c => ({ "\\": "\\textbackslash{}", "^": "\\textasciicircum{}", "~": "\\textasciitilde{}", "<": "$<$", ">": "$>$", "|": "$|$", "±": "$\\pm$", "†": "$\\dagger$", "…": "\\dots{}", "▲": "", "▼": "" })[c] ?? "\\" + c)
  .replace(/(^|[\s(])-(?=\d)/g, "$1$-$");
function latexOf(table) {
  const { names, whole } = gridOf(table), line = cells => "  " + cells.join(" & ") + " \\\\";
  const body = whole.map(r => line(r.map(c => c.best ? `\\textbf{${tex(c.text)}}` : tex(c.text))));
  return [`\\begin{tabular}{l${"r".repeat(Math.max(0, names.length - 1))}}`, "  \\hline", line(names.map(tex)), "  \\hline", ...body, "  \\hline", "\\end{tabular}", ""].join("\n");
}

// svgOf is a drawing that stands alone: what its style says on the page is written into it, in the colours of light.
const drawnStyle = `text{font:11px system-ui,sans-serif;fill:#1c1e21}.tick{fill:#5d6268;font-size:10px}.axis,.grid{stroke:#d9dbd8}.value{fill-opacity:.38}.mean{fill:#17507e;stroke:#17507e;stroke-width:2}circle.mean{stroke:none}
.range,.band{fill:#17507e;fill-opacity:.15}.quoted{fill:#fff;stroke:#be5c0c}.strong{fill:#1c1e21;stroke:#1c1e21;stroke-width:3;stroke-linecap:round}.member{fill:#1c1e21}.thin{fill:none;stroke:#1c1e21;stroke-width:.8}
.interval{stroke-width:2;stroke:#5d6268}.estimate{fill:#5d6268}.interval.better{stroke:#1f5fa0}.estimate.better{fill:#1f5fa0}.interval.worse{stroke:#a34e08}.estimate.worse{fill:#a34e08}`;
function svgOf(svg) {
  const copy = svg.cloneNode(true), style = mark("style", {}, drawnStyle), [, , width, height] = svg.getAttribute("viewBox").split(" ");
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  return new XMLSerializer().serializeToString(copy).replace(">", ">" + new XMLSerializer().serializeToString(style));
}

function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type })), a = make("a", { href: url, download: name });
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// copy puts a text on the clipboard, by the older way where a page may not use the newer one.
async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", { class: "hidden" });
    area.value = text;
    button.after(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    button.focus();
  }
  const before = button.textContent;
  button.textContent = "copied";
  setTimeout(() => { button.textContent = before; }, 1500);
}

const fileName = text => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60) || "bench";
const nameOf = e => fileName((e.closest("[data-name]") || e).dataset.name || e.querySelector("caption, figcaption b")?.textContent || e.closest("[aria-label]")?.getAttribute("aria-label") || "table");

// takeable gives every table and figure in a part of the page its buttons, once.
function takeable(part) {
  const button = (text, label, act) => {
    const b = make("button", { type: "button", "aria-label": label }, text);
    b.addEventListener("click", e => { e.stopPropagation(); act(b); });
    return b;
  };
  for (const table of part.querySelectorAll("table")) {
    const box = table.closest(".scroll") || table;
    if (table.closest("noscript, #print") || box.nextElementSibling?.classList.contains("take")) continue;
    box.after(make("p", { class: "take" },
      button("copy", "Copy the table as CSV", b => copy(csvOf(table), b)),
      button("CSV", "Download the table as CSV", () => download(nameOf(table) + ".csv", "text/csv", csvOf(table))),
      button("LaTeX", "Copy the table as LaTeX", b => copy(latexOf(table), b))));
  }
  for (const figure of part.querySelectorAll("figure")) {
    const svg = figure.querySelector("svg");
    if (!svg || svg.nextElementSibling?.classList.contains("take")) continue;
    svg.after(make("p", { class: "take" }, button("SVG", "Download the figure as SVG", () => download(nameOf(figure) + ".svg", "image/svg+xml", svgOf(svg)))));
  }
}
