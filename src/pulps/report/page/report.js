"use strict";
// The slider over the cut, sorting and searching; without this script the page is complete, but static.
(() => {
  const slider = document.getElementById("slider");
  if (!slider) return;
  const steps = JSON.parse(slider.dataset.steps);
  const charts = Array.from(document.querySelectorAll("#cut-figure svg[data-places]"));
  const rows = Array.from(document.querySelectorAll("#candidates tbody tr"));
  const at = (id) => document.getElementById(id);
  const whole = (number) => Math.round(number).toLocaleString("en-US");
  const percent = (share) => {
    if (share >= 0.9995 && share < 1) return "> 99.9\u00a0%";
    if (share > 0 && share < 0.0001) return "< 0.01\u00a0%";
    const whole = share === 0 || share === 1 || (share >= 0.1 && share <= 0.99);
    const digits = whole ? 0 : share < 0.001 ? 2 : 1;
    return `${(100 * share).toFixed(digits)}\u00a0%`;
  };
  const show = () => {
    const step = steps[Number(slider.value)];
    at("cut-rows").textContent = whole(step.rows);
    at("cut-precision").textContent = percent(step.precision);
    at("cut-between").textContent = step.low === null ? "" : `between ${percent(step.low)} and ${percent(step.high)}`;
    at("cut-right").textContent = whole(step.rows * step.precision);
    at("cut-recall").textContent = percent(step.recall);
    if (at("cut-value")) at("cut-value").textContent = step.value.toFixed(3);
    slider.setAttribute("aria-valuetext", `${whole(step.rows)} rows`);
    for (const chart of charts) {
      const mark = chart.querySelector(".mark");
      const place = JSON.parse(chart.dataset.places)[Number(slider.value)];
      mark.setAttribute("x1", place);
      mark.setAttribute("x2", place);
    }
    for (const row of rows) row.classList.toggle("below", Number(row.dataset.decision) <= step.decision);
  };
  slider.addEventListener("input", show);
  at("cut-own").addEventListener("click", () => {
    slider.value = slider.dataset.own;
    show();
  });
  show();
  at("chooser").hidden = false;
})();
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
