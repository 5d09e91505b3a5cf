/** The snap that follows an entry, in words, before it is recorded. Pure. */
import { lean } from "../actions/shared/parts.js";
import { withUnsent } from "../situation.js";
import { sentenceOf } from "./words.js";

/**
 * @param {import("./entry.js").Entry} entry  answered
 * @param {{server: Situation, items: import("../situation.js").Unsent[], known: any}} on  as for
 *   situation.js
 */
export function nextSnapWords(entry, { server, items, known }) {
  const bodies = entry.step ? entry.preview("") : entry.bodies;
  const entries = bodies.map((body) => ({
    body: lean(body),
    play_number: entry.playNumberOf(body),
  }));
  const { suggestion, live } = withUnsent(server, [...items, { key: "", entries }], known);
  if (live) return "";
  if (suggestion.over) return suggestion.why;
  return sentenceOf([{ type: "snap", ...suggestion }], known);
}
