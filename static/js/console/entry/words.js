/**
 * The sentence of a body, shown before it is sent; it must work without a network.
 * Each action says how its events read (actions/). The log's own sentences come from the server
 * (app/record/words.py).
 */
import { ACTIONS } from "../actions/catalogue.js";

const SENTENCES = Object.assign({}, ...ACTIONS.map((action) => action.sentences));

/**
 * One line for a whole entry.
 * @param {object[]} bodies
 * @param {{roster: import("../roster.js").Roster, other: (club: string) => string}} s
 */
export function sentenceOf(bodies, s) {
  // an entry may name whom it has just brought in
  const named = { ...s, roster: s.roster.with(bodies) };
  return bodies.map((body) => sentence(body, named)).join(" ");
}

const sentence = (body, s) => SENTENCES[body.type](body, s, sentence);
