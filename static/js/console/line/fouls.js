/**
 * Fouls by their abbreviation (scorer_console/keys/foul_codes.py has the list) or their name. Pure.
 */
import { foulNames } from "../actions/shared/fouls.js";
import { LineFault } from "./reader.js";

const MOST_SUGGESTED = 4;

/**
 * The rulebook's name of a foul.
 * @param {import("./reader.js").Token} token  its abbreviation, or its name between apostrophes
 * @param {Situation} s @param {boolean} isLast  nothing stands after it, so it may go on
 */
export function foulNamed({ text, at }, s, isLast) {
  if (text.startsWith("'")) return text.slice(1, -1);
  const known = new Map(foulNames("", s).map((name) => [name.toLowerCase(), name]));
  const names = s.foulCodes[text] ?? [];
  const name = names.find((candidate) => known.has(candidate.toLowerCase()));
  if (name) return known.get(name.toLowerCase());
  if (names.length && !known.size) return names[0];
  const { begun, near } = suggested(text, known, s.foulCodes);
  if (isLast && begun.length)
    throw new LineFault(at + text.length, `The foul: ${begun.join(", ")} …`, true);
  throw new LineFault(at, `‘${text}’ is no foul here: ${near.join(", ") || "? shows the list"}.`);
}

/** The abbreviations that begin so, and else those with the same letter. */
function suggested(text, known, codes) {
  const inBook = Object.entries(codes)
    .map(([short, names]) => [short, names.find((name) => known.has(name.toLowerCase()))])
    .filter(([, name]) => name)
    .map(([short, name]) => `${short} ${name}`);
  const begun = inBook.filter((words) => words.startsWith(text)).slice(0, MOST_SUGGESTED);
  const alike = inBook.filter((words) => words[0] === text[0]).slice(0, MOST_SUGGESTED);
  return { begun, near: begun.length ? begun : alike };
}
