/** The handlers of keys, taps and clicks. They decide nothing. */

/**
 * @param {HTMLInputElement} cmd  the command line
 * @param {{typed: () => void, enter: (all: boolean) => void, back: () => void, move: (step:
 *   number) => void,
 *          choose: (index: number) => void}} on  `enter(true)`: take the likeliest answer of all
 *          that is left
 */
export function listen(cmd, on) {
  const byId = (id) => document.getElementById(id);
  cmd.addEventListener("input", (event) => {
    if (!(/** @type {InputEvent} */ (event).isComposing)) on.typed();
  });
  cmd.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const act = {
      Enter: () => event.repeat || on.enter(event.shiftKey), // a key held down records once
      Escape: () => on.back(),
      ArrowDown: () => on.move(1),
      ArrowUp: () => on.move(-1),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  // Keys pressed anywhere on the page go to the command line, unless another field has the focus.
  document.addEventListener("keydown", (event) => {
    const at = /** @type {Element} */ (event.target);
    if (
      at.closest("input, textarea, select, dialog") ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey
    )
      return;
    if (at.closest("a, button, summary") && ["Enter", " ", "Tab"].includes(event.key)) return;
    if (event.key.length === 1 || event.key === "Escape") cmd.focus();
  });
  const tapped = (act) => () => {
    act();
    cmd.focus();
  };
  byId("do-enter").addEventListener(
    "click",
    tapped(() => on.enter(false)),
  );
  byId("do-back").addEventListener(
    "click",
    tapped(() => on.back()),
  );
  byId("offers").addEventListener("click", (event) => {
    const option = /** @type {HTMLElement} */ (
      /** @type {Element} */ (event.target).closest("[data-index]")
    );
    if (option) tapped(() => on.choose(Number(option.dataset.index)))();
  });
  byId("help").addEventListener("close", () => cmd.focus());
}
