/**
 * The effect of a new ruling on the rest of its play: events that can no longer be true are struck
 * out, and later movements start from the new spot. These are proposals that the scorer sees before
 * Enter. Pure.
 */
import { ballAfter } from "../../rules/ball.js";
import { isSet } from "../../rules/suggestion.js";

/** @typedef {{number: number, type: string, body: EventBody}} Listed  an event of the play */

/**
 * The numbers of later events that the new ruling makes impossible.
 * @param {EventBody} ruling @param {{number: number, body: EventBody}} event @param {object} s
 *   as of the event
 * @returns {number[]}
 */
export function untrueAfter(ruling, event, s) {
  if (ruling.type === "snap") return [];
  const { before, later } = around(event, s);
  const along = new Map(carriedAlong(ruling, event, s).map(({ number, body }) => [number, body]));
  const counts = [...before, ruling];
  const struck = [];
  for (const { number, type, body: was } of later) {
    if (s.types[type].part === "aside") continue;
    const body = along.get(number) ?? was;
    const ball = ballAfter(s.snap, counts, { ...s.clubs, book: s.rules });
    if (canFollow(body, counts, ball, s)) counts.push(body);
    else struck.push(number);
  }
  return struck;
}

/**
 * The numbers of earlier events that the new ruling makes impossible: what has started the play, if
 * the ruling starts it now, with all that came of it. A run after the catch that becomes an
 * incomplete pass takes the catch away.
 * @param {EventBody} ruling @param {{number: number, body: EventBody}} event @param {object} s
 *   as of the event
 * @returns {number[]}
 */
export function untrueBefore(ruling, event, s) {
  if (!startsPlay(ruling) || startsPlay(event.body)) return [];
  const here = s.play_events.findIndex((played) => played.number === event.number);
  const first = s.play_events.findIndex((played) => startsPlay(played.body));
  if (first < 0 || first > here) return [];
  return s.play_events
    .slice(first, here)
    .filter(({ type }) => ["action", "credit"].includes(s.types[type].part))
    .map(({ number }) => number);
}

/** Whether only the snap can come before it, or a fumble of the snap. */
const startsPlay = (body) =>
  ["pass", "sack", "kick"].includes(body.type) ||
  (body.type === "conversion" && body.side !== "defence") ||
  (body.type === "run" && ["rush", "scramble", "kneel"].includes(body.kind));

/**
 * The events before and after an event in its play.
 * @returns {{before: EventBody[], later: Listed[]}}
 */
function around(event, s) {
  const here = s.play_events.findIndex((played) => played.number === event.number);
  const before = (here < 0 ? [] : s.play_events.slice(0, here))
    .map((played) => played.body)
    .filter((body) => body.type !== "snap");
  return { before, later: here < 0 ? [] : s.play_events.slice(here + 1) };
}

const MOVES = ["pass", "run", "sack", "fumble", "recovery", "interception", "kick", "conversion"];
const DEAD_KICKS = ["good", "touchback", "fair_catch", "downed", "out_of_bounds"];

/**
 * Whether the ball was dead after this movement, so that there was no tackle and no further
 * movement.
 */
function isDead(body) {
  if (body.is_touchdown) return true;
  if (body.type === "pass") return body.result === "incomplete" || body.result === "spike";
  if (body.type === "kick") return DEAD_KICKS.includes(body.result);
  return body.type === "fumble" && Boolean(body.out_of_bounds);
}

/**
 * Whether an event can have happened after these.
 * @param {EventBody} body @param {EventBody[]} counts  of the play, in order @param
 *   {import("../../rules/ball.js").Ball} ball  after them
 */
function canFollow(body, counts, ball, s) {
  const moves = counts.filter((counted) => MOVES.includes(counted.type));
  const last = moves.at(-1);
  if (!last) return true;
  switch (body.type) {
    case "credit":
      return canCredit(body.kind, moves, ball, s.snap);
    case "safety":
      return counts.some((counted) => counted.type === "penalty") || isBehindGoal(ball, body.team);
    case "tackle":
      return !isDead(last) && body.team !== ball.team;
    case "interception":
      return last.type === "pass" && last.result === "intercepted";
    case "recovery":
      return isLoose(last);
    default:
      return !isDead(last) && body.team === ball.team && canRun(body, moves, ball);
  }
}

/** Whether the ball can lie on the ground after this movement. */
const isLoose = (last) => last.type === "fumble" || (last.type === "kick" && !isDead(last));

