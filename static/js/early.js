// Loaded before the page is shown, because input before htmx is ready would be lost. The events are
// replayed when htmx is ready, which reads its elements at DOMContentLoaded, before the listener on
// window. Forms do not need this: without a script they are sent as usual.
(() => {
  "use strict";
  /** @type {Map<string, Set<EventTarget>>} */
  const early = new Map([
    ["change", new Set()],
    ["input", new Set()],
  ]);

  /** @type {(event: Event) => void} */
  const note = (event) => {
    if (event.target) early.get(event.type)?.add(event.target);
  };

  for (const kind of early.keys()) document.addEventListener(kind, note, true);
  window.addEventListener("DOMContentLoaded", () => {
    for (const [kind, fields] of early) {
      document.removeEventListener(kind, note, true);
      for (const field of fields) {
        field.dispatchEvent(new Event(kind, { bubbles: true }));
        // htmx takes what it finds typed for what was there, so `changed` would not fire.
        if (kind === "input" && field instanceof HTMLInputElement && field.type === "search") {
          field.dispatchEvent(new Event("search", { bubbles: true }));
        }
      }
    }
  });
})();
