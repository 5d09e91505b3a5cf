/** What a scorer has set for their console, kept in this browser. */

/** @typedef {"auto"|"light"|"dark"} Light */

const SIZES = [0, 1, 2, 3];

export class Settings {
  oneLine = false;
  /** @type {Light} light for the sun, dark for the night; auto: as the device is set */
  light = "auto";
  /** How much bigger the text is, in steps. */
  size = 0;
  /** @type {Record<string, string>} the scorer's abbreviations in one-line entries */
  macros = {};
  #name;

  /** @param {string} scorer  the member's id */
  constructor(scorer) {
    this.#name = `console-settings:${scorer}`;
    const { oneLine, light, size, macros } = this.#read();
    this.oneLine = oneLine === true;
    this.light = ["light", "dark"].includes(light) ? light : "auto";
    this.size = SIZES.includes(size) ? size : 0;
    this.macros = isTexts(macros) ? macros : {};
  }

  #read() {
    try {
      return JSON.parse(localStorage.getItem(this.#name) ?? "{}") ?? {};
    } catch {
      return {}; // no storage, or something else is kept there
    }
  }

  /** @param {Partial<Settings>} changes */
  set(changes) {
    Object.assign(this, changes);
    const { oneLine, light, size, macros } = this;
    try {
      localStorage.setItem(this.#name, JSON.stringify({ oneLine, light, size, macros }));
    } catch {
      // without storage the settings last as long as the page
    }
  }

  /** @param {number} steps  bigger or smaller */
  resize(steps) {
    this.set({ size: Math.max(SIZES[0], Math.min(SIZES.at(-1), this.size + steps)) });
  }
}

const isTexts = (value) =>
  value !== null &&
  typeof value === "object" &&
  Object.values(value).every((text) => typeof text === "string");
