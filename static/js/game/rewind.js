// The slider of "Rewind": moves the page to the record as of any event. Without this file the
// form's field does it. The form stands outside what is swapped, so the slider stays in the hand
// while the page follows.
const form = /** @type {HTMLFormElement} */ (document.getElementById("rewind"));

if (form) {
  const slider = /** @type {HTMLInputElement} */ (form.querySelector("#rewind-slider"));
  const field = /** @type {HTMLInputElement} */ (form.querySelector("#rewind-at"));
  const game = /** @type {HTMLSelectElement} */ (form.querySelector("#rewind-game")); // on a league's page: whose events they are
  const WAIT = 120; // ms without a movement before the page is asked for
  let waiting;

  const stretch = (last) => {
    slider.max = last;
    slider.value = field.value || last;
  };

  /** @type {HTMLElement} */ (slider.closest(".slider")).hidden = false;
  if (game) stretch(game.selectedOptions[0].dataset.last);

  slider.addEventListener("input", () => {
    field.value = slider.value;
    clearTimeout(waiting);
    waiting = setTimeout(() => form.requestSubmit(), WAIT);
  });

  game?.addEventListener("change", () => {
    field.value = "";
    stretch(game.selectedOptions[0].dataset.last);
  });

  // The page of a game says which event was the last: a game that goes on makes the slider longer.
  document.addEventListener("htmx:afterSettle", () => {
    const last = document.getElementById("game")?.dataset.last;
    if (last && last !== slider.max) stretch(last);
  });
}
