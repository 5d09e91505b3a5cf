// Of the players ticked for a comparison, no more than it can show: with the last one ticked, the
// other boxes are closed. Without this script the server takes the first ones.
const MOST = 4;

function closeOthers() {
  const boxes = /** @type {HTMLInputElement[]} */ ([
    ...document.querySelectorAll(".player-list input[name=player]"),
  ]);
  const isFull = boxes.filter((box) => box.checked).length >= MOST;
  for (const box of boxes) box.disabled = isFull && !box.checked;
}

document.addEventListener("change", closeOthers);
document.addEventListener("htmx:afterSwap", closeOthers);
closeOthers();
