// Complements htmx: marks rows whose number has changed, keeps opened details open, scrolls rows of
// links to the open page, and says to screen readers what has changed. A row takes part with an id
// and data-value; a swap with another value marks it with the class `moved`. An element with an id
// and data-say has that sentence said when a swap brings another one. This happens after settling,
// because settling resets the attributes of everything with an id.
(() => {
  "use strict";
  const values = new Map();
  /** @type {string[]} */
  let opened = [];
  const sentences = new Map();
  // Screen readers announce what changes in a live region that was there before, and a swap replaces
  // whole elements. So this region stays.
  const announcer = document.createElement("p");
  announcer.className = "visually-hidden";
  announcer.setAttribute("role", "log");
  announcer.setAttribute("aria-label", "What just moved");

  /** @type {() => NodeListOf<HTMLElement>} */
  const rows = () => document.querySelectorAll("[id][data-value]");

  const remember = () => {
    for (const row of rows()) values.set(row.id, row.dataset.value);
  };

  // Sentences that were not on the page before, in the order of the page.
  const newSentences = () => {
    const fresh = [];
    /** @type {NodeListOf<HTMLElement>} */
    const speakers = document.querySelectorAll("[id][data-say]");
    for (const { id, dataset } of speakers) {
      if (sentences.get(id) !== dataset.say) fresh.push(dataset.say);
      sentences.set(id, dataset.say);
    }
    return fresh;
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
  document.addEventListener("DOMContentLoaded", () => {
    newSentences();
    document.body.append(announcer);
  });
  document.addEventListener("htmx:beforeSwap", () => {
    opened = Array.from(document.querySelectorAll("details[id][open]"), (details) => details.id);
  });
  document.addEventListener("htmx:afterSettle", () => {
    for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
    opened = [];
    for (const row of rows()) {
      const before = values.get(row.id);
      if (before !== undefined && before !== row.dataset.value) row.classList.add("moved");
    }
    remember();
    const fresh = newSentences();
    if (fresh.length) announcer.textContent = fresh.join(" ");
  });
})();
