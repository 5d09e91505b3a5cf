// The order of footballers: rows can be dragged with a mouse. The list is replaced after each move,
// so everything listens at the document. Fields and buttons do the same without this file.
document.documentElement.classList.add("has-drag");

/** @type {HTMLElement | null} */
let dragged = null;

const rowOf = (target) =>
  /** @type {HTMLElement | null} */ (
    target instanceof Element ? target.closest(".ranking-row") : null
  );

const unmark = () => {
  for (const row of document.querySelectorAll(".ranking-row")) {
    row.classList.remove("is-over", "is-dragged");
  }
};

// Only the handle begins to drag, so that text can be selected and fields be used as always.
document.addEventListener("pointerdown", (event) => {
  if (!(event.target instanceof Element)) return;
  const row = rowOf(event.target);
  if (row) row.draggable = Boolean(event.target.closest(".drag"));
});

document.addEventListener("dragstart", (event) => {
  dragged = rowOf(event.target);
  dragged?.classList.add("is-dragged");
});

document.addEventListener("dragover", (event) => {
  const row = rowOf(event.target);
  if (!dragged || !row) return;
  event.preventDefault();
  unmark();
  dragged.classList.add("is-dragged");
  row.classList.add("is-over");
});

document.addEventListener("drop", (event) => {
  const row = rowOf(event.target);
  if (!dragged || !row || row === dragged) return;
  event.preventDefault();
  const form = dragged.querySelector("form");
  const place = /** @type {HTMLInputElement} */ (form.elements.namedItem("place"));
  // Downwards it lands before the row on which it is dropped, which moves up by one itself.
  const target = Number(row.dataset.place);
  place.value = String(target > Number(dragged.dataset.place) ? target - 1 : target);
  form.requestSubmit();
});

document.addEventListener("dragend", () => {
  unmark();
  dragged = null;
});
