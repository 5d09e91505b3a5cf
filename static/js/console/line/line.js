/**
 * One-line entry: a whole play in one line, read into the answers of the guided entry. Both ways use
 * the same questions, readers and bodies (actions/, entry/fields.js), so they give the same record.
 * Pure.
 *
 * A line is [snap] letters signs [; answers]: `31 2&7 r20+3/54`. After `;` stand answers as the
 * guided entry takes them, for the questions behind the last one that the signs have answered.
 */
import { Entry } from "../entry/entry.js";
import { lean } from "../actions/shared/parts.js";
import { whyImpossible } from "../entry/recording.js";
import { foulOfOtherSide } from "../entry/warnings.js";
import { likelySnap } from "../actions/shared/opening.js";
import { CODES } from "./codes.js";
import { expanded, typedAt } from "./macros.js";
import { snapOf, snapWordsOf } from "./opening.js";
import { LineFault, Reader } from "./reader.js";

/** @typedef {import("./reader.js").Token} Token */
/** @typedef {import("./reader.js").Answer} Answer */
/**
 * @typedef {{entry: Entry|null, fault: LineFault|null, form: string, text: string}} Line  `entry`:
 *   filled as far as the line goes, complete without a fault; `form`: what the code may have;
 *   `text`: with macros expanded
 * @typedef {{action: string, snap: Token[], joins: boolean, answers: Record<string, Answer>, more:
 *   Token[], end: number}} Parsed
 */

const JOINS = /^\s*=/;
const MOST_QUESTIONS = 40;

/**
 * @param {string} typed
 * @param {Record<string, Action>} actions  by the scorer's keys
 * @param {Situation} s
 * @param {Record<string, string>} macros  the scorer's own abbreviations
 * @returns {Line}
 */
export function readLine(typed, actions, s, macros = {}) {
  const { text, spans } = expanded(typed, macros);
  /** @type {Line} */
  const line = { entry: null, fault: null, form: "", text };
  try {
    const parsed = parse(text, s);
    line.form = parsed.form;
    line.entry = entryFor(parsed, actions, s);
    fill(line.entry, parsed, s);
    if (parsed.fault) throw parsed.fault;
  } catch (error) {
    if (!(error instanceof LineFault)) throw error;
    line.fault = new LineFault(typedAt(error.at, spans, typed), error.message, error.isOpen);
  }
  return line;
}

/** @returns {Parsed & {form: string, fault: LineFault|null}} */
function parse(text, s) {
  const joins = JOINS.exec(text)?.[0].length ?? 0;
  const begun = snapWordsOf(text.slice(joins), s.clubs);
  const snap = begun.words.map((word) => ({ ...word, at: word.at + joins }));
  const at = begun.at + joins;
  const end = text.length;
  const parsed = { snap, joins: joins > 0, answers: {}, more: [], end, form: "", fault: null };
  if (at >= end) return { ...parsed, action: "snap" };
  const code = CODES[text[at]];
  if (!code)
    throw new LineFault(
      at,
      `‘${text[at]}’ doesn’t start an entry. Use ${Object.keys(CODES).join(" ")}.`,
    );
  const reader = new Reader(text, at + 1, s.clubs);
  let fault = null;
  try {
    code.read(reader, s);
  } catch (error) {
    if (!(error instanceof LineFault)) throw error;
    fault = error;
  }
  const more = fault ? [] : moreOf(reader);
  return { ...parsed, answers: reader.answers, more, form: code.form, action: code.action, fault };
}

/** The answers after `;`. @param {Reader} reader @returns {Token[]} */
function moreOf(reader) {
  if (reader.isAtEnd) return [];
  if (!reader.take(/;/y, "; and more answers")) throw reader.unexpected();
  const tokens = [];
  let { at } = reader;
  for (const text of reader.text.slice(at).split(";")) {
    tokens.push({ text: text.trim(), at });
    at += text.length + 1;
  }
  return tokens;
}

/** @param {Parsed} parsed @returns {Entry} */
function entryFor(parsed, actions, s) {
  const [key, action] = Object.entries(actions).find(([, { name }]) => name === parsed.action);
  const entry = new Entry(key, action, s);
  if (parsed.action === "snap") return entry;
  if (action.opened && !s.snap) entry.answers.opensWith = likelySnap(action, s);
  if (!action.opened && action.needsBall && !s.ball)
    throw new LineFault(0, "Nothing was snapped yet. The kickoff comes first.");
  if (parsed.joins) entry.answers.joins = true;
  if (parsed.snap.length && action.opened) {
    if (s.live && s.snap)
      throw new LineFault(
        parsed.snap[0].at,
        "The ball is already snapped. Leave out the snap, or undo the recorded one.",
      );
    entry.answers.opensWith = snapOf(parsed.snap, likelySnap(action, s), s);
  }
  return entry;
}

