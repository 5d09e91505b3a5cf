// Complements htmx: marks rows whose number has changed, keeps opened details open and the focus in
// a part whose focused element a swap takes away, asks at once in a tab that is looked at again,
// scrolls rows of links to the open page, and says to screen readers what has changed. A row takes
// part with an id and data-value; a swap with another value marks it with the class `moved`. An
// element with an id and data-say has that sentence said when a swap brings another one. This
// happens after settling, because settling resets the attributes of everything with an id.
(() => {
  "use strict";
  const values = new Map();
  /** @type {string[]} */
  let opened = [];
  /** @type {{element: Element, part: string}|null} what had the focus in a part that is swapped */
  let focused = null;
  const sentences = new Map();
  // Screen readers announce what changes in a live region that was there before, and a swap replaces
  // whole elements. So this region stays.
  const announcer = document.createElement("p");
  announcer.className = "visually-hidden";
  announcer.setAttribute("role", "log");
  announcer.setAttribute("aria-label", "Live updates");

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

  // A tab in the background polls once a minute or never: one that is looked at again asks at once.
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState !== "visible") return;
    for (const part of document.querySelectorAll('[hx-trigger*="wake"]'))
      window.htmx?.trigger(part, "wake");
  });
  document.addEventListener("DOMContentLoaded", remember);
  document.addEventListener("DOMContentLoaded", showCurrent);
  document.addEventListener("DOMContentLoaded", () => {
    newSentences();
    document.body.append(announcer);
  });
  // The next Tab goes on from the part.
  const keepFocus = () => {
    if (!focused || focused.element.isConnected || document.activeElement !== document.body) return;
    const part = document.getElementById(focused.part);
    if (!part) return;
    if (!part.hasAttribute("tabindex")) part.tabIndex = -1;
    part.focus({ preventScroll: true });
  };

  document.addEventListener("htmx:beforeSwap", (event) => {
    /** @type {Element} */
    const part = /** @type {CustomEvent} */ (event).detail.target;
    const { activeElement } = document;
    focused =
      part.id && activeElement && part !== activeElement && part.contains(activeElement)
        ? { element: activeElement, part: part.id }
        : null;
    opened = Array.from(document.querySelectorAll("details[id][open]"), (details) => details.id);
  });
  document.addEventListener("htmx:afterSettle", () => {
    for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
    opened = [];
    keepFocus();
    for (const row of rows()) {
      const before = values.get(row.id);
      if (before !== undefined && before !== row.dataset.value) row.classList.add("moved");
    }
    remember();
    const fresh = newSentences();
    if (fresh.length) announcer.textContent = fresh.join(" ");
  });
})();
