/** A kick: kickoff, onside, free kick, punt, field goal or extra point, with its return. Pure. */
import { playerWords } from "./shared/naming.js";
import { atSpotWords, spotWords, yardsWords } from "../entry/spots.js";
import { equallyLikely, likelyOf } from "./shared/likely.js";
import {
  deadAt,
  recoveryBodies,
  recoverySteps,
  safetyBodies,
  safetySteps,
  snapClub,
  snapYard,
  standing,
  standingOf,
  standingRun,
  tackleSteps,
  tackles,
} from "./shared/parts.js";

const KINDS = [
  { key: "k", value: "kickoff", label: "kickoff" },
  { key: "p", value: "punt", label: "punt" },
  { key: "f", value: "field_goal", label: "field goal" },
  { key: "x", value: "extra_point", label: "extra point" },
  { key: "o", value: "onside", label: "onside kick" },
  { key: "s", value: "free_kick", label: "free kick after a safety" },
];

const AT_GOAL = [
  { key: "g", value: "good", label: "good" },
  { key: "n", value: "missed", label: "no good" },
  { key: "r", value: "caught", label: "too short, and brought back" },
  { key: "b", value: "blocked", label: "blocked" },
  { key: "a", value: "aborted", label: "aborted" },
];

const DOWNFIELD = [
  { key: "r", value: "returned", label: "returned" },
  { key: "t", value: "touchback", label: "touchback" },
  { key: "s", value: "short", label: "short of the landing zone" },
  { key: "f", value: "fair_catch", label: "fair catch" },
  { key: "d", value: "downed", label: "downed" },
  { key: "o", value: "out_of_bounds", label: "out of bounds" },
  { key: "m", value: "muffed", label: "muffed" },
  { key: "v", value: "recovered", label: "loose, recovered" },
  { key: "b", value: "blocked", label: "blocked" },
  { key: "a", value: "aborted", label: "aborted" },
];

const WAYS_BACK = ["caught", "muffed"]; // several events, so one ruling cannot express them

const LANDED = {
  returned: "Fielded at",
  caught: "Caught at",
  muffed: "Muffed at",
  fair_catch: "Fair catch at",
  downed: "Downed at",
  out_of_bounds: "Out of bounds at",
  recovered: "First touched at",
  short: "Came down at",
};

// the holder is 8 yards behind the line in nearly every official length
const HOLDER_AND_END_ZONE = 18;

const VERBS = {
  kickoff: "kicks off",
  onside: "kicks onside",
  free_kick: "takes the free kick",
  punt: "punts",
  field_goal: "tries a field goal",
  extra_point: "tries the extra point",
};

const LANDING_WORDS = {
  short: "short of the landing zone",
  landing_zone: "touchback from the landing zone",
};

const RESULTS = {
  good: "good",
  missed: "no good",
  blocked: "BLOCKED",
  aborted: "not kicked",
  returned: "returned",
  touchback: "touchback",
  fair_catch: "fair catch",
  out_of_bounds: "out of bounds",
  downed: "downed",
  recovered: "loose ball",
};

const isGoal = (kind) => kind === "field_goal" || kind === "extra_point";

function likelyKind(s) {
  const { situation, spot } = s.snap ?? {};
  if (situation === "kickoff" || situation === "free_kick") return situation;
  if (situation === "try") return "extra_point";
  return spot >= 60 ? "field_goal" : "punt";
}

