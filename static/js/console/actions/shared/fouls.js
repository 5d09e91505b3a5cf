/**
 * What the rulebook makes of a foul before anybody is asked: when it was, from where it is walked
 * off, how far, and what becomes of the play. Only defaults: the scorer overrules each. Pure; the
 * values are the server's (app/record/rules/football/rulebooks.toml).
 *
 * @typedef {import("../../rules/rulebook.js").Foul} Foul
 * @typedef {"previous"|"foul"|"goal"|"end"|"next"|"try"|"kickoff"} Basis  from where it is walked
 *   off
 */
import { foulOf } from "../../rules/rulebook.js";

const MOVES = ["pass", "run", "sack", "kick", "fumble", "recovery", "interception", "conversion"];

/** The club that had the ball at the snap; on a kick the kickers. */
const offence = (s) => s.snap?.possession ?? s.ball.team;

/** The rulebook's entry for the foul. An unknown name is a foul of five yards. @returns {Foul} */
export function ruleOf(a, s) {
  const byOffence = a.team === (a.snap?.possession ?? offence(s));
  const unknown = {
    name: a.foul ?? "",
    side: byOffence ? "offence" : "defence",
    yards: 5,
    basis: "previous",
    first_down: false,
    loss_of_down: false,
    before_snap: false,
  };
  return (
    (s.rules?.fouls && foulOf(s.rules, a.foul ?? "", byOffence)) ?? /** @type {Foul} */ (unknown)
  );
}

/**
 * The names of fouls in the rulebook, those that this club can commit first.
 * @returns {string[]}
 */
export function foulNames(team, s) {
  const side = team === offence(s) ? "offence" : "defence";
  const rows = Object.values(s.rules?.fouls ?? {}).flat();
  const ofSide = rows.filter((row) => row.side === side || row.side === "either");
  return [...new Set([...ofSide, ...rows].map((row) => row.name))];
}

/**
 * The rulebook's name of a foul by its abbreviation; undefined for one that no foul of it has.
 * Without a rulebook the abbreviation's usual name.
 * @param {string} short
 */
export function foulByCode(short, s) {
  const names = s.foulCodes?.[short.toLowerCase()] ?? [];
  const known = new Map(foulNames("", s).map((name) => [name.toLowerCase(), name]));
  if (!known.size) return names[0];
  return names.map((name) => known.get(name.toLowerCase())).find(Boolean);
}

/** The movements of the ball in the play so far, in order. @returns {EventBody[]} */
export const movements = (s) =>
  (s.play_events ?? []).map((event) => event.body).filter((body) => MOVES.includes(body.type));

/** Whether the flag came during the play, after it, or before the next snap. */
export function likelyTime(a, s) {
  const rule = ruleOf(a, s);
  if (rule.before_snap || isBeforeNext(a, s)) return "before";
  return rule.basis === "dead" ? "after" : "during";
}

/** Whether it is a foul before the snap of that club at the next one, which may be another's. */
function isBeforeNext(a, s) {
  const byOffence = a.team === s.suggestion?.possession;
  return Boolean(s.rules?.fouls && foulOf(s.rules, a.foul ?? "", byOffence)?.before_snap);
}

/** The likely spot of enforcement. @returns {Basis} */
export function likelyBasis(a, s) {
  const rule = ruleOf(a, s);
  const last = movements(s).at(-1);
  if (a.when === "after" || rule.basis === "dead")
    return s.suggestion.situation === "try" ? "kickoff" : "next";
  if (!last || rule.basis === "previous") return "previous";
  if (last.is_touchdown) return ofTouchdown(a.team === last.team, rule, s);
  if (rule.loss_of_down) return last.type === "pass" ? "previous" : "foul";
  return ofMovement(a, rule, last, s);
}

/** Of a live-ball foul, by how the play ended. @returns {Basis} */
function ofMovement(a, rule, last, s) {
  const stopped = last.type === "pass" && last.result !== "complete";
  if (rule.basis === "end") return stopped || isFromLine(rule, s) ? "previous" : "end";
  if (isSpotFoul(rule)) return "foul";
  if (a.team !== offence(s) || turned(s)) return "foul";
  return stopped || s.ball.yard <= s.snap.spot ? "previous" : "foul";
}

