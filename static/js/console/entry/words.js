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
  return withMuffs(bodies)
    .map((body) => sentence(body, named))
    .join(" ");
}

/**
 * The bodies with each muffed kick in one: the record has it as a kick, a return of no yards and a
 * fumble, and it is no possession (NFL rule 3).
 */
function withMuffs(bodies) {
  const isMuff = (index) =>
    bodies[index]?.type === "kick" && isDropped(bodies[index + 1], bodies[index + 2]);
  return bodies.flatMap((body, index) => {
    if (isMuff(index)) return [{ ...body, muff: bodies[index + 2] }];
    return isMuff(index - 1) || isMuff(index - 2) ? [] : [body];
  });
}

const isDropped = (run, fumble) =>
  run?.type === "run" &&
  run.kind === "return" &&
  run.start_yard === run.end_yard &&
  fumble?.type === "fumble" &&
  (fumble.player ?? null) === (run.player ?? null) &&
  !fumble.forced_by_team;

const sentence = (body, s) => capitalised(SENTENCES[body.type](body, s, sentence));

/** Somebody without a name may begin the sentence. @param {string} words */
const capitalised = (words) => words.charAt(0).toUpperCase() + words.slice(1);
