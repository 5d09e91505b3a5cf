/**
 * Compares the two ways of entry: every entry of the guided way is written as a line, and what the
 * line records must be the same. A snap and the entry that it begins are one line.
 */
import { deepStrictEqual } from "node:assert/strict";

import { LineControl, SWITCH } from "../../../static/js/console/line/control.js";
import { bodiesOf, readLine } from "../../../static/js/console/line/line.js";
import { lean } from "../../../static/js/console/actions/shared/parts.js";
import { lineFor, snapText } from "./line_writer.js";

export class BothWays {
  /** A snap that waits for the entry of its play. */
  #snap = null;
  #items = [];
  #differences = [];

  constructor(actions) {
    this.actions = actions;
    this.control = new LineControl({ oneLine: true, macros: [] }, actions);
  }

  /** @param {any} entry @param {{body: object}[]} entries  as recorded @param {string[]} pressed */
  recorded(entry, entries, pressed) {
    const bodies = entries.map(({ body }) => body);
    if (entry.action.name === "snap") {
      this.#flush();
      this.#snap = { entry, bodies, pressed };
      return;
    }
    const opener = this.#snap;
    this.#snap = null;
    if (
      opener &&
      entry.action.opensPlay?.(entry.answers, entry.situation) &&
      !entry.answers.joins
    ) {
      const text = `${snapText(opener.entry)}${lineFor(entry)}`;
      if (this.#isSame(text, opener.entry.situation, [...opener.bodies, ...bodies])) return;
      // two lines, then: the snap by itself
      this.#differences.pop();
    }
    this.#snap = opener;
    this.#flush();
    this.#add(entry, bodies, pressed);
  }

  #add(entry, bodies, pressed) {
    const text = lineFor(entry);
    if (text === null || !this.#isSame(text, entry.situation, bodies)) this.#addKeys(pressed);
  }

  /** By its questions. A key that would begin a line turns the way of entry around first. */
  #addKeys(pressed) {
    const keys = this.control.takes(pressed[0]) ? [SWITCH, ...pressed] : pressed;
    this.#items.push({ keys });
  }

  #flush() {
    if (!this.#snap) return;
    const { entry, bodies, pressed } = this.#snap;
    this.#snap = null;
    const text = snapText(entry).trim();
    // without a word of its own the snap is taken by its key
    if (!text || !this.#isSame(text, entry.situation, bodies)) this.#addKeys(pressed);
  }

  #isSame(text, situation, bodies) {
    const line = readLine(text, this.actions, situation);
    try {
      if (line.fault) throw line.fault;
      deepStrictEqual(bodiesOf(line), bodies.map(lean));
    } catch (error) {
      this.#differences.push(`${text}: ${error.message.split("\n").slice(0, 14).join(" | ")}`);
      return false;
    }
    this.#items.push({ line: text });
    return true;
  }

  /** What was entered since the last play, one line each, or the keys where a line has no form. */
  play() {
    this.#flush();
    const answer = { items: this.#items, differences: this.#differences };
    this.#items = [];
    this.#differences = [];
    return answer;
  }
}
