/**
 * One entry on its way to a sentence: the open question, the answers, and the typed texts. Pure
 * state without DOM or network. Going back loses nothing, because drafts wait at their questions.
 */
import { FIELDS } from "./fields.js";

const PAIR = /^(\S+?)([+-]\d{1,3}!?|t)$/;

/** Two spots in one text, where the question after this one is about a second one. @returns {[string, string]|null} */
function pairOf(step, text) {
  const [, first, second] = (step.pair && PAIR.exec(text.trim())) || [];
  return second ? [first, second] : null;
}

export class Entry {
  /**
   * @param {string} key  the action's key
   * @param {object} action
   * @param {object} situation  what the prompts start from
   */
  constructor(key, action, situation) {
    this.key = key;
    this.action = action;
    this.situation = situation;
    this.answers = { ...(action.preset?.(situation) ?? {}) };
    this.preset = Object.keys(this.answers);
    /** @type {Record<string, string>} text typed at a question that was left by going back */
    this.drafts = {};
    /** @type {Record<string, string>} what was typed for the answers given */
    this.typed = {};
    /** @type {string[]} questions answered, in order */
    this.asked = [];
    this.kept = [];
  }

  get steps() {
    return this.action.steps(this.answers, this.situation);
  }

  /** The open question, or null when everything is answered. */
  get step() {
    return this.steps.find((step) => !(step.name in this.answers)) ?? null;
  }

  field(step = this.step) {
    return FIELDS[step.kind];
  }

  /** The situation for the fields: a correction asks as of the play that it corrects. */
  get scene() {
    return this.action.context?.(this.answers, this.situation) ?? this.situation;
  }

  offers(text) {
    const step = this.step;
    return step ? this.field(step).offers(step, text, this.scene, this.kept) : [];
  }

  /**
   * Answers the open question with what was typed or picked.
   * @returns {{ok: true}|{error: string}|{fetch: number, of?: string}}
   */
  take(text, pick = null) {
    const step = this.step;
    const pair = pairOf(step, text);
    if (pair) return this.#takeBoth(step.pair, ...pair);
    const reading = this.field(step).read(step, text, pick, this.scene, this.kept);
    if ("error" in reading || "fetch" in reading) return reading;
    if ("more" in reading) {
      this.kept = reading.more;
      return { ok: true };
    }
    if ("mark" in reading) this.answers[reading.mark] = reading.value;
    else this.#takeValue(step, text, reading);
    return { ok: true };
  }

