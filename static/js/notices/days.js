// Moves the headings of the list of notices to where days begin in the viewer's time zone. Without
// this file they stand where days begin in UTC.
const headings = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".notice-day")]);
const [first] = headings;
for (const heading of headings) heading.remove();
let day = "";
for (const notice of document.querySelectorAll(".notice-one")) {
  const time = /** @type {HTMLTimeElement} */ (notice.querySelector("time"));
  const localDay = new Date(time.dateTime).toDateString();
  if (localDay === day) continue;
  day = localDay;
  const heading = /** @type {HTMLElement} */ (first.cloneNode(true));
  /** @type {HTMLTimeElement} */ (heading.querySelector("time")).dateTime = time.dateTime;
  notice.before(heading);
}
