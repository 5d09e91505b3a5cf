// The slider of "Look back": moves the page to the game as of any event. Without this file the form's field does it.
// The form stands outside the block that is swapped, so the slider stays in the hand while the page follows.
const form = document.getElementById("rewind");

if (form) {
  const slider = form.querySelector("#rewind-slider");
  const field = form.querySelector("#rewind-at");
  const WAIT = 120; // ms without a movement before the page is asked for
  let waiting;

  slider.closest(".slider").hidden = false;
  form.classList.add("slides");

  slider.addEventListener("input", () => {
    field.value = slider.value;
    clearTimeout(waiting);
    waiting = setTimeout(() => form.requestSubmit(), WAIT);
  });

  // The page says which event was the last: a game that goes on makes the slider longer.
  document.addEventListener("htmx:afterSettle", () => {
    const last = document.getElementById("game")?.dataset.last;
    if (!last || last === slider.max) return;
    const following = field.value === "";
    slider.max = last;
    if (following) slider.value = last;
  });
}
