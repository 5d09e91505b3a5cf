/**
 * The effect of accepted fouls on the next snap: the spot of enforcement, and the down. Pure; the
 * server's side is app/record/rules/football/enforcement.py. Fouls of tries and touchdowns are in
 * tries.js; accepting or declining is in choices.js.
 */
import { foulOf } from "./rulebook.js";
import { acceptedOf, isSet, situationOf } from "./suggestion.js";

/** @typedef {import("./rulebook.js").Rulebook} Rulebook */
/** @typedef {import("./rulebook.js").Foul} Foul */
/** @typedef {import("./suggestion.js").Suggestion} Suggestion */
/** @typedef {import("./ball.js").Ball} Ball */

/**
 * What a foul of a name that the book does not know is taken for.
 * @param {boolean} byOffence
 * @returns {Foul}
 */
const unknown = (byOffence) => ({
  name: "a foul",
  side: byOffence ? "offence" : "defence",
  yards: 0,
  basis: byOffence ? "foul" : "end",
  first_down: false,
  loss_of_down: false,
  before_snap: false,
});
const MOVES = {
  kickoff: "it moves the kickoff",
  free_kick: "it moves the free kick",
  try: "it moves the try",
};

export const yardsOf = (foul) => foul.yards ?? 0;

/**
 * What the book says of this foul; of a name that it does not know, the least that a foul does.
 * @param {Rulebook} book
 */
export function ruleOf(foul, snap, book) {
  const byOffence = foul.team === snap.possession;
  return foulOf(book, foul.foul ?? "", byOffence) ?? unknown(byOffence);
}

/** Whether the scorer wiped the play out, or nothing was played. @param {Ball} ball */
export const isReplayed = (foul, ball) =>
  foul.outcome === "nullify" || foul.outcome === "repeat_down" || ball.outcome === "none";

/**
 * Whether a foul of the defence came before the ball could be lost, so that the club that snapped
 * it has it again.
 * @param {Rulebook} book
 */
export function isTakenBack(foul, snap, book) {
  if (foul.team === snap.possession) return false;
  const rule = ruleOf(foul, snap, book);
  const isEarly = rule.basis === "previous" || rule.on_passer;
  return foul.outcome === "first_down" || Boolean(isEarly && foul.outcome !== "downfield");
}

/**
 * The next snap with the fouls of the play.
 * @param {Suggestion} next  what it would be without them
 * @param {EventBody} snap @param {Ball} ball @param {EventBody[]} action @param
 *   {import("./ball.js").Game} game
 * @returns {Suggestion}
 */
export function enforced(next, snap, ball, action, game) {
  const { book } = game;
  if (!action.some((body) => body.type === "penalty" && body.status !== "declined")) return next;
  const accepted = acceptedOf(action);
  if (!accepted.length) {
    const offset = ball.outcome === "none" ? again(next, snap, snap.spot) : next;
    return { ...offset, check: true, why: offsetWords(action, offset, snap, game) };
  }
  const conceding = accepted.find((foul) => isSafety(foul, snap, ball, book));
  if (conceding) {
    const why = `${foulWords(accepted)}, from behind its own goal line: a safety.`;
    return {
      ...next,
      possession: conceding.team,
      spot: book.free_kick,
      situation: "free_kick",
      down: null,
      distance: null,
      check: true,
      why,
    };
  }
  const [foul, ...more] = accepted;
  const last = more.reduce(
    (now, later) => added(now, snap, later, ruleOf(later, snap, book)),
    first(next, snap, ball, foul, game),
  );
  return { ...last, check: true, why: `${foulWords(accepted)}: ${so(last, snap)}.` };
}

/** Why fouls that offset lead there, or which club's is missing. @param {EventBody[]} action */
function offsetWords(action, next, snap, { home, away }) {
  const clubs = new Set(
    action
      .filter((body) => body.type === "penalty" && body.status === "offsetting")
      .map((body) => body.team),
  );
  if (clubs.size > 1) return `Fouls of both clubs offset: ${so(next, snap)}.`;
  const missing = clubs.has(home) ? away : home;
  return `Only one club's foul is recorded as offsetting: enter the flag on ${missing}.`;
}

