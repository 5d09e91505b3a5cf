// A thread opens at its newest post, or at the first unread one. An update of it scrolls to the foot
// only for a reader who is there; others keep their place, whatever comes or goes above it. Without
// this file the page opens at its top, with a link to the foot.
const composer = /** @type {HTMLElement} */ (document.getElementById("composer"));
const foot = /** @type {HTMLElement} */ (document.getElementById("newest"));
const NEAR = 40; // px from the foot that still count as there

const isAtFoot = () =>
  foot.getBoundingClientRect().top <= composer.getBoundingClientRect().top + NEAR;

const toFoot = () => {
  const bar = parseFloat(getComputedStyle(composer).bottom) || 0;
  const end = foot.getBoundingClientRect().top + composer.offsetHeight + bar;
  scrollBy(0, end - innerHeight);
};

/** @type {{id: string, top: number}|"foot"|null} where the reader is while posts are swapped */
let place = null;

const firstInView = () => {
  for (const post of document.querySelectorAll(".post")) {
    const { top, bottom } = post.getBoundingClientRect();
    if (bottom > 0) return { id: post.id, top };
  }
  return null;
};

document.addEventListener("htmx:beforeSwap", (event) => {
  if (/** @type {CustomEvent} */ (event).detail.target.id !== "posts") return;
  place = isAtFoot() ? "foot" : firstInView();
});
document.addEventListener("htmx:afterSettle", () => {
  if (place === "foot") toFoot();
  else if (place) {
    const top = document.getElementById(place.id)?.getBoundingClientRect().top;
    if (top !== undefined && top !== place.top) scrollBy(0, top - place.top);
  }
  place = null;
});
document.addEventListener("htmx:afterRequest", (event) => {
  const menu = /** @type {CustomEvent} */ (event).detail.elt.closest(".post-menu");
  if (menu?.matches(":popover-open")) menu.hidePopover();
});

if (!location.hash || location.hash === "#newest") {
  const unread = document.getElementById("unread");
  if (unread) unread.scrollIntoView();
  else {
    toFoot();
    addEventListener("load", () => isAtFoot() && toFoot(), { once: true }); // pictures
  }
}