export const kick = {
  name: "kick",
  title: "Kick",
  needsBall: true,
  isRuling: true,
  opensPlay: () => true,
  choice: /** @type {"one"} */ ("one"),
  steps(a, s) {
    /** @type {Step[]} */
    const steps = [
      {
        name: "kind",
        label: "Kind of kick",
        kind: "choice",
        default: s.was?.kind ?? likelyKind(s),
        options: KINDS,
      },
    ];
    if (!a.kind) return steps;
    const role = a.kind === "punt" ? "punter" : "place_kicker";
    const kicker = likelyOf(role, snapClub(s), s);
    steps.push(
      {
        name: "kicker",
        label: `Kicked by (${snapClub(s)})`,
        kind: "player",
        club: snapClub(s),
        default: standing(s, "kicker", kicker),
        among: equallyLikely(role, snapClub(s), s),
      },
      {
        name: "result",
        label: "The kick was",
        kind: "choice",
        default:
          results(a, s).find((option) => option.value === standingResult(s))?.value ??
          (isGoal(a.kind) ? "good" : a.kind === "onside" ? "recovered" : "returned"),
        options: results(a, s),
      },
    );
    if (a.result)
      steps.push(...(isGoal(a.kind) ? atGoal(a, s) : [...downfield(a, s), ...landedSteps(a, s)]));
    if (a.result === "blocked") steps.push(...blockedSteps(a, s));
    return steps.map((step) => ({ ...step, atKick: true }));
  },
  build(a, s) {
    const body = {
      type: "kick",
      team: snapClub(s),
      kicker: a.kicker,
      kind: a.kind,
      result: official(a),
      start_yard: snapYard(s),
      distance: length(a, s),
      landed: landed(a) ?? (s.was?.result === official(a) ? s.was.landed : null),
      blocked_by: a.blockedBy,
      blocked_by_team: a.blockedBy ? s.other(snapClub(s)) : null,
    };
    if (s.single) return [body];
    if (a.result === "short") return [body, shortFoul(a, s)];
    if (a.result === "muffed")
      return [body, ...muff(a, s), ...(a.recoveredBy === NOBODY ? [] : recoveryBodies(a, s))];
    if (a.recoveredBy === NOBODY) return [body, ...outOfBounds(a, s)];
    if (a.recoveredBy) return [body, ...recoveryBodies(a, s)];
    if (!isCarried(a)) return [body];
    const receivers = s.other(snapClub(s));
    const stop = deadAt(a, a.returnedTo.yard, a.landedAt.yard);
    const run = {
      type: "run",
      team: receivers,
      player: a.returner,
      kind: "return",
      start_yard: a.landedAt.yard,
      end_yard: stop,
      is_touchdown: a.returnedTo.touchdown,
    };
    return [
      body,
      run,
      ...tackles(a, snapClub(s), a.returner, stop),
      ...safetyBodies(a, s, receivers),
    ];
  },
  sentences: {
    kick(b, s) {
      const far =
        b.distance === null || b.distance === undefined ? "" : ` ${yardsWords(b.distance)}`;
      const blocked = b.blocked_by ? ` by ${s.roster.name(b.blocked_by)}` : "";
      const end = b.muff
        ? muffWords(b.muff, b.team, s)
        : (LANDING_WORDS[b.landed] ?? RESULTS[b.result]);
      return `${playerWords(b.kicker, b.team, s)} ${VERBS[b.kind]}${far}: ${end}${blocked}.`;
    },
  },
};

/** Who muffed the kick and where, seen by the club that kicked. */
function muffWords({ player, team, yard, out_of_bounds: isOut }, kickers, s) {
  const spot = atSpotWords(team, yard, kickers);
  return `muffed by ${playerWords(player, team, s)} ${spot}${isOut ? ", out of bounds" : ""}`;
}

/**
 * The possible results of the kick. Short of the landing zone is only offered if the rules know
 * one.
 */
function results(a, s) {
  const options = isGoal(a.kind) ? AT_GOAL : DOWNFIELD;
  const hidden = s.single || a.kind === "extra_point" ? WAYS_BACK : [];
  return options.filter(
    (option) => !hidden.includes(option.value) && (option.value !== "short" || hasZone(a, s)),
  );
}

const hasZone = (a, s) =>
  (a.kind === "kickoff" || a.kind === "free_kick") && Boolean(s.rules?.landing_zone);

/**
 * Where a touchback came down, which decides where the ball is placed (NFL rule 6 since 2024).
 * @returns {Step[]}
 */
function landedSteps(a, s) {
  if (!hasZone(a, s) || !isTouchback(a)) return [];
  const spot = (yard) => spotWords(s.other(snapClub(s)), yard, snapClub(s));
  const options = [
    {
      key: "e",
      value: "end_zone",
      label: `in the end zone, or beyond it: ${spot(s.rules.kickoff_touchback)}`,
    },
    {
      key: "l",
      value: "landing_zone",
      label: `in the landing zone, then in the end zone: ${spot(s.rules.kickoff_landing_touchback)}`,
    },
  ];
  return [
    {
      name: "landed",
      label: "Where did it come down first?",
      kind: "choice",
      default: s.was?.landed ?? "end_zone",
      options,
    },
  ];
}

const landed = (a) => (a.result === "short" ? "short" : (a.landed ?? null));