/**
 * Whether a foul of a play gives an untimed down if the half ends with it: NFL 4-8-2, NCAA 3-2-3,
 * NFHS 3-3-3. Fouls that offset do; so does one that is accepted, unless it came with the ball dead
 * or costs the down.
 * @param {EventBody} snap @param {EventBody[]} action @param {Rulebook} book
 */
export const extendsHalf = (snap, action, book) =>
  action.some((body) => body.type === "penalty" && isExtending(body, snap, book));

function isExtending(foul, snap, book) {
  const status = foul.status ?? "accepted";
  if (status !== "accepted") return status === "offsetting";
  const rule = ruleOf(foul, snap, book);
  const isLive = rule.basis !== "dead" && !rule.before_snap && !rule.loss_of_down;
  return isLive && (book.extended_by === "either" || foul.team !== snap.possession);
}

/**
 * Whether an accepted foul is a safety: of the club with the ball, enforced from behind its own
 * goal line (NFL 11-5-1, 8-2-1). A spot that nobody noted is taken for one there when a safety is
 * recorded.
 * @param {EventBody} foul @param {EventBody} snap @param {Ball} ball @param {Rulebook} book
 */
export function isSafety(foul, snap, ball, book) {
  const kicked = ball.kick !== null && ball.outcome !== "touchdown";
  const withBall =
    foul.team === ball.team || (foul.team === snap.possession && (kicked || !ball.turned));
  if (!withBall || !["foul", "end"].includes(ruleOf(foul, snap, book).basis)) return false;
  if (isSet(foul.enforcement_yard)) return foul.enforcement_yard === 0;
  return ball.outcome === "safety" && ball.scorer !== foul.team && foul.outcome !== "decline";
}

