/**
 * Shows moments in the viewer's time zone and time format. The server writes UTC and 24 hours
 * (app/core/time_tags.py), and this script rewrites it, also in parts that are swapped in later. The
 * page names the zone once, at its foot.
 */
import { clockTime } from "./clock.js";

const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const hours = (/** @type {number} */ number) => number * 3_600_000;
const isNear = (/** @type {Date} */ at) =>
  at.getTime() >= Date.now() - hours(12) && at.getTime() < Date.now() + hours(6 * 24);

/** @type {Record<string, (at: Date) => string>} */
const styles = {
  clock: (at) => clockTime(at),
  day: (at) => `${days[at.getDay()]} ${at.getDate()} ${months[at.getMonth()]}`,
  // A weekday alone would be ambiguous.
  weekday: (at) => (isNear(at) ? `${days[at.getDay()]} ${styles.clock(at)}` : styles.moment(at)),
  moment: (at) => `${styles.day(at)}, ${styles.clock(at)}`,
  year: (at) =>
    `${days[at.getDay()]} ${at.getDate()} ${months[at.getMonth()]} ${at.getFullYear()}, ${styles.clock(at)}`,
};

const rewrite = () => {
  const times = /** @type {NodeListOf<HTMLTimeElement>} */ (
    document.querySelectorAll("time[data-style]")
  );
  for (const time of times) {
    const words = styles[time.dataset.style ?? ""]?.(new Date(time.dateTime));
    if (words && time.textContent !== words) time.textContent = words;
  }
};

document.addEventListener("DOMContentLoaded", () => {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zoneName = document.getElementById("page-zone");
  if (zoneName && zone) zoneName.textContent = zone.replaceAll("_", " ");
  rewrite();
});
document.addEventListener("htmx:afterSwap", rewrite);
document.addEventListener("htmx:afterSettle", rewrite);
