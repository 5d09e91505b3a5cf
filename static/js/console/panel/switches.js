/** The switches of the view: way of entry, size, light. They decide nothing. */

/** @type {Record<import("../settings.js").Light, {next: import("../settings.js").Light, words: string}>} */
const LIGHTS = {
  auto: { next: "light", words: "Theme: device" },
  light: { next: "dark", words: "Theme: sun" },
  dark: { next: "auto", words: "Theme: night" },
};

const byId = (id) => document.getElementById(id);

/**
 * Gives the page the light and the size that were chosen.
 * @param {{light: import("../settings.js").Light, size: number}} settings
 */
export function applyView({ light, size }) {
  const root = document.documentElement;
  if (light === "auto") delete root.dataset.light;
  else root.dataset.light = light;
  root.dataset.size = `${size}`;
}

/** @param {{light: import("../settings.js").Light, oneLine: boolean}} settings */
export function drawSwitches({ light, oneLine }) {
  byId("switches").hidden = false;
  byId("light").textContent = LIGHTS[light].words;
  byId("one-line").setAttribute("aria-pressed", `${oneLine}`);
}

/** The light after this one. @param {import("../settings.js").Light} light */
export const nextLight = (light) => LIGHTS[light].next;

/**
 * @param {{setWay: () => void, resize: (steps: number) => void, setLight: () => void}} on
 */
export function listenToSwitches(on) {
  byId("one-line").addEventListener("click", () => on.setWay());
  byId("smaller").addEventListener("click", () => on.resize(-1));
  byId("bigger").addEventListener("click", () => on.resize(1));
  byId("light").addEventListener("click", () => on.setLight());
}

/** Esc leaves the search of the log and clears it. @param {HTMLElement} cmd  gets the focus back */
export function listenToFind(cmd) {
  const find = /** @type {HTMLInputElement} */ (byId("find"));
  find.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    find.value = "";
    byId("found").hidden = true;
    cmd.focus();
  });
}
