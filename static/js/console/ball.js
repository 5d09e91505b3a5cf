/**
 * Where the ball is, kept up to date in the browser while entries are still under way.
 * The server's own view (scorer_console/prompts.py) takes over with every answer.
 */

/**
 * The situation after a body that the server has not answered yet. Pure.
 * @param {object} situation
 * @param {object} body
 * @param {(club: string) => string} other
 */
export function advance(situation, body, other) {
  if (body.type === "snap") {
    const ball = { team: body.possession, yard: body.spot, player: null, turned: false, outcome: "none", kick: null };
    return { ...situation, snap: body, ball, live: true, play_events: [], passed: null, suggestion: { ...situation.suggestion, ...body } };
  }
  const ball = situation.ball && moved(situation.ball, body, other, situation.snap?.spot ?? 0);
  const passed = body.type === "pass" ? body : situation.passed;
  return ball ? { ...situation, ball, passed, live: false } : situation;
}

function moved(ball, body, other, line) {
  const at = (team, yard, player) => ({ ...ball, team, yard: yard ?? (team === ball.team ? ball.yard : 100 - ball.yard), player });
  switch (body.type) {
    case "pass":
      if (body.result === "complete") return at(body.team, body.reception_yard, body.receiver);
      if (body.result === "intercepted") return at(other(body.team), 100 - (body.reception_yard ?? body.throw_yard), null);
      return at(body.team, line, body.passer);
    case "run":
    case "sack":
      return at(body.team, body.end_yard, body.player);
    case "fumble":
    case "recovery":
    case "interception":
      return at(body.team, body.yard, body.player);
    case "kick":
      return ["good", "missed"].includes(body.result) ? ball : at(...kicked(body, other, line), null);
    default:
      return ball;
  }
}

/** Whose ball it is and where after a kick that missed no goal, as scorer_console/prompts.py has it. @returns {[string, number]} */
function kicked(body, other, line) {
  const start = body.start_yard ?? line;
  const placed = ["kickoff", "onside", "free_kick"].includes(body.kind);
  const receivers = other(body.team);
  if (body.kind === "field_goal") return [receivers, 100 - start];
  if (body.result === "touchback") return [receivers, placed ? 25 : 20];
  if (body.result === "out_of_bounds" && placed) return [receivers, Math.max(1, 75 - start)];
  if (body.result === "aborted") return [body.team, start];
  return [receivers, Math.min(99, Math.max(0, 100 - start - (body.distance ?? 0)))];
}
