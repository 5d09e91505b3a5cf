/**
 * Reads a one-line entry from left to right and remembers what would have fitted where it stopped.
 * Pure. What the letters mean is in codes.js.
 */

/**
 * What does not fit, at which character, and what was expected there. `isOpen`: nothing is wrong so
 * far, the line only goes on.
 */
export class LineFault extends Error {
  /** @param {number} at @param {string} words @param {boolean} isOpen */
  constructor(at, words, isOpen = false) {
    super(words);
    this.at = at;
    this.isOpen = isOpen;
  }
}

/** @typedef {{text: string, at: number}} Token */
/** @typedef {{texts: string[], at: number}} Answer  what is typed at a question of the guided entry */

// 15y are yards: a number before them is 31 15y
const PLAYER = /\d{1,2}(?!\d?y)\??|'[^']+'|-(?!\d)/y;
const CLUB_LETTER = /[ha]/y;

const LABELS = {
  player: "a number (or 'name', or - for nobody)",
  spot: "a spot (+3, -2, o35, d20, t)",
  tackle: "/ and who made the tackle",
};

export class Reader {
  /** @type {Record<string, Answer>} */
  answers = {};
  /** What would have fitted at the place where the reader is. @type {string[]} */
  expected = [];

  /** @param {string} text @param {number} at @param {{home: string, away: string}} clubs */
  constructor(text, at, clubs) {
    this.text = text;
    this.at = at;
    this.clubs = clubs;
    this.spotPattern = new RegExp(
      `(?:[+-]\\d{1,3}|[ode]\\d{1,2}|(?:${clubs.home}|${clubs.away})\\d{1,2})!?|t(?![a-z\\d])|g(?![a-z])|=`,
      "iy",
    );
  }

  /** Takes what matches here. Spaces before it do not count. @returns {Token|null} */
  take(pattern, label) {
    const at = this.#afterSpaces();
    pattern.lastIndex = at;
    const match = pattern.exec(this.text);
    if (!match) {
      if (!this.expected.includes(label)) this.expected.push(label);
      return null;
    }
    this.at = at + match[0].length;
    this.expected = [];
    return { text: match[0], at };
  }

  #afterSpaces() {
    let at = this.at;
    while (this.text[at] === " ") at += 1;
    return at;
  }

  /** @param {string} name  of the question @param {string[]} texts @param {number} at */
  answer(name, texts, at) {
    this.answers[name] = { texts, at };
  }

  /** A player, as in the guided entry. @param {string} name  of the question */
  player(name) {
    const token = this.playerToken();
    if (token) this.answer(name, [token.text], token.at);
    return token;
  }

  /** @returns {Token|null} */
  playerToken() {
    const name = this.take(/'[^']*$/y, LABELS.player);
    if (name)
      throw new LineFault(this.text.length, "Continue with the name, up to a second '.", true);
    const token = this.take(PLAYER, LABELS.player);
    return token && { ...token, text: token.text.replaceAll("'", "") };
  }

  /**
   * A spot: a gain, a yard line with its side, a touchdown, or `=` for the likely one. A yard line
   * without its side stands after a space only, so that a jersey number never runs into it.
   */
  spot(name, label = LABELS.spot) {
    const isApart = this.text[this.at] === " ";
    const token =
      this.take(this.spotPattern, label) ?? (isApart ? this.take(/\d{1,2}!?(?!\d)/y, label) : null);
    if (token) this.answer(name, [token.text === "=" ? "" : token.text], token.at);
    return token;
  }

  /**
   * One letter of a choice.
   * @param {string} name  of the question @param {string} letters @param {string} label
   * @param {boolean} besideSpots  o35 and e5 are spots here, not answers
   * @returns {string}  the letter; "" for none
   */
  choice(name, letters, label, besideSpots = false) {
    const spots = besideSpots ? "(?!(?<=[oe])\\d)" : "";
    const token = this.take(new RegExp(`[${letters}]${spots}`, "y"), label);
    const mark = this.answers[name];
    if (token) this.answer(name, [...(mark?.texts ?? []), token.text], mark?.at ?? token.at);
    else if (mark) mark.texts.push("");
    return token?.text ?? "";
  }

  /** The optional detail beside an answer: `@` and its number. */
  mark(name, most) {
    const token = this.take(new RegExp(`@[1-${most}]`, "y"), "@ and a direction");
    if (token) this.answer(name, [token.text], token.at);
  }

  /** A club by its side, `h` or `a`, or by its own letters. */
  club(name) {
    const token = this.#clubByName() ?? this.take(CLUB_LETTER, "h or a for the club");
    if (token) this.answer(name, [token.text], token.at);
    return token;
  }

  #clubByName() {
    const { home, away } = this.clubs;
    const token = this.take(new RegExp(`(?:${home}|${away})(?![a-z])`, "iy"), "the club");
    if (!token) return null;
    return { ...token, text: token.text.toLowerCase() === home.toLowerCase() ? "h" : "a" };
  }

  /** Who made the tackle: `/54`, `/54,55` assists, `/54+55` the first with help, `ob` nobody. */
  tacklers() {
    if (this.take(/\/?ob(?![a-z])/y, "ob for out of bounds")) return;
    if (!this.take(/\//y, LABELS.tackle)) return;
    this.players("tacklers", "shared");
  }

  /**
   * Several players, with commas between them.
   * @param {string} name  of the question @param {string} [share]  the question how they share it
   */
  players(name, share = "") {
    const first = this.playerToken();
    if (!first) throw this.open("who it was: a number");
    const texts = [first.text];
    let sign = "";
    for (
      let join = this.take(/[,+]/y, ", and the next");
      join;
      join = this.take(/[,+]/y, ", and the next")
    ) {
      sign ||= join.text;
      const next = this.playerToken();
      if (!next) throw this.open("the next number");
      texts.push(next.text);
    }
    this.answer(name, texts, first.at);
    if (share && texts.length > 1) this.answer(share, [sign === "+" ? "p" : "a"], first.at);
  }

  /** A number, `prefix` before it or a unit after it. @param {RegExp} pattern */
  number(name, pattern, label) {
    const token = this.take(pattern, label);
    if (token) this.answer(name, [token.text.replace(/\D/g, "")], token.at);
    return token;
  }

  /** The line ends where it must go on, or something else stands there. */
  open(words) {
    const at = this.#afterSpaces();
    return at >= this.text.length
      ? new LineFault(this.text.length, `Continue with ${words}.`, true)
      : new LineFault(at, `‘${this.text[at]}’ does not fit here: ${words} was expected.`);
  }

  /** @returns {boolean}  nothing is left to read */
  get isAtEnd() {
    return this.#afterSpaces() >= this.text.length;
  }

  /** What stands here although nothing fits. */
  unexpected() {
    const at = this.#afterSpaces();
    const words = this.expected.length
      ? `expected ${this.expected.join(", or ")}.`
      : "nothing more fits here.";
    return new LineFault(at, `‘${this.text[at]}’ does not fit here: ${words}`);
  }
}
