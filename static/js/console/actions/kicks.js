/**
 * Kicks and tries: kickoff, onside, free kick, punt, field goal, extra point, two points, safety.
 * Pure.
 */
import { equallyLikely, likelyOf } from "./likely.js";
import {
  clubStep,
  deadAt,
  recovery,
  recoverySteps,
  safetyBodies,
  safetySteps,
  standing,
  standingOf,
  standingRun,
  tackles,
  tackleSteps,
} from "./parts.js";
import { spotWords } from "../entry/spots.js";

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
const WAYS_BACK = ["caught", "muffed"]; // several events, which one ruling cannot be
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
// the holder 8 yards behind the line, as nearly every official length has it
const HOLDER_AND_END_ZONE = 18;

const isGoal = (kind) => kind === "field_goal" || kind === "extra_point";
const team = (s) => s.snap?.possession ?? s.ball.team;
const start = (s) => s.snap?.spot ?? s.ball.yard;

function likelyKind(s) {
  const { situation, spot } = s.snap ?? {};
  if (situation === "kickoff" || situation === "free_kick") return situation;
  if (situation === "try") return "extra_point";
  return spot >= 60 ? "field_goal" : "punt";
}

export const kick = {
  title: "Kick",
  needsBall: true,
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
    const kicker = likelyOf(role, team(s), s);
    steps.push(
      {
        name: "kicker",
        label: `Kicked by (${team(s)})`,
        kind: "player",
        club: team(s),
        default: standing(s, "kicker", kicker),
        among: equallyLikely(role, team(s), s),
      },
      {
        name: "result",
        label: "The kick was",
        kind: "choice",
        default:
          results(a, s).find((one) => one.value === standingResult(s))?.value ??
          (isGoal(a.kind) ? "good" : a.kind === "onside" ? "recovered" : "returned"),
        options: results(a, s),
      },
    );
    if (a.result)
      steps.push(...(isGoal(a.kind) ? atGoal(a, s) : [...downfield(a, s), ...landedSteps(a, s)]));
    if (a.result === "blocked") steps.push(...blocked(a, s));
    return steps;
  },
  build(a, s) {
    const body = {
      type: "kick",
      team: team(s),
      kicker: a.kicker,
      kind: a.kind,
      result: official(a),
      start_yard: start(s),
      distance: length(a, s),
      landed: landed(a) ?? (s.was?.result === official(a) ? s.was.landed : null),
      blocked_by: a.blockedBy,
      blocked_by_team: a.blockedBy ? s.other(team(s)) : null,
    };
    if (s.single) return [body];
    if (a.result === "short") return [body, shortFoul(a, s)];
    if (a.result === "muffed")
      return [body, ...muff(a, s), ...(a.recoveredBy === NOBODY ? [] : recovery(a, s))];
    if (a.recoveredBy === NOBODY) return [body, ...outOfBounds(a, s)];
    if (a.recoveredBy) return [body, ...recovery(a, s)];
    if (!isCarried(a)) return [body];
    const receivers = s.other(team(s));
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
    return [body, run, ...tackles(a, team(s), a.returner, stop), ...safetyBodies(a, s, receivers)];
  },
};

/** What may become of the kick; short of the landing zone only where the rules know one. */
function results(a, s) {
  const options = isGoal(a.kind) ? AT_GOAL : DOWNFIELD;
  const hidden = s.single || a.kind === "extra_point" ? WAYS_BACK : [];
  return options.filter(
    (one) => !hidden.includes(one.value) && (one.value !== "short" || hasZone(a, s)),
  );
}

const hasZone = (a, s) =>
  (a.kind === "kickoff" || a.kind === "free_kick") && Boolean(s.rules?.landing_zone);

/**
 * Where a touchback came down decides where the ball is placed (NFL rule 6 since 2024).
 * @returns {Step[]}
 */
function landedSteps(a, s) {
  if (!hasZone(a, s) || !isTouchback(a)) return [];
  const spot = (yard) => spotWords(s.other(team(s)), yard, team(s));
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

/**
 * The foul that a kick short of the landing zone is; the ball is placed, and no yards are walked
 * off.
 */
const shortFoul = (a, s) => ({
  type: "penalty",
  team: team(s),
  player: a.kicker,
  foul: "Kickoff Short of Landing Zone",
  yards: 0,
  status: "accepted",
  outcome: "downfield",
});

/**
 * What became of the kick that is corrected, by the console's names: the record has a muff as a
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

/** Whether somebody brought the ball back; who goes down in the end zone with it has not. */
const isCarried = (a) => (a.result === "returned" || a.result === "caught") && !isTouchback(a);

/** A kick that is down behind the receivers' goal line is a touchback by rule. */
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
 * A muff is a return of no yards, and a fumble; one that goes out of bounds is the receivers' where
 * it went out.
 */
function muff(a, s) {
  const receivers = s.other(team(s));
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
  if (isTouchback(a)) return 100 - start(s);
  return a.landedAt ? 100 - start(s) - a.landedAt.yard : null;
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
      default: s.was?.distance ?? 100 - start(s) + HOLDER_AND_END_ZONE,
    },
  ];
  return a.result === "caught" ? [...steps, ...downfield(a, s)] : steps;
}

