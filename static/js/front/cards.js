// The cards of the home page that are swiped sideways: the one with the focus comes into view whole.
// By itself a browser leaves one alone of which enough is in view.
document.addEventListener("focusin", (event) => {
  const card = /** @type {Element} */ (event.target).closest(".week-cards > li");
  card?.scrollIntoView({ block: "nearest", inline: "nearest" });
});