/**
 * Live-ball fouls of a touchdown: of the scorers on their way back from its spot, of the others on
 * the kickoff.
 * @returns {Basis}
 */
function ofTouchdown(byScorers, rule, s) {
  if (!byScorers) return "kickoff";
  return turned(s) && !rule.on_passer ? "foul" : "previous";
}

/**
 * Whether a foul at the end of the run goes back to the line: against a passer who lost the ball,
 * or of a play that lost yards.
 */
function isFromLine(rule, s) {
  if (turned(s)) return Boolean(rule.on_passer);
  return s.ball.yard < s.snap?.spot && (Boolean(rule.on_passer) || !s.rules?.losses_count);
}

/** Pass interference by the NFL's rules: the ball goes to the spot of the foul, however far. */
export const isSpotFoul = (rule) =>
  rule.side === "defence" && rule.yards === 0 && rule.basis === "foul";

const turned = (s) => s.snap && s.ball.team !== s.snap.possession;

/** The spot of the basis, seen by the club with the ball at the snap; null if it must be asked. */
export function basisYard(basis, s) {
  const fromOwnGoal = (team, yard) => (team === offence(s) ? yard : 100 - yard);
  if (basis === "previous") return s.snap?.spot ?? s.ball.yard;
  if (basis === "goal") return 0;
  if (basis === "end") return Math.max(0, Math.min(100, fromOwnGoal(s.ball.team, s.ball.yard)));
  if (basis === "next") return fromOwnGoal(s.suggestion.possession, s.suggestion.spot);
  if (basis === "try") return fromOwnGoal(s.suggestion.possession, s.suggestion.spot);
  if (basis === "kickoff") return fromOwnGoal(s.suggestion.possession, s.rules?.kickoff ?? 35);
  return null;
}

/**
 * The usual yards, never more than half the way to the goal line of the club that fouled.
 * @param {number} yard  where it is walked off from, from the goal line of the club with the ball
 *   at the snap
 */
export function usualYards(a, s, yard) {
  const rule = ruleOf(a, s);
  if (isSpotFoul(rule) && a.from === "foul")
    return Math.max(0, Math.min(yard, 99) - (s.snap?.spot ?? 0));
  const toGoal = a.team === (a.snap?.possession ?? offence(s)) ? yard : 100 - yard;
  const stop = rule.stops_at ?? 0;
  if (stop > 0 && stop < toGoal)
    return Math.min(rule.yards, toGoal - stop, thrownTo(s, yard) ?? rule.yards);
  return Math.min(rule.yards, Math.floor(toGoal / 2));
}

/** How far beyond the spot the pass with the interference was thrown; undefined if not recorded. */
function thrownTo(s, yard) {
  const aim = s.passed?.reception_yard ?? 0;
  return aim > yard ? aim - yard : undefined;
}

/** The likely effect on the play and its down. */
export function likelyOutcome(a, s) {
  const rule = ruleOf(a, s);
  if (rule.loss_of_down) return "change_down";
  if (rule.first_down && givesFirstDown(a, rule, s)) return "first_down";
  if (a.when === "before" || a.from === "previous" || a.from === "try") return "nullify";
  return "downfield";
}

/** Whether a foul with a first down gives one: of the defence, from scrimmage. */
function givesFirstDown(a, rule, s) {
  const byOffence = a.team === (a.snap?.possession ?? offence(s));
  const snap = a.when === "before" ? a.snap : s.snap;
  if (byOffence || (snap?.situation ?? "scrimmage") !== "scrimmage") return false;
  // before the ball was lost, which goes back
  const isEarly = a.from === "previous" || isSpotFoul(rule);
  return (isEarly || !turned(s)) && !["try", "kickoff"].includes(a.from);
}

/**
 * Whether the play is void: fouls that are enforced from the previous spot undo it, unless they
 * cost the down.
 */
export function isUndone(a, s) {
  if (a.status === "offsetting") return a.when !== "after";
  if (a.status !== "accepted" || a.when === "after" || a.outcome === "change_down") return false;
  return (
    a.outcome === "nullify" ||
    (a.outcome === "safety" && !ruleOf(a, s).loss_of_down) ||
    a.from === "previous" ||
    (a.from === "foul" && isSpotFoul(ruleOf(a, s)))
  );
}
