/**
 * What stands in front of the letters: the snap that opens the play, as far as it differs. The words
 * are those of the snap key; two digits alone are the seconds to which the clock has run. Pure.
 */
import { likelySnap } from "../actions/shared/opening.js";
import { parseSnap } from "../entry/snaptext.js";
import { LineFault } from "./reader.js";

/** @typedef {import("./reader.js").Token} Token */

const JOINED_CLOCK = /^(?:\d{1,2}:\d{2}|:\d{2}|\d{2,4})(?=[a-z])/;
const SNAP_WORDS = [
  /^\d{2,4}$/,
  /^\d{0,2}:\d{2}$/,
  /^[1-4][&-](?:\d{1,2}|g)$/,
  /^q\d$/,
  /^(?:kickoff|fk|try|two|scr)$/,
  /^[od]\d{1,2}$/,
];

/**
 * @param {string} text @param {{home: string, away: string}} clubs
 * @returns {{words: Token[], at: number}}  `at`: where the letters begin
 */
export function snapWordsOf(text, clubs) {
  /** @type {Token[]} */
  const words = [];
  let at = 0;
  for (;;) {
    while (text[at] === " ") at += 1;
    const clock = JOINED_CLOCK.exec(text.slice(at));
    const word = clock?.[0] ?? /^\S*/.exec(text.slice(at))[0];
    if (!clock && !isSnapWord(word, clubs)) return { words, at };
    words.push({ text: word, at });
    at += word.length;
  }
}

function isSnapWord(word, { home, away }) {
  const low = word.toLowerCase();
  const ofClub = new RegExp(`^(?:${home}|${away})(?:\\d{1,2})?$`, "i");
  return SNAP_WORDS.some((pattern) => pattern.test(low)) || ofClub.test(word);
}

/**
 * What a snap that is being typed goes on with: the key of a movement straight behind a digit, as in
 * `31r`. The movement then opens the play with that snap.
 * @param {string} text @param {Record<string, Action>} actions @param {Situation} s
 * @returns {{key: string, action: Action, snap: EventBody}|null}
 */
export function movementAfter(text, actions, s) {
  const [, words, key] = /^(.*\d)([a-z])$/.exec(text) ?? [];
  const action = actions[key];
  if (!action?.opened || (s.live && s.snap)) return null;
  const likely = likelySnap(action, s);
  const parsed = parseSnap(words, likely, s.clubs, s.rules);
  return "error" in parsed ? null : { key, action, snap: { type: "snap", ...parsed.snap } };
}

/**
 * The snap that these words make of the likely one.
 * @param {Token[]} words @param {EventBody} likely @param {Situation} s
 * @returns {EventBody}
 */
export function snapOf(words, likely, s) {
  for (let count = 1; count <= words.length; count += 1) {
    const text = words
      .slice(0, count)
      .map((word) => word.text)
      .join(" ");
    const parsed = parseSnap(text, likely, s.clubs, s.rules);
    if ("error" in parsed) throw new LineFault(words[count - 1].at, parsed.error);
    if (count === words.length) return { type: "snap", ...parsed.snap };
  }
  return likely;
}
