// Beside htmx on a round's page: the buttons that step a score, and the tab of the round in view.
// Held down, a button goes on stepping. Each change is an input's own, so that the match saves itself.

const FIRST_MS = 400;
const NEXT_MS = 90;
const HIGHEST = 200;

const form = document.getElementById("guesses");

/** @type {(root: Element) => void} */
const show = (root) => {
  for (const button of root.querySelectorAll("[data-step]")) if (button instanceof HTMLElement) button.hidden = false;
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
const done = (button) => inputOf(button)?.dispatchEvent(new Event("change", { bubbles: true }));

let timer = 0;
let isHeld = false;

/** @type {(button: HTMLElement) => void} */
const hold = (button) => {
  isHeld = true;
  step(button);
  timer = window.setTimeout(() => hold(button), NEXT_MS);
};

if (form) {
  form.dataset.live = "";
  show(form);
  document.addEventListener("htmx:afterSwap", () => show(form));

  form.addEventListener("pointerdown", (event) => {
    const button = event.target instanceof Element && event.target.closest("[data-step]");
    if (!(button instanceof HTMLElement)) return;
    isHeld = false;
    window.clearTimeout(timer);
    timer = window.setTimeout(() => hold(button), FIRST_MS);
  });
  for (const end of ["pointerup", "pointercancel", "pointerleave", "contextmenu"]) {
    form.addEventListener(end, () => window.clearTimeout(timer));
  }
  form.addEventListener("click", (event) => {
    const button = event.target instanceof Element && event.target.closest("[data-step]");
    if (!(button instanceof HTMLElement)) return;
    if (!isHeld) step(button);
    isHeld = false;
    done(button);
  });
}

document.querySelector(".rounds [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
