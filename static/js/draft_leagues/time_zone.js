// Fills a new league's time zone with that of the browser, if it is one of the list. Without this
// file the season's zone is preset.
const field = /** @type {HTMLInputElement | null} */ (
  document.querySelector("input[data-own-zone]")
);
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const zones = [...(field?.list?.options ?? [])].map((option) => option.value);
if (field && field.value === field.defaultValue && zones.includes(zone)) field.value = zone;
