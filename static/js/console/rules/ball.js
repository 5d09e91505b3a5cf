/**
 * Where the ball is within a play: from the snap through every movement. Pure; the server follows
 * it by the same rules (app/record/rules/football/ball.py).
 *
 * @typedef {"none"|"going"|"touchdown"|"field_goal"|"safety"|"try_over"} Outcome
 * @typedef {{team: string, yard: number, player: string|null, turned: boolean, outcome: Outcome,
 *   scorer: string|null,
 *            kick: string|null, unsure: boolean, impetus: string|null, is_loose: boolean,
 *            is_blocked: boolean,
 *            is_dead: boolean, landed: string|null}} Ball  who has it and where, from that club's
 *            own goal line; `turned`: the other side has had it since the snap; `unsure`: what was
 *            noted does not say where it lies; `impetus`: the club that sent it there
 */
import { isLate } from "./rulebook.js";
import { isSet, situationOf } from "./suggestion.js";

// distance behind the snap from which a field goal is kicked if its length is unknown
const HOLDER_YARDS = 7;
const GOAL_POSTS = 10; // behind the goal line: the length of a field goal counts them
export const PLACE_KICKS = ["kickoff", "onside", "free_kick"];

/** @typedef {import("./rulebook.js").Rulebook} Rulebook */
/**
 * @typedef {{home: string, away: string, book: Rulebook, score?: Record<string, number>}} Game
 *   the two clubs and the rules they play by; `score`: by club, where the events given are not all
 *   of the game
 */

/**
 * Follows the ball through a play.
 * @param {EventBody} snap @param {EventBody[]} action @param {Game} game
 * @returns {Ball}
 */
export function ballAfter(snap, action, game) {
  /** @type {Ball} */
  const start = {
    team: snap.possession,
    yard: snap.spot,
    player: null,
    turned: false,
    outcome: "none",
    scorer: null,
    kick: null,
    unsure: false,
    impetus: null,
    is_loose: false,
    is_blocked: false,
    is_dead: false,
    landed: null,
  };
  return action.reduce((ball, body) => moved(ball, snap, body, game), start);
}

/** @param {Ball} ball @returns {Ball} */
function moved(ball, snap, body, { home, away, book }) {
  const to = mover(ball, snap);
  const other = (team) => (team === home ? away : home);
  switch (body.type) {
    case "pass":
      return passed(body, to, snap, other);
    case "run":
      return carried(ball, to, body);
    case "sack":
      return { ...to(body.team, body.end_yard, body.player), impetus: body.team };
    case "fumble":
      // Through the far end zone it is a touchback for the club that defends it.
      if (body.out_of_bounds && [body.yard, body.out_yard].includes(100))
        return { ...to(other(body.team), 0, null), impetus: body.team };
      return fumbled(ball, to(body.team, body.yard, body.player), body, book);
    case "recovery":
    case "interception":
      return secured(
        ball,
        to(body.team, body.yard, body.player, Boolean(body.is_touchdown)),
        snap,
        body,
        book,
      );
    case "conversion":
      return { ...ball, outcome: "try_over", scorer: snap.possession, kick: null };
    case "safety":
      return { ...ball, outcome: "safety", scorer: body.team, unsure: false };
    case "kick":
      return kicked(ball, to, body, { snap, receivers: other(body.team), book });
    default:
      return ball;
  }
}

/** How the ball gets to a club, a spot and a player. @param {Ball} ball */
function mover(ball, snap) {
  /** @returns {Ball} */
  return (team, yard, player, touchdown = false) => ({
    ...ball,
    team,
    yard: yard ?? yardFor(ball, team),
    player: player ?? null,
    turned: ball.turned || team !== snap.possession,
    outcome: touchdown ? "touchdown" : "going",
    scorer: touchdown ? team : null,
    is_loose: false,
  });
}

/** @returns {Ball} */
const passed = (pass, to, snap, other) =>
  pass.result === "incomplete" || pass.result === "spike"
    ? to(pass.team, snap.spot, pass.passer)
    : { ...thrown(pass, to, other), impetus: pass.team };

/** @param {Ball} ball @returns {Ball} */
function carried(ball, to, run) {
  const touchdown = Boolean(run.is_touchdown);
  if (ball.is_dead && !touchdown) return ball;
  // How deep in the end zone it was caught is an estimate, and so is the end of the return.
  const isGuess = ball.unsure || (run.kind === "return" && run.start_yard <= 0);
  // Where it was recovered may be a guess, where it was brought to is not.
  const isBrought = run.kind === "after_recovery" && run.start_yard !== run.end_yard;
  const unsure = isGuess && !isBrought;
  return {
    ...to(run.team, run.end_yard, run.player, touchdown),
    unsure,
    impetus: impetusOfRun(ball, run),
  };
}

