/** Questions that many actions share, and the bodies that follow from them. Pure. */
import { isFumbleHeld } from "../../rules/ball.js";
import { spotWords } from "../../entry/spots.js";

/** The club that snapped the ball; before a snap, the club that has it. */
export const snapClub = (s) => s.snap?.possession ?? s.ball.team;

/** Where the ball was snapped, from that club's goal line. */
export const snapYard = (s) => s.snap?.spot ?? s.ball.yard;

/**
 * The recorded value of a field in a correction; else the likely one.
 * @param {object} s  the situation; `was`: the event that is corrected, of the same type
 */
export const standing = (s, name, likely) => (s.was ? (s.was[name] ?? null) : likely);

/**
 * A recorded spot of the corrected event, seen by `team`, so that it stays at the same place on the
 * field regardless of whom it is credited to; undefined if there is none.
 */
export function standingYard(s, name, team) {
  const yard = s.was?.[name];
  if (yard === undefined || yard === null) return undefined;
  return s.was.team === team ? yard : 100 - yard;
}

/** The recorded end of a corrected movement, with its touchdown; undefined if there is none. */
export function standingEnd(s, name, team) {
  const yard = standingYard(s, name, team);
  return yard === undefined
    ? undefined
    : { yard, touchdown: Boolean(s.was.is_touchdown) && s.was.team === team };
}

/**
 * What stands of the entry that is written anew beside its first event: the bodies of a type.
 * @returns {EventBody[]}
 */
export const standingOf = (s, type, fits = (_body) => true) =>
  (s.stood ?? []).filter((body) => body.type === type && fits(body));

/**
 * Where a run of that kind ended in the entry that is entered anew, with its touchdown; undefined
 * without one.
 */
export function standingRun(s, kind) {
  const run = standingOf(s, "run", (body) => body.kind === kind).at(-1);
  return run && { yard: run.end_yard, touchdown: Boolean(run.is_touchdown) };
}

/** One key for each club, so that no list is needed. */
export function clubStep(name, label, s, likely) {
  const { home, away } = s.clubs;
  return {
    name,
    label,
    kind: "choice",
    default: likely,
    options: [
      { key: "h", value: home, label: `${home} (home)` },
      { key: "a", value: away, label: `${away} (away)` },
    ],
  };
}

/** Tacklers of `club`, and how two or more share the credit. Recorded tacklers are proposed. */
export function tackleSteps(a, club, s) {
  const stood = s.stood ? standingOf(s, "tackle", (body) => body.team === club) : [s.was];
  const credited = stood.filter((body) => body?.type === "tackle");
  const tacklers = credited.map((body) => body.tackler ?? null);
  /** @type {Step[]} */
  const steps = [
    {
      name: "tacklers",
      label: `Tackled by (${club})`,
      kind: "players",
      club,
      none: "nobody: out of bounds or no credit",
      default: tacklers,
    },
  ];
  if ((a.tacklers ?? []).length > 1) {
    steps.push({
      name: "shared",
      label: "How do they share it?",
      kind: "choice",
      default: credited[0]?.kind === "primary" ? "primary" : "assist",
      options: [
        { key: "a", value: "assist", label: "assists all" },
        { key: "p", value: "primary", label: "the first made it, the others helped" },
      ],
    });
  }
  return steps;
}

/** @returns {object[]} tackle bodies: one alone is solo */
export function tackles(a, team, tackled, yard) {
  const named = a.tacklers ?? [];
  return named.map((tackler, index) => ({
    type: "tackle",
    team,
    tackler,
    tackled,
    kind:
      named.length === 1 ? "solo" : a.shared === "primary" && index === 0 ? "primary" : "assist",
    yard,
  }));
}

/**
 * The tackle for loss by the rules of the official statistics: for the player who stopped the ball
 * behind the line of scrimmage alone, or made the tackle with help; for nobody if all assisted.
 * @param {number|undefined} end  where the club of the snap was stopped
 */
export function lossSteps(a, s, end) {
  if (!isForLoss(a, s, end)) return [];
  const likely =
    !s.stood || standingOf(s, "credit", (body) => body.kind === "tackle_for_loss").length > 0;
  return [
    {
      name: "forLoss",
      label: "A tackle for loss?",
      kind: "choice",
      default: likely,
      options: [
        { key: "y", value: true, label: "yes" },
        { key: "n", value: false, label: "no" },
      ],
    },
  ];
}

