/**
 * What looks wrong about an entry, in the field's own terms. Warnings, never walls: Enter records it all the same.
 * Pure; the wire schema's own limits are refused by the server.
 */
import { outOfTheGame, rosterWarnings } from "./actions/roster.js";
import { clockWords, ordinal, periodWords, spotWords } from "./spots.js";

const LONGEST_FIELD_GOAL = 70;

/**
 * @param {object[]} bodies
 * @param {object} s  the situation
 * @returns {string[]} a sentence each
 */
export function warningsOf(bodies, s) {
  const named = { ...s, roster: s.roster.with(bodies) };
  return bodies.flatMap((body) => [...strangers(body, body.type === "roster" ? s : named), ...(CHECKS[body.type]?.(body, s) ?? [])]);
}

/** Which club each named footballer must play for: the fields are those that the event's type declares. */
function sidesOf(body, s) {
  const { own = [], opponents = [] } = body.team ? (s.types[body.type] ?? {}) : {};
  const theirs = (field) => body[`${field}_team`] ?? s.other(body.team);
  return [
    ...own.map((field) => [body[field], body.team]),
    ...opponents.flatMap((field) => [body[field] ?? []].flat().map((id) => [id, theirs(field)])),
  ];
}

function strangers(body, s) {
  if (body.type === "roster" && body.name) return [];
  const sides = sidesOf(body, s).filter(([id]) => id);
  const missing = sides.filter(([id, club]) => s.roster.clubOf(id) !== club).map(([id, club]) => `${s.roster.label(id)} is not on ${club}’s roster.`);
  return body.type === "roster" ? missing : [...missing, ...outOfTheGame(sides.map(([id]) => id), s)];
}

const CHECKS = {
  roster: rosterWarnings,
  snap(b, s) {
    const found = [];
    const before = s.snap;
    if (before && b.period === before.period && b.clock > before.clock) {
      found.push(`The clock runs backwards: ${clockWords(b.clock)} after ${clockWords(before.clock)}.`);
    }
    if (before && b.period < before.period) found.push(`${periodWords(b.period)} comes after ${periodWords(before.period)}.`);
    const next = s.suggestion;
    if (!before || next.check || b.situation !== next.situation) return found;
    const same = b.possession === next.possession;
    if (!same) found.push(`By the last play ${next.possession} has the ball.`);
    else if (b.spot !== next.spot) found.push(`The last play ended at ${spotWords(next.possession, next.spot, s.other(next.possession))}.`);
    if (same && b.down && next.down && b.down !== next.down) found.push(`By the last play it is ${ordinal(next.down)} down.`);
    if (b.situation === "scrimmage" && b.down === 1 && b.distance !== Math.min(10, 100 - b.spot)) {
      found.push(`First down is for ${Math.min(10, 100 - b.spot)} yards from there.`);
    }
    return found;
  },
  run(b, s) {
    const found = [];
    if (b.end_yard === 100 && !b.is_touchdown) found.push("The run ends in the end zone without a touchdown.");
    if (b.kind === "rush" && s.ball && !s.single && b.start_yard !== startOf(b.team, s)) {
      found.push(`The ball was at ${spotWords(b.team, startOf(b.team, s), s.other(b.team))}.`);
    }
    return found;
  },
  sack: (b) => (b.end_yard > b.start_yard ? ["A sack that gains yards."] : []),
  kick: (b) => (b.kind === "field_goal" && b.result === "good" && b.distance > LONGEST_FIELD_GOAL ? [`A field goal of ${b.distance} yards would be a record.`] : []),
  penalty(b) {
    const usual = [0, 5, 10, 15];
    const half = Math.floor((b.enforcement_yard ?? -1) / 2); // to the goal line of the club that fouled
    if (b.status !== "accepted" || usual.includes(b.yards) || b.yards === half || /interference|ground/i.test(b.foul ?? "")) return [];
    return [`${b.yards} yards: half the distance, or a slip?`];
  },
  timeout: (b, s) => (b.team && s.timeouts?.left[b.team] === 0 ? [`${b.team} has no timeout left: this one is in excess.`] : []),
  scoreboard: (b, s) => (b.home_score < s.score[s.clubs.home] || b.away_score < s.score[s.clubs.away] ? ["The board shows less than the plays add up to: the game is marked unconfirmed until they agree."] : []),
  final(b, s) {
    const found = [];
    if (b.home_score !== s.score[s.clubs.home] || b.away_score !== s.score[s.clubs.away]) found.push("The plays do not add up to this: the game is marked unconfirmed until they do.");
    if (s.under_review?.length) found.push(`Still under review: play ${s.under_review.join(", ")}. The final score ends the review, and its points count as they stand.`);
    return found;
  },
};

const startOf = (team, s) => (s.ball.team === team ? s.ball.yard : 100 - s.ball.yard);
