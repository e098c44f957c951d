"use strict";
// Sorting and searching in the table; without this script the page is complete, but static.
(() => {
  const table = document.getElementById("candidates");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const count = document.getElementById("count");
  const search = document.getElementById("search");

  const key = (row, column) => {
    const cell = row.cells[column];
    const given = cell.dataset.sort ?? cell.textContent.trim();
    const number = Number(given);
    return given !== "" && Number.isFinite(number) ? number : given;
  };
  const compare = (a, b) => {
    if (a === "" || b === "") return (a === "") - (b === "");
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return a.localeCompare(b, undefined, { numeric: true });
  };

  const heads = Array.from(table.tHead.rows[0].cells);
  heads.forEach((head, column) => {
    const button = head.querySelector("button");
    if (!button) return;
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const sign = down ? -1 : 1;
      rows.sort((a, b) => {
        const [x, y] = [key(a, column), key(b, column)];
        const order = compare(x, y);
        return x === "" || y === "" ? order : sign * order;
      });
      body.append(...rows);
    });
  });

  const tell = (shown) => {
    count.textContent = `${shown} of ${rows.length} rows shown`;
  };
  search.addEventListener("input", () => {
    const wanted = search.value.trim().toLowerCase();
    let shown = 0;
    for (const row of rows) {
      row.hidden = !row.textContent.toLowerCase().includes(wanted);
      shown += !row.hidden;
    }
    tell(shown);
  });
  tell(rows.length);
  document.getElementById("find").hidden = false;
})();