function isForLoss(a, s, end) {
  const situation = s.snap?.situation ?? "scrimmage";
  if (s.single || end === undefined || situation !== "scrimmage") return false;
  return hasMaker(a) && end < (s.snap?.spot ?? 0);
}

/** Whether one of the tacklers made the tackle. */
function hasMaker(a) {
  const tacklers = a.tacklers ?? [];
  return tacklers.length === 1 || (tacklers.length > 1 && a.shared === "primary");
}

/** @returns {object[]} the credit for it, unless the scorer said no */
export function lossCredit(a, s, team, end) {
  return a.forLoss && isForLoss(a, s, end)
    ? [{ type: "credit", team, player: a.tacklers[0], kind: "tackle_for_loss" }]
    : [];
}

/**
 * The safety of a ball that is dead behind the goal line of the club that had it, marked as the
 * likely answer (NFL 11-5-1).
 * @param {{club: string, from: number, end: number|undefined, by?: string[]}} stopped  whose
 *   ball, where they got or snapped it and where it was dead; `by`: who stopped it, where only one
 *   did
 * @returns {Step[]}
 */
export function safetySteps(a, s, stopped) {
  const { club, from, end } = stopped;
  if (s.single || end === undefined || end > 0 || from <= 0) return [];
  const rivals = s.other(club);
  const [stood] = standingOf(s, "safety");
  const isTaken = club !== s.snap?.possession;
  /** @type {Step[]} */
  const steps = [
    {
      name: "safety",
      label: "A safety?",
      kind: "choice",
      default: !stood && isTaken && from <= MOMENTUM ? "momentum" : "yes",
      options: safetyOptions(s, club, from, isTaken),
    },
  ];
  if (a.safety !== "yes") return steps;
  steps.push({
    name: "safetyBy",
    label: `Safety forced by (${rivals})`,
    kind: "player",
    club: rivals,
    default: stood ? (stood.player ?? null) : onlyOf(stopped.by),
  });
  return steps;
}

const onlyOf = (players = []) => (players.length === 1 ? players[0] : null);

/** @param {boolean} isTaken  the ball was the other club's at the snap */
function safetyOptions(s, club, from, isTaken) {
  const rivals = s.other(club);
  const options = [
    { key: "y", value: "yes", label: `yes: ${pointsOf(s)} for ${rivals}` },
    {
      key: "n",
      value: "short",
      label: `no: dead in the field of play, at ${spotWords(club, 1, rivals)}`,
    },
    { key: "l", value: "loose", label: "no: the ball came loose (continue with f)" },
  ];
  if (isTaken)
    options.push({
      key: "m",
      value: "momentum",
      label: `no: carried in by momentum, ${club} ball at ${spotWords(club, from, rivals)}`,
    });
  return options;
}

// NFL 11-5-1 exception, NCAA 8-5-1-a, NFHS 8-5-2-a: so near the goal line it is likely
const MOMENTUM = 5;
const pointsOf = (s) => (s.snap?.situation === "try" ? "1 point" : "2 points");

/**
 * Where the ball was dead, depending on the answer to the question about the safety.
 * @param {number} end
 * @param {number} from
 */
export function deadAt(a, end, from) {
  if (a.safety === "short") return 1;
  return a.safety === "momentum" ? from : end;
}

/** @param {string} club  that was stopped behind its own goal line @returns {EventBody[]} */
export function safetyBodies(a, s, club) {
  if (a.safety !== "yes") return [];
  return [
    {
      type: "safety",
      team: s.other(club),
      player: a.safetyBy ?? null,
      points: s.snap?.situation === "try" ? 1 : 2,
    },
  ];
}

/**
 * @typedef {{likely: string, team: string, yard: number, fumbler?: string|null, isKick?:
 *   boolean}} Lost  by which club a ball was lost, and where; `fumbler`: who fumbled; `isKick`: a
 *   kick that is not blocked, which the kickers may not advance
 */

/**
 * Who recovers a loose ball, where, and how far they advance it. Recorded values are proposed.
 * @param {Lost} lost
 */
export function recoverySteps(a, s, lost) {
  const [stood] = s.was?.type === "recovery" ? [s.was] : standingOf(s, "recovery");
  const club = clubStep("recoveredBy", "Recovered by which club?", s, stood?.team ?? lost.likely);
  const by = a.recoveredBy;
  if (!by) return [club];
  const isDead = isHeldBack(a, s, lost) || isKickersOwn(a, s, lost);
  const steps = [club, ...recovererSteps(a, s, lost, stood, isDead)];
  if (s.single || !a.recoveredAt || a.recoveredAt.touchdown) return steps;
  if (isDead) return [...steps, ...stoppedSteps(a, s, lost, a.recoveredAt)];
  const start = a.recoveredAt.yard;
  return [
    ...steps,
    {
      name: "advancedTo",
      label: `Brought to (${by})`,
      kind: "spot",
      team: by,
      from: start,
      ...proposedEnd(standingRun(s, "after_recovery"), start, "no further"),
      score: true,
    },
    ...stoppedSteps(a, s, lost, a.advancedTo),
  ];
}

