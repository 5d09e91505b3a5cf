// The number pad of a round's scores on a touch screen. It stands in for the system's keyboard,
// because it can add what a score of football is worth: 3, 6, 7 or 8 points. A mouse or a
// keyboard types into the same fields without it.

export {};

const MOST_DIGITS = 3;
const HIGHEST = 200;

const pad = document.getElementById("score-pad");
const guesses = document.getElementById("guesses");
const touches = window.matchMedia("(pointer: coarse)");

/** @type {HTMLInputElement | null} the field in use */
let input = null;

/** @type {(element: EventTarget | null) => HTMLInputElement | null} */
const scoreField = (element) =>
  element instanceof HTMLInputElement && element.matches("[data-side]") ? element : null;

/** @type {(value: string) => void} */
const write = (value) => {
  if (!input) return;
  input.value = value;
  input.dispatchEvent(new Event("change", { bubbles: true }));
};

/** @type {(digit: string) => void} */
const type = (digit) => {
  if (!input) return;
  const value = String(Number.parseInt(`${input.value}${digit}`, 10));
  if (value.length <= MOST_DIGITS && Number(value) <= HIGHEST) write(value);
};

/** @type {(points: number) => void} */
const add = (points) => {
  if (!input) return;
  write(String(Math.min((Number.parseInt(input.value, 10) || 0) + points, HIGHEST)));
};

const close = () => {
  if (!pad) return;
  pad.hidden = true;
  input?.classList.remove("is-typed");
  input = null;
};

const next = () => {
  const fields = [...document.querySelectorAll("#guesses [data-side]")].map(scoreField);
  const following = fields[fields.indexOf(input) + 1];
  if (following) {
    following.focus();
    following.scrollIntoView({ block: "center" });
  } else {
    input?.blur();
    close();
  }
};

/** @type {(field: HTMLInputElement) => void} */
const open = (field) => {
  if (!pad) return;
  input?.classList.remove("is-typed");
  input = field;
  field.classList.add("is-typed");
  pad.hidden = false;
  const label = document.querySelector(`label[for="${CSS.escape(field.id)}"]`);
  const title = pad.querySelector(".pad-field");
  if (title) title.textContent = label?.textContent?.trim() ?? "";
};

if (pad && guesses && touches.matches) {
  const withoutKeyboard = () => {
    for (const field of document.querySelectorAll("#guesses [data-side]"))
      field.setAttribute("inputmode", "none");
  };
  withoutKeyboard();
  document.addEventListener("htmx:afterSwap", withoutKeyboard);
  guesses.addEventListener("focusin", (event) => {
    const field = scoreField(event.target);
    if (field) open(field);
  });
  document.addEventListener("focusin", (event) => {
    if (!scoreField(event.target) && !pad.contains(/** @type {Node} */ (event.target))) close();
  });
  // A tap on the pad leaves the focus in the field.
  pad.addEventListener("pointerdown", (event) => event.preventDefault());
  pad.addEventListener("click", (event) => {
    const key = event.target instanceof Element ? event.target.closest("button") : null;
    if (!key) return;
    const { digit, add: points } = key.dataset;
    if (digit) type(digit);
    else if (points) add(Number(points));
    else if ("erase" in key.dataset) write(input?.value.slice(0, -1) ?? "");
    else next();
  });
}