const DEEP = ["returned", "caught", "muffed"]; // what may go on from behind the goal line
const landing = (result) =>
  result === "returned" || result === "caught"
    ? "35 or o35 own · d20 theirs · e5 five deep in the end zone"
    : undefined;

/**
 * Where the kick that is corrected came down, as the receivers see it; undefined where its length
 * is not known.
 */
function standingLanding(s) {
  const [back] = standingOf(s, "run", (body) => body.kind === "return");
  if (back) return back.start_yard;
  const { kind, distance, start_yard: from } = s.was ?? {};
  return distance === undefined || distance === null || isGoal(kind)
    ? undefined
    : 100 - (from ?? start(s)) - distance;
}

function downfield(a, s) {
  const receivers = s.other(team(s));
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
    const likely = a.kind === "onside" ? team(s) : receivers;
    return [
      ...steps,
      ...recoverySteps(a, s, { likely, team: receivers, yard: a.landedAt.yard, isKick: true }),
    ];
  }
  if (a.result === "muffed") {
    steps.push({
      name: "muffedBy",
      label: `Muffed by (${receivers})`,
      kind: "player",
      club: receivers,
      default: standingOf(s, "fumble")[0]?.player,
    });
    const yard = Math.max(0, a.landedAt.yard);
    const [stood] = standingOf(s, "fumble");
    const outAt = stood?.out_of_bounds ? stood.yard : undefined;
    return [
      ...steps,
      ...recoveredOrOut(a, s, { likely: receivers, team: receivers, yard, isKick: true }, outAt),
    ];
  }
  if (a.result !== "returned" && a.result !== "caught") return steps;
  steps.push(
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
  );
  if (!a.returnedTo || a.returnedTo.touchdown) return steps;
  steps.push(...tackleSteps(a, team(s), s));
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

function blocked(a, s) {
  const rivals = s.other(team(s));
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
      { likely: rivals, team: team(s), yard: start(s) },
      isSafety ? 0 : undefined,
    ),
  );
  if (a.recoveredBy !== NOBODY || !a.outAt) return steps;
  return [
    ...steps,
    ...safetySteps(a, s, {
      club: team(s),
      from: start(s),
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
  const [club, ...rest] = recoverySteps(isOut ? { ...a, recoveredBy: undefined } : a, s, lost);
  const who = {
    ...club,
    default: outAt === undefined ? club.default : NOBODY,
    options: [...club.options, { key: "o", value: NOBODY, label: "nobody: out of bounds" }],
  };
  if (!isOut) return [who, ...rest];
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
 * A blocked kick that goes out of bounds: a safety behind the kickers' goal line, else theirs where
 * it went out.
 */
function outOfBounds(a, s) {
  const safety = safetyBodies(a, s, team(s));
  if (safety.length) return safety;
  return [
    {
      type: "recovery",
      team: team(s),
      player: null,
      yard: deadAt(a, a.outAt.yard, start(s)),
      is_touchdown: false,
    },
  ];
}

export const conversion = {
  title: "Two-point try",
  needsBall: true,
  steps(a, s) {
    /** @type {Step[]} */
    const steps = [
      {
        name: "kind",
        label: "How",
        kind: "choice",
        default: s.was?.kind ?? "pass",
        options: [
          { key: "p", value: "pass", label: "pass" },
          { key: "r", value: "rush", label: "run" },
          { key: "b", value: "return", label: "brought back by the defence" },
        ],
      },
    ];
    if (!a.kind) return steps;
    const club = scorers(a, s);
    if (a.kind === "pass")
      steps.push({
        name: "passer",
        label: `Passer (${club})`,
        kind: "player",
        club,
        default: standing(s, "passer", likelyOf("passer", club, s)),
        among: equallyLikely("passer", club, s),
      });
    steps.push(
      {
        name: "player",
        label: `${a.kind === "pass" ? "Meant for" : "Carried by"} (${club})`,
        kind: "player",
        club,
        default: s.was?.player,
      },
      {
        name: "good",
        label: "The try is",
        kind: "choice",
        default: s.was?.good ?? true,
        options: [
          { key: "g", value: true, label: "good" },
          { key: "n", value: false, label: "no good" },
        ],
      },
    );
    return steps;
  },
  build: (a, s) => [
    {
      type: "conversion",
      team: scorers(a, s),
      side: a.kind === "return" ? "defence" : "offence",
      kind: a.kind,
      good: a.good,
      passer: a.passer ?? null,
      player: a.player,
    },
  ],
};

const scorers = (a, s) => (a.kind === "return" ? s.other(team(s)) : team(s));

export const safety = {
  title: "Safety",
  needsBall: true,
  steps(a, s) {
    const onTry = s.snap?.situation === "try";
    /** @type {Step[]} */
    const steps = [
      clubStep(
        "team",
        "Points for which club?",
        s,
        s.was?.team ?? (onTry ? team(s) : s.other(team(s))),
      ),
    ];
    if (!a.team) return steps;
    steps.push(
      {
        name: "player",
        label: `Brought about by (${a.team})`,
        kind: "player",
        club: a.team,
        default: s.was?.player,
      },
      {
        name: "points",
        label: "Points",
        kind: "number",
        min: 1,
        max: 2,
        default: s.was ? (s.was.points ?? 2) : onTry ? 1 : 2,
      },
    );
    return steps;
  },
  build: (a) => [{ type: "safety", team: a.team, player: a.player, points: a.points }],
};
