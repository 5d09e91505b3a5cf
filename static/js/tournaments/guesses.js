// Complements htmx on a round's page: the buttons that step a score, and the tab of the round in
// view. A button repeats while it is held down. Each change fires the input's own events, so that
// the match saves itself.

const FIRST_MS = 400;
const NEXT_MS = 90;
const HIGHEST = 200;

const guesses = document.getElementById("guesses");

/** @type {(root: Element) => void} */
const show = (root) => {
  for (const button of root.querySelectorAll("[data-step]"))
    if (button instanceof HTMLElement) button.hidden = false;
};

/** @type {(button: HTMLElement) => HTMLInputElement | null} */
const inputOf = (button) => button.parentElement?.querySelector("input") ?? null;

/** @type {(button: HTMLElement) => void} */
const step = (button) => {
  const input = inputOf(button);
  if (!input) return;
  const now = Number.parseInt(input.value, 10);
  const next = Number.isNaN(now) ? 0 : now + Number(button.dataset.step);
  input.value = String(Math.min(Math.max(next, 0), HIGHEST));
};

/** @type {(button: HTMLElement) => void} */
const done = (button) => {
  inputOf(button)?.dispatchEvent(new Event("change", { bubbles: true }));
};

let timer = 0;
/**
 * @type {HTMLElement | null} the button that stepped while it was held down: the click that follows
 *   is no step
 */
let heldButton = null;

/** @type {(button: HTMLElement) => void} */
const hold = (button) => {
  heldButton = button;
  step(button);
  timer = window.setTimeout(() => hold(button), NEXT_MS);
};

/** @type {(event: Event) => HTMLElement | null} */
const buttonOf = (event) => {
  const button = event.target instanceof Element ? event.target.closest("[data-step]") : null;
  return button instanceof HTMLElement ? button : null;
};

const release = () => {
  window.clearTimeout(timer);
  if (heldButton) done(heldButton);
};

if (guesses) {
  guesses.dataset.live = "";
  show(guesses);
  document.addEventListener("htmx:afterSwap", () => show(guesses));

  guesses.addEventListener("pointerdown", (event) => {
    const button = buttonOf(event);
    heldButton = null;
    window.clearTimeout(timer);
    if (button) timer = window.setTimeout(() => hold(button), FIRST_MS);
  });
  window.addEventListener("pointerup", release);
  window.addEventListener("pointercancel", release);
  // A long press would open the browser's context menu.
  guesses.addEventListener("contextmenu", (event) => {
    if (buttonOf(event)) event.preventDefault();
  });
  guesses.addEventListener("click", (event) => {
    const button = buttonOf(event);
    if (!button) return;
    const wasHeld = heldButton === button && event.detail > 0;
    heldButton = null;
    if (wasHeld) return;
    step(button);
    done(button);
  });
}

document
  .querySelector(".rounds [aria-current]")
  ?.scrollIntoView({ block: "nearest", inline: "center" });
