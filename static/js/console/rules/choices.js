/**
 * The offended club's choice after a foul: the snap if it accepts, the snap if it declines. Pure;
 * the server's side is app/record/rules/football/choices.py.
 */
import { isReplayed, isSafety, ruleOf, startOf, yardsOf } from "./enforcement.js";
import { asChoice, situationOf } from "./suggestion.js";

/** @typedef {import("./ball.js").Ball} Ball */
/** @typedef {import("./suggestion.js").Suggestion} Suggestion */

/**
 * Accept and decline, of a play with one foul whose action still stands; else nothing is left to
 * choose.
 * @param {EventBody} snap @param {Ball} ball @param {EventBody[]} action @param
 *   {import("./ball.js").Game} game
 * @param {(action: EventBody[]) => Suggestion} following  the next snap, were the play to hold
 *   these events
 * @returns {import("./suggestion.js").Choice[]}
 */
export function choicesOf(snap, ball, action, game, following) {
  const [foul, ...more] = action.filter((body) => body.type === "penalty");
  if (!foul || more.length || foul.status === "offsetting") return [];
  const rule = ruleOf(foul, snap, game.book);
  const isAccepted = (foul.status ?? "accepted") === "accepted";
  if (rule.before_snap || (ball.outcome === "none" && isAccepted)) return [];
  const by = foul.team === game.home ? game.away : game.home;
  const taken = accepted(foul, rule);
  const refused = { ...foul, status: "declined", outcome: "decline" };
  const accept = following(action.map((body) => (body === foul ? taken : body)));
  // Without the foul there would be no safety.
  const ofFoul = ball.outcome === "safety" && isSafety(taken, snap, ball, game.book);
  const stands = action.filter((body) => !(ofFoul && body.type === "safety"));
  const decline = following(stands.map((body) => (body === foul ? refused : body)));
  const wipes = ball.outcome !== "none" && wipedOut(taken, rule, snap, ball);
  return [asChoice(accept, by, "accept", wipes), asChoice(decline, by, "decline")];
}

/** The foul as it is if the club accepts it. @returns {EventBody} */
function accepted(foul, rule) {
  const usual = rule.basis === "previous" ? "nullify" : null;
  const outcome = ["decline", "offsetting"].includes(foul.outcome)
    ? usual
    : (foul.outcome ?? usual);
  return { ...foul, status: "accepted", outcome, yards: yardsOf(foul) || rule.yards };
}

/**
 * Whether what was played counts no more once this foul is accepted: a foul of the defence that is
 * walked off from where the ball was snapped takes the play with it. A lost down and a foul after
 * the play leave it.
 */
function wipedOut(foul, rule, snap, ball) {
  if (isReplayed(foul, ball)) return true;
  if (
    foul.team === snap.possession ||
    rule.basis === "dead" ||
    ["downfield", "change_down"].includes(foul.outcome)
  )
    return false;
  return situationOf(snap) === "scrimmage" && startOf(snap, ball, foul, rule, false) === snap.spot;
}
