/* Copies and downloads: a table as CSV and LaTeX, a figure as SVG. The page sends nothing. It makes a file or a copy
   only when the reader clicks a button. */

// textOf is what a cell says, on one line.
const textOf = e => {
  const copy = e.cloneNode(true);
  copy.querySelectorAll(".hidden, svg").forEach(x => x.remove());
  return copy.textContent.replaceAll("−", "-").replace(/\s+/g, " ").trim();
};

// gridOf returns a table as rows of cells. A head begins with the head above it. A value and its deviation are two
// cells. A row with a cell over several columns, such as an opened plot, is left out.
function gridOf(table) {
  const rows = [...table.rows].filter(r => ![...r.cells].some(c => c.tagName === "TD" && c.colSpan > 1)), heads = [],
    body = [];
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
  const wide = row => row.flatMap((c, i) => apart[i] ? [{ ...c, text: c.text.split(" ± ")[0] },
    { text: c.text.split(" ± ")[1] || "" }] : [c]);
  return { heads: heads.flatMap((h, i) => apart[i] ? [h.text, h.text + " ±"] : [h.text]), body: body.map(wide),
    whole: body, names: heads.map(h => h.text) };
}

const isNumber = text => /^[+-]?[\d.]+(e[+-]?\d+)?$/i.test(text);
// A name that looks like a formula gets an apostrophe, so that a spreadsheet does not compute it.
const csvCell = text => {
  const safe = /^[=+\-@]/.test(text) && !isNumber(text) && text !== "-" ? "'" + text : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
function csvOf(table) {
  const { heads, body } = gridOf(table);
  return [heads, ...body.map(r => r.map(c => c.text))].map(r => r.map(csvCell).join(",")).join("\r\n") + "\r\n";
}

const tex = text => text.replace(/[\\{}$&#%_^~<>|±†…▲▼]/g, c =>
  ({ "\\": "\\textbackslash{}", "^": "\\textasciicircum{}", "~": "\\textasciitilde{}", "<": "$<$", ">": "$>$",
  "|": "$|$", "±": "$\\pm$", "†": "$\\dagger$", "…": "\\dots{}", "▲": "", "▼": "" })[c] ?? "\\" + c)
  .replace(/(^|[\s(])-(?=\d)/g, "$1$-$");
function latexOf(table) {
  const { names, whole } = gridOf(table), line = cells => "  " + cells.join(" & ") + " \\\\";
  const body = whole.map(r => line(r.map(c => c.best ? `\\textbf{${tex(c.text)}}` : tex(c.text))));
  return [`\\begin{tabular}{l${"r".repeat(Math.max(0, names.length - 1))}}`, "  \\hline", line(names.map(tex)),
    "  \\hline", ...body, "  \\hline", "\\end{tabular}", ""].join("\n");
}

// drawnStyle returns the rules of the style sheet for drawings, in the light colours: only rules outside of media
// queries, with the values of variables.
function drawnStyle() {
  const rules = [...document.styleSheets].flatMap(s => [...s.cssRules]).filter(r => r instanceof CSSStyleRule);
  const values = Object.fromEntries(rules.filter(r => r.selectorText === ":root")
    .flatMap(r => [...r.style].map(name => [name, r.style.getPropertyValue(name).trim()])));
  return rules.filter(r => /(^|[\s,])svg\b/.test(r.selectorText)).map(r => r.cssText
    .replace(/--series: ([^;]+);/, "fill: $1; stroke: $1;").replace(/var\((--[\w-]+)\)/g,
      (_, name) => values[name] ?? "black")).join("\n");
}

function mark(name, attributes, text) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [k, v] of Object.entries(attributes)) if (v !== null && v !== undefined) e.setAttribute(k,
    typeof v === "number" ? v.toFixed(1).replace(/\.0$/, "") : v);
  if (text !== undefined) e.textContent = text;
  return e;
}

// svgOf returns a drawing as the text of an SVG file.
function svgOf(svg) {
  const copy = svg.cloneNode(true), [, , width, height] = svg.getAttribute("viewBox").split(" ");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.prepend(mark("title", {}, svg.getAttribute("aria-label")), mark("style", {}, ""));
  return new XMLSerializer().serializeToString(copy).replace("<style/>",
    () => `<style>${drawnStyle().replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</style>`);
}

function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type })), a = make("a", { href: url, download: name });
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// copy puts a text on the clipboard. A page that was opened as a file may have to use execCommand for this.
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
const nameOf = e => fileName((e.closest("[data-name]") || e).dataset.name ||
  e.querySelector("caption, figcaption b")?.textContent || e.closest("[aria-label]")?.getAttribute("aria-label") ||
  "table");

// takeable adds the buttons to every table and figure in a part of the page that has none yet.
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
    svg.after(make("p", { class: "take" }, button("SVG", "Download the figure as SVG",
      () => download(nameOf(figure) + ".svg", "image/svg+xml", svgOf(svg)))));
  }
}
