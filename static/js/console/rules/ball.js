/**
 * Where the ball is within a play: from the snap through every movement. Pure; the server follows it by the same rules
 * (app/record/rules/football/ball.py).
 *
 * @typedef {"none"|"going"|"touchdown"|"field_goal"|"safety"|"try_over"} Outcome
 * @typedef {{team: string, yard: number, player: string|null, turned: boolean, outcome: Outcome, scorer: string|null,
 *            kick: string|null, unsure: boolean}} Ball  who has it and where, from that club's own goal line; `turned`:
 *           the other side has had it since the snap; `unsure`: what was noted does not say where it lies
 */
import { given } from "./suggestion.js";

const HOLDER_YARDS = 7; // a field goal is kicked so far behind its snap, where its length is not known
const GOAL_POSTS = 10; // behind the goal line: the length of a field goal counts them
export const PLACE_KICKS = ["kickoff", "onside", "free_kick"];

/** @typedef {import("./rulebook.js").Rulebook} Rulebook */
/**
 * @typedef {{home: string, away: string, book: Rulebook, score?: Record<string, number>}} Game  the two clubs and the
 *           rules they play by; `score`: by club, where the events given are not all of the game
 */

/**
 * Follows the ball through a play.
 * @param {EventBody} snap @param {EventBody[]} action @param {Game} game
 * @returns {Ball}
 */
export function ballAfter(snap, action, game) {
  /** @type {Ball} */
  const start = { team: snap.possession, yard: snap.spot, player: null, turned: false, outcome: "none", scorer: null, kick: null, unsure: false };
  return action.reduce((ball, body) => moved(ball, snap, body, game), start);
}

/** @param {Ball} ball @returns {Ball} */
function moved(ball, snap, body, { home, away, book }) {
  /** @returns {Ball} */
  const to = (team, yard, player, touchdown = false) => ({
    ...ball,
    team,
    yard: yard ?? seen(ball, team),
    player: player ?? null,
    turned: ball.turned || team !== snap.possession,
    outcome: touchdown ? "touchdown" : "going",
    scorer: touchdown ? team : null,
  });
  const other = (team) => (team === home ? away : home);
  const touchdown = Boolean(body.is_touchdown);
  switch (body.type) {
    case "pass":
      if (body.result === "intercepted") return to(other(body.team), 100 - (body.reception_yard ?? body.throw_yard), null);
      return body.result === "complete" ? to(body.team, body.reception_yard, body.receiver, touchdown) : to(body.team, snap.spot, body.passer);
    case "run":
      // How deep in the end zone it was caught is an estimate, and with it where the way back ended.
      return { ...to(body.team, body.end_yard, body.player, touchdown), unsure: ball.unsure || (body.kind === "return" && body.start_yard <= 0) };
    case "sack":
      return to(body.team, body.end_yard, body.player);
    case "fumble":
      // Through the far end zone: a touchback for the club that defends it.
      if (body.out_of_bounds && body.yard === 100) return to(other(body.team), 0, null);
      // Whether it went out ahead of the fumble or behind it decides where it comes back.
      return { ...to(body.team, body.yard, body.player), unsure: ball.unsure || Boolean(body.out_of_bounds) };
    case "recovery":
    case "interception": {
      const found = to(body.team, body.yard, body.player, touchdown);
      return { ...found, unsure: isUnsure(ball, body, found) };
    }
    case "conversion":
      return { ...ball, outcome: "try_over", scorer: snap.possession, kick: null };
    case "safety":
      return { ...ball, outcome: "safety", scorer: body.team };
    case "kick": {
      const scored = scoredBy(body, snap);
      if (scored) return { ...ball, ...scored };
      const [team, yard] = landed(snap, body, other(body.team), book);
      // A loose ball lies where somebody recovers it, not where the kick came down.
      return { ...to(team, yard, null), kick: body.kind, unsure: ["blocked", "recovered"].includes(body.result) || isLengthNeeded(body) };
    }
    default:
      return ball;
  }
}

/** Whether what was noted of a ball that somebody took leaves open where that was. @param {Ball} ball @param {Ball} found */
function isUnsure(ball, body, found) {
  if (!given(body.yard)) return true;
  if (body.type === "interception") return ball.unsure;
  // A loose ball seldom lies where it was lost: that spot was likely just taken over.
  return (ball.unsure && ball.kick === null) || found.yard === seen(ball, body.team);
}

/** A kick that ends the play at the posts. @returns {Partial<Ball>|null} */
function scoredBy(kick, snap) {
  if (kick.kind === "extra_point") return { outcome: "try_over", scorer: snap.possession, kick: null };
  return kick.kind === "field_goal" && kick.result === "good" ? { outcome: "field_goal", scorer: kick.team, kick: "field_goal" } : null;
}

const seen = (ball, team) => (team === ball.team ? ball.yard : 100 - ball.yard);

function isLengthNeeded(kick) {
  const lands = ["returned", "fair_catch", "downed", "recovered"].includes(kick.result) || (kick.result === "out_of_bounds" && !PLACE_KICKS.includes(kick.kind));
  return lands && !given(kick.distance);
}

/**
 * Who has the ball and where after the kick itself, before any return; behind their goal line: below 0.
 * @param {Rulebook} book @returns {[string, number]}
 */
function landed(snap, kick, receivers, book) {
  const start = kick.start_yard ?? snap.spot;
  const placed = PLACE_KICKS.includes(kick.kind);
  if (kick.kind === "field_goal") return [receivers, missed(start, kick, book)];
  if (kick.result === "touchback") return [receivers, placed ? book.kickoff_touchback : book.touchback];
  if (kick.result === "out_of_bounds" && placed) return [receivers, Math.max(1, 100 - start - book.kickoff_out_of_bounds)];
  if (kick.result === "aborted") return [kick.team, start];
  return [receivers, Math.min(99, Math.max(-10, 100 - start - (kick.distance ?? 0)))];
}

/** Where the other club takes over a field goal that was missed or blocked. @param {Rulebook} book */
function missed(start, kick, book) {
  const behind = given(kick.distance) ? kick.distance - GOAL_POSTS : 100 - start + HOLDER_YARDS;
  const spot = book.missed_field_goal === "kick" ? behind : 100 - start;
  return Math.min(99, Math.max(kick.result === "missed" ? book.touchback : 1, spot));
}
