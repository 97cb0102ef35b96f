/* The leaderboard: sorting, and rows that lead to their method. */

const board = document.getElementById("board");

// Sorting keeps partial methods below, and puts what has no value last.
function sortBoard(th, at) {
  const down = th.getAttribute("aria-sort") === "descending" || th.getAttribute("aria-sort") === null &&
    th.dataset.first === "up" ? "ascending" : "descending";
  board.querySelectorAll("thead th").forEach(h => h.removeAttribute("aria-sort"));
  th.setAttribute("aria-sort", down);
  const key = row => at === 0 ? row.cells[0].textContent : row.cells[at].dataset.v,
    turn = down === "descending" ? -1 : 1;
  const order = (a, b) => {
    const x = key(a), y = key(b);
    if (x === "" || y === "") return (x === "") - (y === "");
    return turn * (at === 0 ? x.localeCompare(y, "en", { numeric: true }) : Number(x) - Number(y));
  };
  for (const body of board.tBodies) body.append(...[...body.rows].sort(order));
}

if (board) {
  for (const row of board.querySelectorAll("tbody tr")) {
    row.addEventListener("click", e => { if (!e.target.closest("a")) row.querySelector("a").click(); });
  }
  board.querySelectorAll("thead th").forEach((th, at) => {
    if (th.dataset.first === undefined) return;
    const button = make("button", { type: "button", class: "order" }, ...th.childNodes);
    button.addEventListener("click", () => sortBoard(th, at));
    th.replaceChildren(button);
  });
}
