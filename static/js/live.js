// Beside htmx: marks rows with a changed number, and shows in rows of links which page is open.
// A row takes part with an id and data-value; a swap that brings another value marks it with the
// class `moved`. After settling, not after the swap: settling sets the attributes of everything
// with an id anew.
(() => {
  "use strict";
  const values = new Map();

  /** @type {() => NodeListOf<HTMLElement>} */
  const rows = () => document.querySelectorAll("[id][data-value]");

  const remember = () => {
    for (const row of rows()) values.set(row.id, row.dataset.value);
  };

  // Rows of links that scroll sideways on a phone show the page that is open.
  const showCurrent = () => {
    for (const link of document.querySelectorAll("nav [aria-current]")) {
      const row = link.closest("ul");
      if (row && row.scrollWidth > row.clientWidth) {
        row.scrollLeft +=
          link.getBoundingClientRect().left -
          row.getBoundingClientRect().left -
          row.clientWidth / 3;
      }
    }
  };

  document.addEventListener("DOMContentLoaded", remember);
  document.addEventListener("DOMContentLoaded", showCurrent);
  document.addEventListener("htmx:afterSettle", () => {
    for (const row of rows()) {
      const before = values.get(row.id);
      if (before !== undefined && before !== row.dataset.value) row.classList.add("moved");
    }
    remember();
  });
})();