/** The fouls as a scorer says them. @param {EventBody[]} fouls */
export function foulWords(fouls) {
  const words = fouls
    .map(
      (foul) =>
        `${foul.foul || "a foul"} against ${foul.team}, ${yardsOf(foul)} yard${yardsOf(foul) === 1 ? "" : "s"}`,
    )
    .join(" and ");
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

function so(next, snap) {
  if (next.situation !== "scrimmage") return MOVES[next.situation];
  if (next.possession !== snap.possession || !isSet(snap.down) || !isSet(snap.distance))
    return `${next.possession} has the ball`;
  const same =
    next.down === snap.down &&
    next.spot + (next.distance ?? 0) === Math.min(100, snap.spot + snap.distance);
  if (same) return "the down is played again";
  return next.down === 1 ? "first down" : "the down counts";
}

/** Walked off after what came before it; a first down by itself stays one. @returns {Suggestion} */
function added(next, snap, foul, rule) {
  const after = walked(next, foul, rule);
  const isGiven =
    rule.first_down && foul.team !== snap.possession && after.possession === snap.possession;
  return isGiven && after.down !== null ? firstAndTen(after) : after;
}

/** Whether the play was snapped from scrimmage, on a down that is known. */
export const countsDowns = (snap) =>
  situationOf(snap) === "scrimmage" && isSet(snap.down) && isSet(snap.distance);

/** @returns {Suggestion} */
function first(next, snap, ball, foul, { home, away, book }) {
  const rule = ruleOf(foul, snap, book);
  const replayed = isReplayed(foul, ball);
  if (!countsDowns(snap)) {
    if (!replayed) return walked(next, foul, rule);
    const start = isSet(foul.enforcement_yard) ? yardFor(foul, snap.possession) : snap.spot;
    return again(next, snap, walk(start, foul, snap.possession, rule));
  }
  const isBallKept = next.situation === "scrimmage" && !ball.turned;
  const takenBack = !isBallKept && isTakenBack(foul, snap, book);
  if (!replayed && !takenBack && (!isBallKept || rule.basis === "dead"))
    return afterwards(next, snap, foul, rule, book);
  const spot = walk(startOf(snap, ball, foul, rule, replayed), foul, snap.possession, rule);
  return onDowns(next, snap, foul, {
    rule,
    spot,
    isUncounted: replayed || takenBack,
    defence: snap.possession === home ? away : home,
  });
}

/** Walked off after the play, whose down counts. @returns {Suggestion} */
function afterwards(next, snap, foul, rule, book) {
  const after = added(next, snap, foul, rule);
  const isLonger =
    foul.team === snap.possession &&
    after.possession === snap.possession &&
    next.down === 1 &&
    book.line_to_gain === "dead";
  const distance = next.spot + (next.distance ?? 0) - after.spot;
  return isLonger && distance > 0 ? { ...after, distance } : after;
}

/**
 * Walked off to `spot`, with the club that snapped the ball in possession.
 * @returns {Suggestion}
 */
function onDowns(next, snap, foul, { rule, spot, isUncounted, defence }) {
  const byOffence = foul.team === snap.possession;
  const snappersBall = {
    ...next,
    possession: snap.possession,
    situation: /** @type {const} */ ("scrimmage"),
    spot,
  };
  const left = snap.spot + snap.distance - spot;
  if (foul.outcome === "first_down" || (!byOffence && rule.first_down) || left <= 0)
    return firstAndTen(snappersBall);
  const counts = foul.outcome === "change_down" || rule.loss_of_down || !(isUncounted || byOffence);
  if (!counts) return { ...again(next, snap, spot), distance: left };
  if (snap.down < 4) return { ...snappersBall, down: snap.down + 1, distance: left };
  return firstAndTen({ ...snappersBall, possession: defence, spot: 100 - spot });
}

/**
 * From where it is walked off, seen from the club that snapped the ball.
 * @param {EventBody} snap @param {Ball} ball @param {EventBody} foul @param {Foul} rule @param
 *   {boolean} replayed
 */
export function startOf(snap, ball, foul, rule, replayed) {
  if (isSet(foul.enforcement_yard)) return yardFor(foul, snap.possession);
  if (replayed || ball.turned) return snap.spot;
  // A loss of yards in the play does not count against the offended club, unless the foul came
  // after it.
  const isSpared =
    foul.team !== snap.possession && (["previous", "foul"].includes(rule.basis) || rule.on_passer);
  return isSpared ? Math.max(ball.yard, snap.spot) : ball.yard;
}

/**
 * The spot of enforcement, noted from the goal line of the club that fouled, from that of `team`.
 */
function yardFor(foul, team) {
  const yard = foul.enforcement_yard ?? 0;
  return foul.team === team ? yard : 100 - yard;
}

/** @param {Suggestion} next @returns {Suggestion} */
const firstAndTen = (next) => ({ ...next, down: 1, distance: Math.min(10, 100 - next.spot) });

/** The same snap once more, at that spot. @param {Suggestion} next @returns {Suggestion} */
export function again(next, snap, spot) {
  const distance = isSet(snap.distance) ? Math.min(snap.spot + snap.distance, 100) - spot : null;
  return {
    ...next,
    possession: snap.possession,
    situation: situationOf(snap),
    spot,
    down: snap.down ?? null,
    distance,
  };
}

/**
 * The suggestion moved against the club that fouled; a touchdown's flag waits for try or kickoff
 * (tries.js).
 * @returns {Suggestion}
 */
export function walked(next, foul, rule) {
  // A dead-ball foul without yards only says where the ball is placed, which the kick has already
  // done.
  if (next.situation === "try" || (rule.basis === "dead" && rule.yards === 0)) return next;
  const isNoted = isSet(foul.enforcement_yard) && next.situation === "scrimmage" && next.down === 1;
  const spot = walk(
    isNoted ? yardFor(foul, next.possession) : next.spot,
    foul,
    next.possession,
    rule,
  );
  if (!isSet(next.down) || !isSet(next.distance)) return { ...next, spot };
  const left = next.spot + next.distance - spot;
  return next.down === 1 || left <= 0
    ? firstAndTen({ ...next, spot })
    : { ...next, spot, distance: left };
}

/**
 * The spot after the walk, seen from `possession`. The usual yards of a foul never cover more than
 * half the way to the goal line of the club that fouled; other yards are what the officials walked
 * off.
 * @param {number} spot @param {EventBody} foul @param {string} possession @param {Foul} rule
 */
export function walk(spot, foul, possession, rule) {
  const back = foul.team === possession;
  const room = back ? spot : 100 - spot;
  const walks = yardsOf(foul);
  const stop = rule.stops_at ?? 0;
  if (walks === rule.yards && stop > 0 && stop < room)
    return spot + Math.min(walks, room - stop) * (back ? -1 : 1);
  const yards =
    walks === rule.yards && walks > Math.floor((room + 1) / 2) ? Math.floor(room / 2) : walks;
  return Math.max(1, Math.min(99, back ? spot - yards : spot + yards));
}