/**
 * Who recovered the ball, and where.
 * @param {Lost} lost @param {EventBody|undefined} stood  the recovery that stands
 * @param {boolean} isDead  it may not be advanced
 * @returns {Step[]}
 */
function recovererSteps(a, s, lost, stood, isDead) {
  const by = a.recoveredBy;
  const lostAt = by === lost.team ? lost.yard : 100 - lost.yard;
  const at = (stood && standingEnd({ was: stood }, "yard", by)) ?? lostAt;
  const hint = isHeldBack(a, s, lost)
    ? `By rule a teammate can’t advance the ball beyond ${spotWords(by, lost.yard, s.other(by))}.`
    : undefined;
  return [
    {
      name: "recoverer",
      label: `Recovered by (${by})`,
      kind: "player",
      club: by,
      default: stood?.team === by ? stood.player : undefined,
    },
    {
      name: "recoveredAt",
      label: `Recovered at (${by})`,
      kind: "spot",
      team: by,
      from: lostAt,
      default: at,
      deep: by !== lost.team,
      score: !isDead,
      hint,
    },
  ];
}

/**
 * Who stopped the club that recovered the ball, and whether that was a safety.
 * @param {Lost} lost
 * @returns {Step[]}
 */
function stoppedSteps(a, s, lost, end) {
  if (!end || end.touchdown) return [];
  const by = a.recoveredBy;
  return [
    ...tackleSteps(a, s.other(by), s),
    ...safetySteps(a, s, {
      club: by,
      from: isSentBack(a, s, lost) ? 1 : 0,
      end: end.yard,
      by: a.tacklers,
    }),
  ];
}

/**
 * The likely end of a movement: the recorded one, else where it began.
 * @returns {Partial<Step>}
 */
export const proposedEnd = (ran, start, defaultLabel) =>
  ran ? { default: ran } : { default: start, defaultLabel };

/**
 * Whether it is a team-mate's recovery on fourth down or late in a half, which does not advance the
 * ball.
 * @param {Lost} lost
 */
function isHeldBack(a, s, lost) {
  if (
    a.recoveredBy !== lost.team ||
    lost.fumbler === undefined ||
    (a.recoverer ?? null) === lost.fumbler
  )
    return false;
  return Boolean(s.rules && s.snap) && isFumbleHeld(s.ball, s.snap, s.rules);
}

/** Whether the kickers recover their own kick, which they may not advance. @param {Lost} lost */
const isKickersOwn = (a, s, lost) => Boolean(lost.isKick) && a.recoveredBy === s.snap?.possession;

/**
 * Whether the club that recovers the ball behind its own goal line sent it there.
 * @param {Lost} lost
 */
function isSentBack(a, s, lost) {
  if (a.recoveredBy !== lost.team || lost.isKick) return false;
  return lost.yard > 0 || !s.ball.turned || s.ball.impetus === lost.team;
}

export function recoveryBodies(a, s) {
  const by = a.recoveredBy;
  const at = a.recoveredAt;
  const end = a.advancedTo ?? at;
  const stop = deadAt(a, end.yard, at.yard);
  const isCarried = end.touchdown ? !at.touchdown : end.yard !== at.yard;
  /** @type {EventBody[]} */
  const bodies = [
    {
      type: "recovery",
      team: by,
      player: a.recoverer,
      yard: isCarried ? at.yard : stop,
      is_touchdown: at.touchdown,
    },
  ];
  if (isCarried)
    bodies.push({
      type: "run",
      team: by,
      player: a.recoverer,
      kind: "after_recovery",
      start_yard: at.yard,
      end_yard: stop,
      is_touchdown: end.touchdown,
    });
  return [
    ...bodies,
    ...tackles(a, s.other(by), a.recoverer, Math.max(0, stop)),
    ...safetyBodies(a, s, by),
  ];
}

/** The body without empty fields, as it is sent. */
export function lean(body) {
  return Object.fromEntries(
    Object.entries(body).filter(
      ([, value]) => value !== null && value !== undefined && value !== "",
    ),
  );
}