/**
 * Answers the questions of the guided entry: with what the line says, then with what stands after
 * `;`, else with what Enter would take.
 * @param {Entry} entry @param {Parsed & {fault: LineFault|null}} parsed
 */
function fill(entry, parsed, s) {
  const answers = { ...parsed.answers, ...snapAnswer(entry, parsed, s) };
  const more = [...parsed.more];
  for (let count = 0; entry.step && count < MOST_QUESTIONS; count += 1) {
    const { name } = entry.step;
    if (answers[name]) {
      takeAnswer(entry, answers[name]);
      delete answers[name];
    } else if (parsed.fault && !Object.keys(answers).length) throw parsed.fault;
    else if (more.length && !Object.keys(answers).length) takeMore(entry, more.shift());
    else takeLikely(entry, parsed.end);
  }
  if (parsed.fault) throw parsed.fault;
  checkAllTaken(entry, parsed, Object.values(answers), more);
}

/** What the line says must have been asked, and a snap in front must open a play. */
function checkAllTaken(entry, parsed, answers, more) {
  const unasked = answers.sort((a, b) => a.at - b.at)[0] ?? more.find(({ text }) => text);
  if (unasked) throw new LineFault(unasked.at, whyNotAsked(entry, parsed, unasked));
  if (
    parsed.snap.length &&
    entry.action.opened &&
    !entry.action.opened(entry.answers, entry.situation)
  )
    throw new LineFault(parsed.snap[0].at, "This continues the same play. Leave out the snap.");
}

/** Why a part of the line answers no question: because of the situation, the foul, or neither. */
function whyNotAsked(entry, parsed, unasked) {
  const { action, answers, situation } = entry;
  const cannotBe = whyImpossible(entry, situation);
  if (cannotBe) return cannotBe;
  const isSnap = unasked.at === parsed.snap[0]?.at;
  if (action.name !== "penalty" || !isSnap) return "This is not needed here. Leave it out.";
  const atSnap = { ...situation, snap: unasked.value, ball: { ...situation.ball, turned: false } };
  const [wrongSide] = foulOfOtherSide(answers, atSnap);
  return (
    wrongSide ??
    `Put a clock in front only for a flag before the snap. ${answers.foul} is called during a play. Leave the clock out.`
  );
}

/** The words in front are the answer itself where the action asks for a snap. */
function snapAnswer(entry, { snap }, s) {
  if (!snap.length || entry.action.opened) return {};
  const { possession, spot, period, clock, situation, down, distance } = snapOf(
    snap,
    { type: "snap", ...s.suggestion },
    s,
  );
  const value = { possession, spot, period, clock, situation, down, distance };
  return { snap: { texts: [], at: snap[0].at, value } };
}

/** @param {Entry} entry @param {Answer & {value?: any}} answer */
function takeAnswer(entry, { texts, at, value }) {
  if (value !== undefined) return entry.answer(value);
  const { step } = entry;
  for (const text of texts) take(entry, text, at, step);
  if (step.kind === "players") take(entry, "", at, step);
  return undefined;
}

/** @param {Entry} entry @param {Token} token  as the guided entry takes it */
function takeMore(entry, { text, at }) {
  const { step } = entry;
  const texts = step.kind === "players" && text ? text.split(/[\s,]+/) : [text];
  takeAnswer(entry, { texts, at });
}

/** @param {Entry} entry @param {number} end */
function takeLikely(entry, end) {
  const { step } = entry;
  if ("ok" in entry.take("")) return;
  throw new LineFault(end, `Continue with: ${step.label}.`, true);
}

/** @param {Entry} entry @param {string} text @param {number} at @param {Step} step */
function take(entry, text, at, step) {
  const taken = entry.take(textFor(step, text), pickFor(entry, step, text));
  if ("ok" in taken) return;
  const words = "error" in taken ? taken.error : "You can only search in guided entry.";
  throw new LineFault(at, words.replace("Choose with the arrows or type a name", "Type 'name'"));
}

/** A direction by its number is the key of the mark beside the answer. */
const textFor = (step, text) =>
  text.startsWith("@") ? (step.marks?.options[Number(text.slice(1)) - 1]?.key ?? text) : text;

/** Known words by their whole name, though another one contains them too. */
function pickFor(entry, step, text) {
  if (step.kind !== "words" || !text) return null;
  const index = entry
    .offers(text)
    .findIndex(({ label }) => label.toLowerCase() === text.toLowerCase());
  return index < 0 ? null : index;
}

/** The bodies of a complete line. @param {Line} line @returns {EventBody[]} */
export const bodiesOf = (line) => line.entry.bodies.map(lean);
