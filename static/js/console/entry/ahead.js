/**
 * Type-ahead: keeps what is typed while a number is looked up. When the answer arrives, the keys
 * are replayed in order at the question that is open then. Esc cancels the look-up and those keys.
 */

/**
 * @typedef {{typed: () => void, enter: (all: boolean) => void, back: () => void, move: (step:
 *   number) => void, choose: (index: number) => void}} Handlers
 */
/**
 * @typedef {{value: string, selectionStart: number|null, selectionEnd: number|null, setRangeText:
 *   Function}} Line
 */

export class TypeAhead {
  /**
   * @type {(string|{all: boolean})[]|null} characters and Enters, in order; null: nothing is looked
   *   up
   */
  #strokes = null;
  #asked = "";

  /**
   * @param {Line} cmd  the command line
   * @param {Handlers} on  what keys do while nothing is looked up
   */
  constructor(cmd, on) {
    this.cmd = cmd;
    this.on = on;
  }

  /** The same handlers, which wait while something is looked up. @returns {Handlers} */
  get handlers() {
    return {
      typed: () => (this.#strokes ? this.#keep() : this.on.typed()),
      enter: (all) => (this.#strokes ? void this.#strokes.push({ all }) : this.on.enter(all)),
      back: () => this.#giveUp(),
      move: (step) => (this.#strokes ? undefined : this.on.move(step)),
      choose: (index) => (this.#strokes ? undefined : this.on.choose(index)),
    };
  }

  /**
   * Holds back what is typed until `work` is done, then types it. Nothing is typed at a question
   * that had no answer.
   * @param {() => Promise<boolean>} work  whether there is an answer
   * @returns {Promise<string>}  what was not typed, in words; "" for nothing
   */
  async during(work) {
    /** @type {(string|{all: boolean})[]} */
    const strokes = [];
    this.#strokes = strokes;
    this.#asked = this.cmd.value;
    let isDone = false;
    try {
      isDone = await work();
    } finally {
      if (this.#strokes === strokes) this.#strokes = null;
      else strokes.length = 0;
    }
    if (!isDone)
      return strokes
        .map((stroke) => (typeof stroke === "string" ? stroke : " Enter "))
        .join("")
        .trim();
    for (const stroke of strokes) this.#press(stroke);
    return "";
  }

  /** Removes from the line the text that was typed after the looked-up number. */
  #keep() {
    const { value } = this.cmd;
    const behind = value.startsWith(this.#asked);
    if (behind) this.#strokes.push(...value.slice(this.#asked.length));
    else if (this.#asked.startsWith(value)) this.#rubOut();
    else this.#strokes.push(...value);
    this.cmd.value = this.#asked;
  }

  #rubOut() {
    if (typeof this.#strokes.at(-1) === "string") this.#strokes.pop();
  }

  #giveUp() {
    this.#strokes = null;
    this.on.back();
  }

  /** A stroke may start another look-up. Then the remaining strokes wait for that one. */
  #press(stroke) {
    if (typeof stroke !== "string") return this.handlers.enter(stroke.all);
    this.cmd.setRangeText(stroke, this.cmd.selectionStart ?? 0, this.cmd.selectionEnd ?? 0, "end");
    return this.handlers.typed();
  }
}
