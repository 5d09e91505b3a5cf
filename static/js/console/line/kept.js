/** What came of keeping the abbreviations (templates/console/_macros.html). */

/** @param {string|undefined} error  which line cannot be read, and why; undefined: all are kept */
export function drawKept(error) {
  document.getElementById("macro-list").setAttribute("aria-invalid", error ? "true" : "false");
  document.getElementById("macro-said").textContent =
    error ?? "Saved. Reload open consoles to use them.";
}
