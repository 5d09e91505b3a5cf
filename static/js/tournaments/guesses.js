// Complements htmx on a round's page: the buttons that step a score, those that guess a usual
// margin, and the tab of the round in view. A button that steps repeats while it is held down. Each
// change fires the input's own events, so that the match saves itself.

export {};

const FIRST_MS = 400;
const NEXT_MS = 90;
const HIGHEST = 200;

const guesses = document.getElementById("guesses");

/** @type {(root: Element) => void} */
const show = (root) => {
  for (const button of root.querySelectorAll("[data-step], [data-quick]"))
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

/** Guesses the scores of a button: the winner's, then the loser's. @type {(button: HTMLElement) => void} */
const guessMargin = (button) => {
  const { winner, scores = "" } = button.dataset;
  const [most, least] = scores.split(":");
  const fields = button.closest(".guess")?.querySelectorAll("input[data-side]") ?? [];
  for (const field of fields)
    if (field instanceof HTMLInputElement)
      field.value = (field.dataset.side === winner ? most : least) ?? "";
  fields[0]?.dispatchEvent(new Event("change", { bubbles: true }));
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
    const margin = event.target instanceof Element ? event.target.closest("[data-winner]") : null;
    if (margin instanceof HTMLElement) return guessMargin(margin);
    const button = buttonOf(event);
    if (!button) return undefined;
    const wasHeld = heldButton === button && event.detail > 0;
    heldButton = null;
    if (wasHeld) return undefined;
    step(button);
    done(button);
    return undefined;
  });
}

document
  .querySelector(".rounds [aria-current]")
  ?.scrollIntoView({ block: "nearest", inline: "center" });