/** The foul of a kick short of the landing zone. The ball is placed, so no yards are walked off. */
const shortFoul = (a, s) => ({
  type: "penalty",
  team: snapClub(s),
  player: a.kicker,
  foul: "Kickoff Short of Landing Zone",
  yards: 0,
  status: "accepted",
  outcome: "downfield",
});

/**
 * The result of the kick that is corrected, in the console's terms: the record has a muff as a
 * return and a fumble.
 */
function standingResult(s) {
  if (!s.was) return undefined;
  if (s.was.landed === "short") return "short";
  const back = standingOf(s, "run", (body) => body.kind === "return");
  if (s.was.result === "missed" && back.length) return "caught";
  return s.was.result === "returned" &&
    back.length &&
    standingOf(s, "fumble").length &&
    back[0].start_yard === back[0].end_yard
    ? "muffed"
    : s.was.result;
}

/** Whether somebody returned the ball. A player who goes down in the end zone has not. */
const isCarried = (a) => (a.result === "returned" || a.result === "caught") && !isTouchback(a);

/** A kick that is dead behind the receivers' goal line is a touchback by rule. */
function isTouchback(a) {
  if (!a.landedAt || a.landedAt.yard > 0) return a.result === "touchback";
  return (
    a.result === "downed" ||
    a.result === "fair_catch" ||
    ((a.result === "returned" || a.result === "caught") && a.returnedTo?.yard <= 0)
  );
}

/** The result as the record has it. */
function official(a) {
  if (isGoal(a.kind)) return a.result === "caught" ? "missed" : a.result;
  if (isTouchback(a)) return "touchback";
  if (a.result === "short") return "downed";
  return a.result === "muffed" ? "returned" : a.result;
}

/**
 * A muff is a return of no yards and a fumble. If it goes out of bounds, the receivers get the ball
 * where it went out.
 */
function muff(a, s) {
  const receivers = s.other(snapClub(s));
  const yard = Math.max(0, a.landedAt.yard);
  return [
    {
      type: "run",
      team: receivers,
      player: a.muffedBy,
      kind: "return",
      start_yard: yard,
      end_yard: yard,
      is_touchdown: false,
    },
    a.recoveredBy === NOBODY
      ? {
          type: "fumble",
          team: receivers,
          player: a.muffedBy,
          yard: a.outAt.yard,
          out_of_bounds: true,
        }
      : { type: "fumble", team: receivers, player: a.muffedBy, yard },
  ];
}

function length(a, s) {
  if (isGoal(a.kind)) return a.distance ?? null;
  if (isTouchback(a)) return 100 - snapYard(s);
  return a.landedAt ? 100 - snapYard(s) - a.landedAt.yard : null;
}

function atGoal(a, s) {
  if (a.result === "aborted") return [];
  const steps = [
    {
      name: "distance",
      label: "Length of the kick",
      kind: "number",
      min: 15,
      max: 90,
      unit: "yards",
      default: s.was?.distance ?? 100 - snapYard(s) + HOLDER_AND_END_ZONE,
    },
  ];
  return a.result === "caught" ? [...steps, ...downfield(a, s)] : steps;
}

const DEEP = ["returned", "caught", "muffed"]; // may be returned from behind the goal line

const landing = (result) =>
  result === "returned" || result === "caught"
    ? "35 or o35 own · d20 theirs · e5 five deep in the end zone"
    : undefined;

/**
 * Where the kick that is corrected came down, seen by the receivers; undefined if its length is
 * unknown.
 */
function standingLanding(s) {
  const [back] = standingOf(s, "run", (body) => body.kind === "return");
  if (back) return back.start_yard;
  const { kind, distance, start_yard: from } = s.was ?? {};
  return distance === undefined || distance === null || isGoal(kind)
    ? undefined
    : 100 - (from ?? snapYard(s)) - distance;
}

function downfield(a, s) {
  const receivers = s.other(snapClub(s));
  if (!LANDED[a.result]) return [];
  /** @type {Step[]} */
  const steps = [
    {
      name: "landedAt",
      label: `${LANDED[a.result]} (${receivers})`,
      kind: "spot",
      team: receivers,
      from: null,
      deep: DEEP.includes(a.result),
      hint: landing(a.result),
      default: standingLanding(s),
    },
  ];
  if (s.single || !a.landedAt) return steps;
  if (a.result === "recovered") {
    const likely = a.kind === "onside" ? snapClub(s) : receivers;
    return [
      ...steps,
      ...recoverySteps(a, s, { likely, team: receivers, yard: a.landedAt.yard, isKick: true }),
    ];
  }
  if (a.result === "muffed") return [...steps, ...muffSteps(a, s, receivers)];
  if (a.result !== "returned" && a.result !== "caught") return steps;
  return [...steps, ...returnSteps(a, s, receivers)];
}