/**
 * Whether the ball is behind the goal line of the club that has it, and the other club gets the
 * points.
 */
const isBehindGoal = (ball, scorers) => ball.team !== scorers && ball.yard <= 0;

function canCredit(kind, moves, ball, snap) {
  const passes = moves.filter((move) => move.type === "pass");
  if (kind === "pass_defended") return passes.some((pass) => pass.result !== "complete");
  if (kind === "qb_hit") return passes.length > 0 || moves.some((move) => move.type === "sack");
  return !isDead(moves.at(-1)) && (ball.team !== snap.possession || ball.yard < snap.spot);
}

/** Whether a run of that kind can continue from there; true for other events. */
function canRun(body, moves, ball) {
  if (body.type !== "run") return true;
  // too short: caught elsewhere than where a miss is placed
  const isCaught = moves.at(-1).kind === "field_goal";
  if (!ball.unsure && !isCaught && isSet(body.start_yard) && body.start_yard !== ball.yard)
    return false;
  if (body.kind === "after_catch") return moves.at(-1).type === "pass";
  if (body.kind === "after_recovery") return moves.some((move) => move.type === "recovery");
  return body.kind !== "return" || ball.turned;
}

/** Who had the ball at the end of a movement. */
const holderOf = (body) => (body.type === "pass" ? body.receiver : body.player) ?? null;
const endOf = (body) =>
  body.type === "pass"
    ? body.reception_yard
    : body.type === "run" || body.type === "sack"
      ? body.end_yard
      : body.yard;

/** Where a kick that is not at the goal came down, seen by the receivers. */
function landingOf({ kind, start_yard: start, distance }, s) {
  const isKnown = isSet(distance) && !["field_goal", "extra_point"].includes(kind);
  return isKnown ? 100 - (start ?? s.snap.spot) - distance : undefined;
}

/**
 * The later events of the play with the ball's new holder and spot: the run after a catch that was
 * made elsewhere, the return of a longer kick, the tackle of another runner, also after his run.
 * Only events that continued from the old version are changed.
 * @param {EventBody} ruling @param {{number: number, body: EventBody}} event @param {object} s
 *   as of the event
 * @returns {{number: number, body: EventBody}[]}
 */
export function carriedAlong(ruling, event, s) {
  let [was, now] = [event.body, ruling];
  if (
    now.team !== was.team ||
    ![now, was].every((body) => GOES_ON.includes(body.type) && !isDead(body))
  )
    return [];
  const carried = [];
  for (const { number, body } of around(event, s).later) {
    const next = following(body, was, now, s);
    if (next && JSON.stringify(next) !== JSON.stringify(body)) carried.push({ number, body: next });
    if (!MOVES.includes(body.type)) continue;
    if (!next || isDead(next)) break;
    [was, now] = [body, next]; // later events continue from this one
  }
  return carried;
}

/** The movements after which a play can continue. */
const GOES_ON = ["pass", "run", "sack", "recovery", "interception", "kick"];

/** @returns {EventBody|null} */
const following = (body, was, ruling, s) =>
  was.type === "kick" && ruling.type === "kick"
    ? broughtBack(body, was, ruling, s)
    : wentOn(body, was, ruling);

/**
 * The return from the spot where the kick came down by the ruling. A muff has no yards there
 * either.
 * @returns {EventBody|null}
 */
function broughtBack(body, was, ruling, s) {
  const [before, landed] = [landingOf(was, s), landingOf(ruling, s)];
  if (body.type !== "run" || body.kind !== "return" || !isSet(landed) || body.start_yard !== before)
    return null;
  return {
    ...body,
    start_yard: landed,
    end_yard: body.end_yard === before ? landed : body.end_yard,
  };
}

/**
 * The event as it continues from the ruling; null if it did not continue from the old version.
 * @returns {EventBody|null}
 */
function wentOn(body, was, ruling) {
  const spot = { tackle: "yard", fumble: "yard", run: "start_yard" }[body.type];
  const holder = body.type === "tackle" ? "tackled" : "player";
  if (!spot || (body.team === was.team) === (body.type === "tackle")) return null;
  const next = { ...body };
  if (body[spot] === endOf(was) && isSet(endOf(ruling))) next[spot] = endOf(ruling);
  if (isSet(holderOf(was)) && body[holder] === holderOf(was)) next[holder] = holderOf(ruling);
  return next;
}
