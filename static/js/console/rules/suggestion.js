/**
 * A snap to be, and the events that it follows from, as values
 * (app/record/rules/football/suggestion.py).
 *
 * @typedef {{play_number: number, body: EventBody}} Standing  an event that counts, in its last
 *   ruling
 * @typedef {"scrimmage"|"kickoff"|"free_kick"|"try"} SnapKind
 * @typedef {{by: string, act: "accept"|"decline"|"one"|"two"|"try"|"kickoff", possession: string,
 *   spot: number,
 *            situation: SnapKind, down: number|null, distance: number|null, why: string, wipes:
 *            boolean}} Choice  one of the answers that a club may give; `wipes`: what was played
 *            counts no more
 * @typedef {{possession: string, spot: number, period: number, clock: number, situation:
 *   SnapKind, down: number|null,
 *            distance: number|null, why: string, check: boolean, by_toss: boolean, over: boolean,
 *            choices: Choice[]}} Suggestion  yards from `possession`'s own goal line; `check`:
 *            something happened that cannot be computed from the record, or a club may choose;
 *            `over`: the game is over by the rules, and this would come if it were not
 */

/**
 * @param {{possession: string, spot: number, period: number, clock: number} &
 *   Partial<Suggestion>} values
 * @returns {Suggestion}
 */
export const suggestion = (values) => ({
  situation: "scrimmage",
  down: null,
  distance: null,
  why: "",
  check: false,
  by_toss: false,
  over: false,
  choices: [],
  ...values,
});

/** @param {Suggestion} found @param {string} by @param {Choice["act"]} act @returns {Choice} */
export const asChoice = (
  { possession, spot, situation, down, distance, why },
  by,
  act,
  wipes = false,
) => ({ by, act, possession, spot, situation, down, distance, why, wipes });

/** Whether a field of a body says something: the wire leaves out what does not. */
export const isSet = (value) => value !== null && value !== undefined;

/** @param {EventBody} snap @returns {SnapKind} */
export const situationOf = (snap) => snap.situation ?? "scrimmage";

/** The accepted fouls of a play. @param {EventBody[]} action */
export const acceptedOf = (action) =>
  action.filter((body) => body.type === "penalty" && (body.status ?? "accepted") === "accepted");
