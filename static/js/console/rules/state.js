/**
 * Points and status according to the events; the server's side is app/record/rules/state.py. Pure.
 */

/** @typedef {import("./suggestion.js").Standing} Standing */

/**
 * The points of a club in these events, in order.
 * @param {Standing[]} standing @param {string} club
 */
export function pointsOf(standing, club) {
  const touchdowns = new Map(
    standing.filter(({ body }) => body.is_touchdown).map((event) => [event.play_number, event]),
  ); // the last one flagged
  const scores = standing
    .filter(({ body }) => body.team === club)
    .map((event) => points(event.body, touchdowns.get(event.play_number) === event));
  return scores.reduce((sum, score) => sum + score, 0);
}

const MOVES = ["pass", "run", "recovery", "interception"];

/** @param {EventBody} body @param {boolean} isTouchdown */
function points(body, isTouchdown) {
  if (isTouchdown && MOVES.includes(body.type)) return 6;
  if (body.type === "kick" && body.result === "good")
    return { extra_point: 1, field_goal: 3 }[body.kind] ?? 0;
  if (body.type === "conversion" && body.good) return 2;
  return body.type === "safety" ? (body.points ?? 2) : 0;
}

/**
 * Whether play stands still after one more event; the server's side is is_delayed in
 * app/record/rules/state.py.
 * @param {boolean} delayed @param {EventBody} body
 */
export function delayedAfter(delayed, body) {
  if (body.type === "delay") return body.phase === "start";
  return (
    delayed &&
    !["game_started", "period", "snap", "game_status", "game_ended", "final"].includes(body.type)
  );
}

/**
 * The status of the game after one more event.
 * @param {string} status @param {EventBody} body
 */
export function statusAfter(status, body) {
  if (["final", "cancelled", "forfeited"].includes(status))
    return body.type === "final" ? "final" : status;
  if (body.type === "final") return "final";
  if (body.type === "game_ended") return "ended";
  if (["game_started", "period", "snap"].includes(body.type))
    return status === "ended" ? status : "live";
  if (body.type === "delay" && body.phase === "end")
    return { suspended: "live", postponed: "scheduled" }[status] ?? status;
  return body.type === "game_status" && body.status !== "scheduled" ? body.status : status;
}
