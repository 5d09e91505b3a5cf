// Read before the page is shown: what is chosen or typed before htmx is there would be lost. It is
// told again when htmx is ready, which reads its elements at DOMContentLoaded, before the listener
// on window. Forms need none of it: without a script they are sent as they are.
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