  /** An answer, with those that its text gives to questions that follow. */
  #takeValue(step, text, { value, also = {} }) {
    if (text.trim() && !this.field(step).instant) this.typed[step.name] = text;
    this.answer(value);
    for (const [name, further] of Object.entries(also))
      if (this.step?.name === name) this.answer(further);
  }

  /** Two spots in one text: the catch, and where the run after it ended. */
  #takeBoth(name, first, second) {
    const taken = this.take(first);
    return "ok" in taken && this.step?.name === name ? this.take(second) : taken;
  }

  /**
   * Takes what is likely at the open question if the text cannot be an answer to it, but begins the
   * answer to the next one: a jersey number at the kind of run, `c8` at the passer.
   * @returns {string|null}  what is left of the text for the question that is open then; null: nothing
   *   was taken
   */
  passOn(text) {
    const { step } = this;
    if (!text || !step?.yields || !step.default || this.#mayAnswer(text)) return null;
    const ahead = this.#copy();
    ahead.take("");
    const left = ahead.#takeKey(text);
    if (ahead.step?.kind !== "player" || !left || !ahead.offers(left).length) return null;
    const { answers, asked, kept, typed, drafts } = ahead;
    Object.assign(this, { answers, asked, kept, typed, drafts });
    return left;
  }

  /**
   * Whether Enter ends a list of players and nothing else is asked: then the sentence is whole, and
   * the same Enter records it.
   */
  isClosedBy(text) {
    if (this.step?.kind !== "players" || !this.kept.length || text.trim() || this.action.corrects)
      return false;
    const closed = this.#copy();
    closed.take("");
    return !closed.step;
  }

  /** Answers a question for which one key is enough. @returns {string} what is left; "" for none */
  #takeKey(text) {
    if (!this.step || !this.field().instant) return text;
    return "error" in this.take(text[0]) ? "" : text.slice(1);
  }

  #mayAnswer(text) {
    const { step } = this;
    if (!this.field().instant) return this.offers(text).length > 0;
    const options = [...step.options, ...(step.marks?.options ?? [])];
    return options.some((option) => option.key === text);
  }

  #copy() {
    const copy = new Entry(this.key, this.action, this.situation);
    copy.answers = { ...this.answers };
    copy.asked = [...this.asked];
    copy.typed = { ...this.typed };
    copy.drafts = { ...this.drafts };
    copy.kept = this.kept;
    return copy;
  }

  answer(value) {
    const step = this.step;
    this.answers[step.name] = value;
    this.asked.push(step.name);
    delete this.drafts[step.name];
    this.kept = [];
    this.#forgetStale();
  }

  /** Removes answers of questions that are no longer asked (such as the receiver after ‘spike’). */
  #forgetStale() {
    const names = new Set(this.steps.map((step) => step.name));
    for (const name of this.asked.filter((asked) => !names.has(asked))) {
      delete this.answers[name];
      this.asked = this.asked.filter((asked) => asked !== name);
    }
  }

  /**
   * Goes one question back and keeps the text typed at this one. Returns false at the first
   * question.
   */
  back(text) {
    const step = this.step;
    if (step && this.kept.length) {
      this.kept = [];
      return true;
    }
    if (step && text.trim()) this.drafts[step.name] = text;
    const last = this.asked.pop();
    if (last === undefined) return false;
    delete this.answers[last];
    if (this.typed[last]) this.drafts[last] = this.typed[last];
    return true;
  }

  /**
   * Takes what was typed or picked at the open question, then the likeliest answer of every
   * question that is left; stops at one that has none.
   * @returns {ReturnType<Entry["take"]>}  what came of the text
   */
  takeAll(text, pick = null) {
    const taken =
      text.trim() || pick !== null ? this.take(text, pick) : { ok: /** @type {const} */ (true) };
    if ("ok" in taken) this.takeRest();
    return taken;
  }

  /**
   * Puts the entry into the previous play instead of opening the next one, or back. Returns false
   * if there is no choice.
   */
  toggleJoin() {
    if (!this.action.canJoin?.(this.answers, this.situation)) return false;
    this.answers.joins = !this.answers.joins;
    return true;
  }

  /** Takes the likeliest answer of every question that is left; stops at one that has none. */
  takeRest() {
    for (let guard = 0; this.step && guard < 30; guard += 1) {
      if (!("ok" in this.take(""))) return;
    }
  }

  /** The answered questions with their answers in words. */
  get trail() {
    const trail = this.steps
      .filter((step) => this.asked.includes(step.name))
      .map((step) => ({
        label: step.label,
        value: this.field(step).show(step, this.answers[step.name], this.scene),
      }));
    const marks = this.steps.map((step) =>
      step.marks?.options.find((option) => option.value === this.answers[step.marks.name]),
    );
    trail.push(...marks.filter(Boolean).map((mark) => ({ label: "Noted", value: mark.label })));
    const open = this.step;
    if (open && this.kept.length)
      trail.push({
        label: open.label,
        value: `${this.field(open).show(open, this.kept, this.scene)} …`,
      });
    return trail;
  }

  get bodies() {
    return this.action.build(this.answers, this.situation);
  }

  /**
   * The bodies if the remaining questions got their likeliest answers; null if that is not known
   * yet.
   */
  preview(text) {
    const guess = this.#copy();
    if (guess.step && text.trim()) guess.take(text);
    guess.takeRest();
    return guess.step ? null : guess.bodies;
  }

  /** Whether leaving would lose an answer or typed text. */
  isBegun(text) {
    return this.asked.length > 0 || Boolean(text.trim()) || Object.keys(this.drafts).length > 0;
  }

  /** The play that a body of this entry belongs to; null: the current one. */
  playNumberOf(body) {
    return this.action.playNumberOf?.(this.answers, body) ?? this.playNumber;
  }

  get playNumber() {
    return this.action.playNumber?.(this.answers) ?? null;
  }
}
