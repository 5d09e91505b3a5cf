/**
 * Fouls by their abbreviation (scorer_console/keys/foul_codes.py has the list) or their name. Pure.
 */
import { foulByCode } from "../actions/shared/fouls.js";
import { LineFault } from "./reader.js";

const MOST_SUGGESTED = 4;

/**
 * The rulebook's name of a foul.
 * @param {import("./reader.js").Token} token  its abbreviation, or its name between apostrophes
 * @param {Situation} s @param {boolean} isLast  nothing stands after it, so it may go on
 */
export function foulNamed({ text, at }, s, isLast) {
  if (text.startsWith("'")) return text.slice(1, -1);
  const name = foulByCode(text, s);
  if (name) return name;
  const { begun, near } = suggested(text, s);
  if (isLast && begun.length)
    throw new LineFault(at + text.length, `The foul: ${begun.join(", ")} …`, true);
  throw new LineFault(
    at,
    `‘${text}’ is not a foul here: ${near.join(", ") || "? shows the list"}.`,
  );
}

/** The abbreviations that begin so, and else those with the same letter. */
function suggested(text, s) {
  const inBook = Object.keys(s.foulCodes)
    .map((short) => [short, foulByCode(short, s)])
    .filter(([, name]) => name)
    .map(([short, name]) => `${short} ${name}`);
  const begun = inBook.filter((words) => words.startsWith(text)).slice(0, MOST_SUGGESTED);
  const alike = inBook.filter((words) => words[0] === text[0]).slice(0, MOST_SUGGESTED);
  return { begun, near: begun.length ? begun : alike };
}
