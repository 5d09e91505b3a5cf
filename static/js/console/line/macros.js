/**
 * A scorer's own abbreviations: `,` and a name stand for a part of a line. Pure; kept in the browser
 * (settings.js).
 */

/** @typedef {{at: number, length: number, end: number}} Span  an abbreviation in what was typed, and
 *   what it became: from `at` (typed) on, `length` typed characters, up to `end` in the expanded text */

const NAMED = /,([a-z][a-z0-9]*)/g;

/**
 * @param {string} typed @param {Record<string, string>} macros
 * @returns {{text: string, spans: Span[]}}
 */
export function expanded(typed, macros) {
  /** @type {Span[]} */
  const spans = [];
  let text = "";
  let from = 0;
  for (const match of typed.matchAll(NAMED)) {
    const replacement = macros[match[1]];
    if (replacement === undefined) continue;
    text += typed.slice(from, match.index) + replacement;
    from = match.index + match[0].length;
    spans.push({ at: match.index, length: match[0].length, end: text.length });
  }
  return { text: text + typed.slice(from), spans };
}

/**
 * The typed character that a place in the expanded text comes from: that of the abbreviation for
 * all of its text.
 * @param {number} at @param {Span[]} spans @param {string} typed
 */
export function typedAt(at, spans, typed) {
  let shift = 0; // how much longer the text is than what was typed, up to here
  for (const span of spans) {
    if (at < span.at + shift) break;
    if (at < span.end) return span.at;
    shift = span.end - (span.at + span.length);
  }
  return Math.min(typed.length, at - shift);
}

const NAME = /^[a-z][a-z0-9]{0,7}$/;
const MOST = 30;
const LONGEST = 60;

/**
 * Macros from a list with one per line, `name text`.
 * @param {string} list
 * @returns {{macros: Record<string, string>}|{error: string}}
 */
export function parseMacros(list) {
  /** @type {Record<string, string>} */
  const macros = {};
  const rows = list
    .split("\n")
    .map((row) => row.trim())
    .filter(Boolean);
  if (rows.length > MOST) return { error: `At most ${MOST} abbreviations.` };
  for (const row of rows) {
    const [name, ...words] = row.replace(/^,/, "").split(/\s+/);
    const text = words.join(" ");
    if (!NAME.test(name))
      return { error: `‘${name}’ can’t be a name. Use up to 8 lowercase letters and digits.` };
    if (!text || text.length > LONGEST)
      return { error: `${name}: enter its text, up to ${LONGEST} characters.` };
    macros[name] = text;
  }
  return { macros };
}

/** The list again. @param {Record<string, string>} macros */
export const listOf = (macros) =>
  Object.entries(macros)
    .map(([name, text]) => `${name} ${text}`)
    .join("\n");