/** @returns {Ball} */
function kicked(ball, to, body, { snap, receivers, book }) {
  const scored = scoredBy(body, snap);
  if (scored) return { ...ball, ...scored };
  const [team, yard] = spotAfter(snap, body, receivers, book);
  // A loose ball is where somebody recovers it, not where the kick came down.
  const unsure = ["blocked", "recovered"].includes(body.result) || isLengthNeeded(body);
  return {
    ...to(team, yard, null),
    kick: body.kind,
    unsure,
    impetus: body.team,
    is_blocked: body.result === "blocked",
    landed: landedIn(snap, body, book),
    is_dead: Boolean(book.kick_dead_in_end_zone) && yard <= 0,
  };
}

/** Where a pass was caught, by either club. */
function thrown(pass, to, other) {
  if (pass.result === "intercepted")
    return to(other(pass.team), 100 - (pass.reception_yard ?? pass.throw_yard), null);
  return to(pass.team, pass.reception_yard, pass.receiver, Boolean(pass.is_touchdown));
}

/**
 * The ball after somebody recovered or intercepted it: `recovered`, and what the rules make of that.
 * @param {Ball} ball
 * @param {Ball} recovered
 * @returns {Ball}
 */
function secured(ball, recovered, snap, body, book) {
  const taken = { ...recovered, unsure: isUnsure(ball, body, recovered, snap) };
  if (ball.is_blocked) return securedBlock(ball, taken, snap, body.team);
  if (taken.outcome === "touchdown" || body.type === "interception") return taken;
  const byTeamMate =
    ball.is_loose && body.team === ball.team && (body.player ?? null) !== ball.player;
  if (byTeamMate && isFumbleHeld(ball, snap, book))
    return { ...taken, yard: Math.min(taken.yard, ball.yard), is_dead: true };
  // The kickers may recover their kick, but not advance it.
  const isOwnKick =
    ball.kick !== null && body.team === snap.possession && ball.impetus === body.team;
  return { ...taken, is_dead: isOwnKick && !ball.is_loose };
}

/**
 * A blocked kick that somebody recovered.
 * @param {Ball} ball @param {Ball} taken @param {string} team
 * @returns {Ball}
 */
function securedBlock(ball, taken, snap, team) {
  const isBeyond =
    team === snap.possession && taken.yard > snap.spot && taken.outcome !== "touchdown";
  // If a kick was stopped behind the line, possession has not changed, so the down counts.
  if (!isBeyond)
    return { ...taken, is_blocked: false, turned: ball.turned && team !== snap.possession };
  // Beyond the line it is a kick like any other, which the kickers do not keep, unless the other
  // club had touched it there.
  return {
    ...taken,
    team: ball.team,
    yard: 100 - taken.yard,
    player: null,
    turned: true,
    unsure: true,
    is_dead: true,
  };
}

/**
 * Whether a team-mate's recovery of this fumble brings the ball no further than where it was lost
 * (NFL 8-7-5, 8-7-6).
 * @param {Ball} ball @param {EventBody} snap @param {Rulebook} book
 */
export function isFumbleHeld(ball, snap, book) {
  const onFourth =
    book.fourth_down_fumbles &&
    situationOf(snap) === "scrimmage" &&
    snap.down === 4 &&
    !ball.turned;
  return (
    Boolean(onFourth) ||
    (book.late_fumbles > 0 && snap.clock <= book.late_fumbles && isLate(book, snap.period))
  );
}

/**
 * A run that begins behind its goal line and ends there has not sent the ball there; nor has a
 * muff, a return of no yards.
 */
function impetusOfRun(ball, run) {
  const still = run.start_yard === run.end_yard;
  if (run.end_yard <= 0 && (run.start_yard <= 0 || still)) return ball.impetus ?? run.team;
  return run.kind === "return" && still ? (ball.impetus ?? run.team) : run.team;
}

/**
 * A loose ball, or one that is dead out of bounds; without its spot there, where it comes back is a
 * guess.
 * @param {Ball} ball @param {Ball} lost @param {EventBody} body @param {Rulebook} book
 * @returns {Ball}
 */
function fumbled(ball, lost, body, book) {
  const dead = { ...lost, impetus: impetusOfFumble(ball, lost) };
  if (!body.out_of_bounds) return { ...dead, is_loose: true };
  // A muff is noted where it went out.
  if (!isSet(body.out_yard)) return { ...dead, unsure: ball.unsure || !isMuff(ball, lost) };
  return { ...dead, yard: returnedFumble(lost.yard, body.out_yard, book) };
}

/**
 * Where a fumble that went out of bounds between the goal lines comes back: behind the fumble where
 * it went out, ahead of it at the spot of the fumble (NFL 8-7-3, NCAA 7-2-4-b, NFHS 4-3-1 exception
 * since 2025).
 * @param {Rulebook} book
 */
export const returnedFumble = (lostAt, outAt, book) =>
  outAt > lostAt && book.forward_fumble_out !== "out" ? lostAt : outAt;

/** @param {Ball} ball @param {Ball} lost */
const isMuff = (ball, lost) => ball.kick !== null && ball.impetus !== lost.team;

/** @param {Ball} ball @param {Ball} lost */
function impetusOfFumble(ball, lost) {
  return lost.yard <= 0 || isMuff(ball, lost) ? (ball.impetus ?? lost.team) : lost.team;
}

