/**
 * The time of day as the viewer reads it: as chosen in the account (data-clock of the page's root,
 * app/accounts/appearance.py), else as the device writes times.
 */

const chosen = document.documentElement.dataset.clock;

/** Whether times are written with AM and PM. */
const isTwelveHours = chosen
  ? chosen === "12"
  : (new Intl.DateTimeFormat(undefined, { hour: "numeric" }).resolvedOptions().hour12 ?? false);

const two = (/** @type {number} */ number) => String(number).padStart(2, "0");

/**
 * `13:05` or `1:05 PM`.
 * @param {Date} at
 */
export function clockTime(at) {
  const [hours, minutes] = [at.getHours(), two(at.getMinutes())];
  if (!isTwelveHours) return `${two(hours)}:${minutes}`;
  return `${hours % 12 || 12}:${minutes}\u00a0${hours < 12 ? "AM" : "PM"}`;
}
