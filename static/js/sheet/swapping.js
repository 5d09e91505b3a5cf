// Drags a player of the team onto another one to swap them. A mouse drags the tile, a finger its name
// of the place ("RB"), because elsewhere it scrolls. A tap still opens the market, which offers the
// same swaps as buttons for those who do not drag. The server decides about the swap and offers to
// undo it.
const BEGINS_AFTER_PX = 8; // a shorter way is a tap

/** @type {{place: HTMLElement, startY: number, startX: number, target: HTMLElement|null}|null} */
let drag = null;

/** @type {(element: Element|null) => HTMLElement|null} */
const placeOf = (element) => element?.closest("#editor .place") ?? null;
const swapsOf = (place) => (place.dataset.swaps ?? "").split(" ").filter(Boolean);

/** @type {() => NodeListOf<HTMLElement>} */
const places = () => document.querySelectorAll("#editor .place");

function begin(event) {
  const grip = event.pointerType === "mouse" ? ".tile" : ".slot";
  const handle = event.target instanceof Element ? event.target.closest(grip) : null;
  const place = placeOf(handle);
  if (!place || event.button !== 0 || !swapsOf(place).length) return;
  drag = { place, startX: event.clientX, startY: event.clientY, target: null };
}

function move(event) {
  if (!drag) return;
  const { place, startX, startY } = drag;
  const [x, y] = [event.clientX - startX, event.clientY - startY];
  if (!place.classList.contains("is-dragged")) {
    if (Math.hypot(x, y) < BEGINS_AFTER_PX) return;
    place.classList.add("is-dragged");
    for (const other of places())
      other.classList.toggle("takes-drop", swapsOf(place).includes(other.dataset.place ?? ""));
  }
  event.preventDefault();
  place.style.translate = `${x}px ${y}px`;
  const under = document
    .elementsFromPoint(event.clientX, event.clientY)
    .map(placeOf)
    .find((other) => other && other !== place);
  const target = under?.classList.contains("takes-drop") ? under : null;
  if (target === drag.target) return;
  drag.target?.classList.remove("is-over");
  target?.classList.add("is-over");
  drag.target = target;
}

function end() {
  if (!drag) return null;
  const { place, target } = drag;
  const isDragged = place.classList.contains("is-dragged");
  place.classList.remove("is-dragged");
  // htmx copies attributes, and the policy refuses even an empty style. Chromium writes the attribute
  // when it is read, and removes only one that is written.
  if (place.getAttribute("style") !== null) place.removeAttribute("style");
  for (const other of places()) other.classList.remove("takes-drop", "is-over");
  drag = null;
  return { place, target, isDragged };
}

function drop() {
  const dropped = end();
  if (!dropped?.isDragged) return;
  // The browser reports the end of a drag over a button as a click on it.
  const ignore = (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  document.addEventListener("click", ignore, { capture: true, once: true });
  setTimeout(() => {
    document.removeEventListener("click", ignore, true);
    const act = /** @type {HTMLButtonElement|null} */ (document.getElementById("swap"));
    if (!act || !dropped.target) return;
    act.value = `${dropped.place.dataset.place}-${dropped.target.dataset.place}`;
    window.htmx?.trigger("#swap", "click");
  });
}

document.addEventListener("pointerdown", begin);
document.addEventListener("pointermove", move, { passive: false });
document.addEventListener("pointerup", drop);
document.addEventListener("pointercancel", end);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") end();
});
