// Complements htmx: marks rows whose number has changed, and scrolls rows of links to the open
// page. A row takes part with an id and data-value; a swap with another value marks it with the
// class `moved`. This happens after settling, because settling resets the attributes of everything
// with an id.
(() => {
  "use strict";
  const values = new Map();

  /** @type {() => NodeListOf<HTMLElement>} */
  const rows = () => document.querySelectorAll("[id][data-value]");

  const remember = () => {
    for (const row of rows()) values.set(row.id, row.dataset.value);
  };

  // Rows of links that scroll sideways on a phone show the open page.
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
