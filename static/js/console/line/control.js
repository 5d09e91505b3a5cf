/**
 * When the command line is a one-line entry, and what was typed there last. Pure state without DOM or
 * network; main.js asks it at each key.
 */
import { CODES } from "./codes.js";
import { readLine } from "./line.js";

/** Turns the way of entry around for one entry. */
export const SWITCH = ".";
const BEGINS = /^[\d:=,]/;

export class LineControl {
  /** The way of entry is turned around for the next entry. */
  turned = false;
  /** @type {string[]} lines that were typed, the last one last */
  #typed = [];
  #back = 0;

  /** @param {import("../settings.js").Settings} settings @param {Record<string, Action>} actions */
  constructor(settings, actions) {
    this.settings = settings;
    this.actions = actions;
  }

  /** Whether entries are lines now. */
  get isOn() {
    return this.settings.oneLine !== this.turned;
  }

  /** Whether this text, with no entry in hand, is a line. Other keys act at once. @param {string} text */
  takes(text) {
    if (!this.isOn || !text.trim()) return false;
    return this.turned || BEGINS.test(text.trim()) || text.trim()[0] in CODES;
  }

  /** @param {string} text @param {Situation} s */
  read(text, s) {
    return readLine(text, this.actions, s, this.settings.macros);
  }

  /** Ends a line: it was recorded, cleared, or goes on as a guided entry. @param {string} text */
  end(text) {
    this.turned = false;
    this.#back = 0;
    if (text.trim() && this.#typed.at(-1) !== text) this.#typed.push(text);
  }

  /** The line before the one that was brought back last. @returns {string} "" for none */
  previous() {
    if (this.#back < this.#typed.length) this.#back += 1;
    return this.#typed.at(-this.#back) ?? "";
  }
}
