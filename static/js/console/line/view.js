/** What a one-line entry says while it is typed. Pure; screen.js draws it. */
import { whyImpossible } from "../entry/recording.js";
import { sentenceOf } from "../entry/words.js";
import { warningsWith } from "../panel/views.js";

/** @typedef {{text: string, at: number, words: string}} Caret  a mistake, and at which character */

/**
 * @param {import("./line.js").Line} line @param {any} s @param {string} next  the snap that
 *   follows, in words
 * @returns {import("../panel/views.js").View}
 */
export function lineView({ entry, fault, form }, s, next) {
  const bodies = entry && (fault ? null : entry.bodies);
  const isImpossible = Boolean(bodies && whyImpossible(entry, s));
  const isRecordable = !fault && !isImpossible;
  return {
    mode: entry ? `One line · ${entry.action.title}` : "One line",
    tone: toneOf(fault, isImpossible),
    question: questionOf(fault, isImpossible),
    hint: form,
    trail: fault && entry ? entry.trail : [],
    label: isRecordable ? "Enter records" : "So far",
    sentence: bodies ? sentenceOf(bodies, s) : soFar(entry, s),
    sure: isRecordable,
    consequences: [],
    warnings: bodies ? warningsWith(bodies, entry, s) : [],
    opens: "",
    next: isRecordable ? next : "",
  };
}

function toneOf(fault, isImpossible) {
  if (isImpossible) return "fault";
  if (!fault) return "sure";
  return fault.isOpen ? "asking" : "fault";
}

function questionOf(fault, isImpossible) {
  if (isImpossible) return "This can’t be recorded. Change the line, or clear it with Esc";
  if (!fault) return "Enter records this line, Esc clears it";
  return fault.isOpen ? fault.message : "One line: what happened";
}

/** The sentence, were the likely answers taken for all that is missing. */
function soFar(entry, s) {
  const bodies = entry?.step ? entry.preview("") : null;
  return bodies ? `${sentenceOf(bodies, s)} …` : "";
}

/** @param {string} text @param {import("./reader.js").LineFault|null} fault @returns {Caret|null} */
export function caretOf(text, fault) {
  if (!fault || fault.isOpen) return null;
  return { text, at: fault.at, words: `Character ${fault.at + 1}: ${fault.message}` };
}
