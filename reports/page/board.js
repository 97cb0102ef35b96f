/* The leaderboards: tabs, sorting, and rows that link to the section of their method. */

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

function button(attributes, act, ...content) {
  const b = make("button", { type: "button", ...attributes }, ...content);
  b.addEventListener("click", act);
  return b;
}

// sortBoard sorts whole and partial methods separately. Rows without a value are last.
function sortBoard(board, th, at) {
  const order = th.getAttribute("aria-sort") === "descending" || th.getAttribute("aria-sort") === null &&
    th.dataset.first === "up" ? "ascending" : "descending";
  board.querySelectorAll("thead th").forEach(h => h.removeAttribute("aria-sort"));
  th.setAttribute("aria-sort", order);
  const key = row => at === 0 ? row.cells[0].textContent : row.cells[at].dataset.v,
    turn = order === "descending" ? -1 : 1;
  const compareRows = (a, b) => {
    const x = key(a), y = key(b);
    if (x === "" || y === "") return (x === "") - (y === "");
    return turn * (at === 0 ? x.localeCompare(y, "en", { numeric: true }) : Number(x) - Number(y));
  };
  for (const body of board.tBodies) body.append(...[...body.rows].sort(compareRows));
}

for (const board of document.querySelectorAll("table.board")) {
  for (const row of board.querySelectorAll("tbody tr")) {
    row.addEventListener("click", e => { if (!e.target.closest("a")) row.querySelector("a").click(); });
  }
  board.querySelectorAll("thead th").forEach((th, at) => {
    if (th.dataset.first === undefined) return;
    th.replaceChildren(button({ class: "order" }, () => sortBoard(board, th, at), ...th.childNodes));
  });
}

const boardTabs = [...document.querySelectorAll("#leaders [role=tab]")];

// showBoard shows the leaderboard of a tab and hides the others.
function showBoard(tab) {
  for (const t of boardTabs) {
    t.setAttribute("aria-selected", String(t === tab));
    t.tabIndex = t === tab ? 0 : -1;
    document.getElementById(t.getAttribute("aria-controls")).hidden = t !== tab;
  }
}

boardTabs.forEach((tab, i) => {
  tab.parentElement.hidden = false;
  tab.addEventListener("click", () => showBoard(tab));
  tab.addEventListener("keydown", e => {
    const next = boardTabs.at({ ArrowRight: i + 1 - boardTabs.length, ArrowLeft: i - 1, Home: 0, End: -1 }[e.key] ?? i);
    if (next === tab) return;
    e.preventDefault();
    next.focus();
    showBoard(next);
  });
});