/** Who muffed the kick, and who fell on it. @returns {Step[]} */
function muffSteps(a, s, receivers) {
  const [stood] = standingOf(s, "fumble");
  const yard = Math.max(0, a.landedAt.yard);
  const outAt = stood?.out_of_bounds ? stood.yard : undefined;
  return [
    {
      name: "muffedBy",
      label: `Muffed by (${receivers})`,
      kind: "player",
      club: receivers,
      default: stood?.player,
    },
    ...recoveredOrOut(a, s, { likely: receivers, team: receivers, yard, isKick: true }, outAt),
  ];
}

/** Who returned the kick, how far, and who stopped them. @returns {Step[]} */
function returnSteps(a, s, receivers) {
  /** @type {Step[]} */
  const steps = [
    {
      name: "returner",
      label: `Returned by (${receivers})`,
      kind: "player",
      club: receivers,
      default: standingOf(s, "run")[0]?.player,
    },
    {
      name: "returnedTo",
      label: `Returned to (${receivers})`,
      kind: "spot",
      team: receivers,
      from: a.landedAt.yard,
      default: standingRun(s, "return"),
      score: true,
    },
  ];
  if (!a.returnedTo || a.returnedTo.touchdown) return steps;
  steps.push(...tackleSteps(a, snapClub(s), s));
  return [
    ...steps,
    ...safetySteps(a, s, {
      club: receivers,
      from: a.landedAt.yard,
      end: a.returnedTo.yard,
      by: a.tacklers,
    }),
  ];
}

function blockedSteps(a, s) {
  const rivals = s.other(snapClub(s));
  /** @type {Step[]} */
  const steps = [
    {
      name: "blockedBy",
      label: `Blocked by (${rivals})`,
      kind: "player",
      club: rivals,
      default: s.was?.blocked_by,
    },
  ];
  if (s.single || a.kind === "extra_point") return steps;
  const isSafety = standingOf(s, "safety").length > 0 && !standingOf(s, "recovery").length;
  steps.push(
    ...recoveredOrOut(
      a,
      s,
      { likely: rivals, team: snapClub(s), yard: snapYard(s) },
      isSafety ? 0 : undefined,
    ),
  );
  if (a.recoveredBy !== NOBODY || !a.outAt) return steps;
  return [
    ...steps,
    ...safetySteps(a, s, {
      club: snapClub(s),
      from: snapYard(s),
      end: a.outAt.yard,
      by: a.blockedBy ? [a.blockedBy] : [],
    }),
  ];
}

const NOBODY = "nobody";

/**
 * Who falls on the ball, or where it goes out of bounds.
 * @param {object} lost  as of recoverySteps @param {number|undefined} outAt  where it went out as
 *   it stands
 * @returns {Step[]}
 */
function recoveredOrOut(a, s, lost, outAt) {
  const isOut = a.recoveredBy === NOBODY;
  const [club, ...followingSteps] = recoverySteps(
    isOut ? { ...a, recoveredBy: undefined } : a,
    s,
    lost,
  );
  const who = {
    ...club,
    default: outAt === undefined ? club.default : NOBODY,
    options: [...club.options, { key: "o", value: NOBODY, label: "nobody: out of bounds" }],
  };
  if (!isOut) return [who, ...followingSteps];
  return [
    who,
    {
      name: "outAt",
      label: `Out of bounds at (${lost.team}); 0: behind the goal line`,
      kind: "spot",
      team: lost.team,
      from: lost.yard,
      default: outAt,
    },
  ];
}

/**
 * A blocked kick that goes out of bounds: behind the kickers' goal line it is a safety, else they
 * keep the ball where it went out.
 */
function outOfBounds(a, s) {
  const safety = safetyBodies(a, s, snapClub(s));
  if (safety.length) return safety;
  return [
    {
      type: "recovery",
      team: snapClub(s),
      player: null,
      yard: deadAt(a, a.outAt.yard, snapYard(s)),
      is_touchdown: false,
    },
  ];
}