/**
 * Whether what was noted of a ball that somebody took leaves open where that was.
 * @param {Ball} ball
 * @param {Ball} recovered
 */
function isUnsure(ball, body, recovered, snap) {
  if (!isSet(body.yard)) return true;
  if (body.type === "interception") return ball.unsure;
  // A loose ball is seldom where it was lost, so that spot was probably just copied.
  return (ball.unsure && ball.kick === null) || recovered.yard === looseAt(ball, body.team, snap);
}

/** Where the ball came loose, which is proposed for its recovery: of a block, the line. */
function looseAt(ball, team, snap) {
  if (!ball.is_blocked) return yardFor(ball, team);
  return team === snap.possession ? snap.spot : 100 - snap.spot;
}

/** A kick that ends the play at the posts. @returns {Partial<Ball>|null} */
function scoredBy(kick, snap) {
  if (kick.kind === "extra_point")
    return { outcome: "try_over", scorer: snap.possession, kick: null };
  return kick.kind === "field_goal" && kick.result === "good"
    ? { outcome: "field_goal", scorer: kick.team, kick: "field_goal" }
    : null;
}

const yardFor = (ball, team) => (team === ball.team ? ball.yard : 100 - ball.yard);

function isLengthNeeded(kick) {
  const lands =
    ["returned", "fair_catch", "downed", "recovered"].includes(kick.result) ||
    (kick.result === "out_of_bounds" && !PLACE_KICKS.includes(kick.kind));
  return lands && !isSet(kick.distance);
}

/**
 * Who has the ball and where after the kick itself, before any return; behind their goal line:
 * below 0.
 * @param {Rulebook} book @returns {[string, number]}
 */
function spotAfter(snap, kick, receivers, book) {
  const start = kick.start_yard ?? snap.spot;
  if (kick.result === "aborted") return [kick.team, start];
  if (kick.kind === "field_goal") return [receivers, missed(start, kick, book)];
  const down = Math.min(99, Math.max(-10, 100 - start - (kick.distance ?? 0)));
  if (!PLACE_KICKS.includes(kick.kind))
    return [
      receivers,
      kick.result === "touchback" ? touchbackOf(kick.kind, kick.landed, book) : down,
    ];
  return [receivers, ofPlaceKick(kick, start, down, book)];
}

/** Where the receivers have a kickoff or safety kick that came down at `down`. */
function ofPlaceKick(kick, start, down, book) {
  if (isPlaced(kick, down, book)) {
    const beyond =
      (kick.kind === "free_kick" && book.free_kick_out_of_bounds) || book.kickoff_out_of_bounds;
    return Math.max(1, 100 - start - beyond);
  }
  if (kick.result === "touchback") return touchbackOf(kick.kind, kick.landed, book);
  const isFairCatch = kick.result === "fair_catch" && isSet(kick.distance);
  return isFairCatch && down <= (book.kickoff_fair_catch ?? 0) ? book.kickoff_touchback : down;
}

/**
 * Whether a kickoff or safety kick goes to the receivers at a fixed spot: out of bounds, or short
 * of the landing zone.
 * @param {Rulebook} book
 */
function isPlaced(kick, down, book) {
  if (kick.result === "out_of_bounds" || !book.landing_zone) return kick.result === "out_of_bounds";
  const isShort =
    ["downed", "fair_catch"].includes(kick.result) &&
    isSet(kick.distance) &&
    down > book.landing_zone;
  return kick.landed === "short" || (isShort && kick.kind !== "onside");
}

/**
 * Where a kickoff came down first; one that was fielded or muffed in the landing zone came down
 * there.
 * @param {Rulebook} book
 */
function landedIn(snap, kick, book) {
  if (kick.landed || !PLACE_KICKS.includes(kick.kind) || !isSet(kick.distance))
    return kick.landed ?? null;
  const down = 100 - (kick.start_yard ?? snap.spot) - kick.distance;
  return down > 0 && down <= book.landing_zone ? "landing_zone" : null;
}

/**
 * Where the ball is next put in play after a touchback of that kick; null: of a fumble or an
 * interception.
 * @param {Rulebook} book
 */
export function touchbackOf(kick, landed, book) {
  if (!PLACE_KICKS.includes(kick)) return book.touchback;
  return book.landing_zone && landed === "landing_zone"
    ? book.kickoff_landing_touchback
    : book.kickoff_touchback;
}

/**
 * Where the other club takes over a field goal that was missed or blocked.
 * @param {Rulebook} book
 */
function missed(start, kick, book) {
  if (book.missed_field_goal === "touchback" && kick.result === "missed") return book.touchback;
  const behind = isSet(kick.distance) ? kick.distance - GOAL_POSTS : 100 - start + HOLDER_YARDS;
  const spot = book.missed_field_goal === "kick" ? behind : 100 - start;
  return Math.min(99, Math.max(kick.result === "missed" ? book.touchback : 1, spot));
}
