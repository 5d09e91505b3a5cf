/**
 * A flag: who, what, when, whether it is accepted, from where and how far, and what becomes of the
 * play. Pure.
 */
import {
  basisYard,
  foulByCode,
  foulNames,
  isSpotFoul,
  isUndone,
  likelyBasis,
  likelyOutcome,
  likelyTime,
  movements,
  ruleOf,
  usualYards,
} from "./shared/fouls.js";
import { cutAt, cutBodies, cutStep } from "./shared/cut.js";
import { withSnap } from "./shared/offended.js";
import { clubStep, snapClub, standingYard } from "./shared/parts.js";
import { isSafety } from "../rules/enforcement.js";
import { isSet } from "../rules/suggestion.js";
import { spotWords, yardsWords } from "../entry/spots.js";

const TIMES = [
  { key: "d", value: "during", label: "during the play" },
  { key: "a", value: "after", label: "after it (dead ball)" },
  { key: "b", value: "before", label: "before the next snap" },
];
const STATUSES = [
  { key: "a", value: "accepted", label: "accepted" },
  { key: "d", value: "declined", label: "declined" },
  { key: "o", value: "offsetting", label: "offsetting" },
];
const OUTCOMES = [
  { key: "n", value: "nullify", label: "no play: nullify it" },
  { key: "r", value: "repeat_down", label: "repeat the down" },
  { key: "c", value: "change_down", label: "change the down" },
  { key: "1", value: "first_down", label: "first down" },
  { key: "f", value: "downfield", label: "downfield: the play stands" },
];
const SAFETY = { key: "s", value: "safety", label: "a safety" };

const OUTCOME_WORDS = {
  nullify: "play nullified",
  downfield: "the play stands",
  decline: "declined",
  change_down: "change of down",
  repeat_down: "repeat the down",
  first_down: "first down",
  offsetting: "offsetting",
};

const NEAR_GOAL = 25; // a passer can be in his own end zone if the snap was this near
const TIMING = ["when", "snap"];
const STOPPAGES = ["snap", "timeout", "challenge", "scoreboard", "coin_toss", "delay"];

export const penalty = {
  name: "penalty",
  title: "Penalty",
  needsBall: true,
  isRuling: true,
  isLate: true,
  steps(a, s) {
    /** @type {Step[]} */
    const steps = [clubStep("team", "Foul by which club?", s, s.was?.team ?? snapClub(s))];
    if (!a.team) return steps;
    steps.push({
      name: "foul",
      label: "Foul",
      kind: "words",
      known: foulNames(a.team, s),
      byCode: (/** @type {string} */ short) => foulByCode(short, s),
      default: s.was?.foul,
    });
    if (a.foul === undefined) return steps;
    steps.push(...time(a, s));
    if (steps.some((step) => TIMING.includes(step.name) && !a[step.name])) return steps;
    steps.push(...offender(a, s));
    if (a.status === "accepted") steps.push(...enforcement(a, s));
    const ruled = byRule(a, s);
    if (a.status === "offsetting" || a.outcome) steps.push(...strike(ruled, s));
    const cut = cutOf(ruled, s);
    return cut ? [...steps, cutStep(cut, s)] : steps;
  },
  /** The events of the play that a corrected flag now strikes out, but did not before. */
  strikes: (a, s) =>
    a.status === "accepted" && isUndone(byRule(a, s), s) && !isOutcomeKept(a, s) ? action(s) : [],
  build(answers, s) {
    const a = byRule(answers, s);
    const body = foulOf(a, s);
    const next = snapBefore(a, s);
    if (next) return [{ type: "snap", ...next }, body];
    const cut = a.cut ? cutOf(a, s) : null;
    if (cut) return [body, ...cutBodies(cut, a.foul)];
    const safety = a.status === "accepted" && a.outcome === "safety" ? [safetyBody(a, s)] : [];
    if (!a.strike) return [body, ...safety];
    return [body, { type: "nullify", events: action(s), reason: a.foul || "penalty" }, ...safety];
  },
  sentences: {
    penalty(b, s) {
      const by = b.player ? `, ${s.roster.name(b.player)}` : "";
      const { status = "accepted", yards = 0 } = b; // the server omits default values
      const how =
        status === "accepted"
          ? `${yardsWords(yards)}${walkedFrom(b, s)}, ${OUTCOME_WORDS[b.outcome] ?? "accepted"}`
          : status;
      return `PENALTY on ${b.team}${by}: ${b.foul || "foul"}, ${how}.`;
    },
  },
};

/** The spot that the yards are counted from, if it is noted. */
const walkedFrom = (b, s) =>
  isSet(b.enforcement_yard) && b.yards
    ? ` from ${spotWords(b.team, b.enforcement_yard, s.other(b.team))}`
    : "";

/** The foul as it is recorded. @returns {EventBody} */
const foulOf = (a, s) => ({
  type: "penalty",
  team: a.team,
  player: a.player,
  foul: a.foul,
  yards: a.yards ?? 0,
  status: a.status,
  outcome: outcomeOf(a, s),
  enforcement_yard: enforcedAt(a, s),
});

/** The outcome in the record's terms: for a safety, whether the play that it ends counts. */
function outcomeOf(a, s) {
  if (a.status === "declined") return "decline";
  if (a.status === "offsetting") return "offsetting";
  if (a.outcome !== "safety") return a.outcome;
  return ruleOf(a, s).loss_of_down ? "change_down" : "nullify";
}

/**
 * Accepted (as the rulebook enforces it), declined, offsetting: each with the snap that follows.
 */
function statuses(a, s) {
  if (a.when === "before") return STATUSES;
  return STATUSES.map((option) => ({
    ...option,
    label: labelOf(option.label, usual({ ...a, status: option.value }, s), s),
  }));
}

/**
 * The answers with the rulebook's enforcement of an accepted foul in place of those not yet given.
 */
function usual(a, s) {
  if (a.status !== "accepted") return a;
  const from = likelyBasis(a, s);
  const walked = { ...a, from, at: { yard: basisYard("end", s) } };
  const named = { ...walked, yards: usualYards(walked, s, yardOf(walked, s)) };
  return { ...named, outcome: likelyOutcome(named, s) };
}

const labelOf = (label, a, s) => withSnap(label, foulOf(a, s), isUndone(a, s) ? action(s) : [], s);

/**
 * When it was, where the play has begun already: a flag before the snap belongs to the play to
 * come.
 * @returns {Step[]}
 */
function time(a, s) {
  if (s.single || !isBegun(s)) return [];
  /** @type {Step[]} */
  const steps = [
    {
      name: "when",
      label: "When was it?",
      kind: "choice",
      default: s.late && likelyTime(a, s) === "before" ? "during" : likelyTime(a, s),
      options: s.late ? TIMES.slice(0, 2) : TIMES,
    },
  ];
  if (a.when !== "before") return steps;
  return [
    ...steps,
    {
      name: "snap",
      label: "Before which snap? Clock, down & distance, spot: only what differs",
      kind: "snap",
      default: s.suggestion,
    },
  ];
}

/** Whether anything except a stoppage was recorded since the snap. */
const isBegun = (s) => (s.play_events ?? []).some((event) => !STOPPAGES.includes(event.type));

/** @returns {Step[]} */
function strike(a, s) {
  const wiped = a.when === "before" || s.single ? [] : action(s);
  if (!wiped.length) return [];
  const list = wiped.map((number) => `#${number}`).join(" ");
  const options = [
    { key: "y", value: true, label: `yes, no play: ${list}` },
    { key: "n", value: false, label: "no, it stands" },
  ];
  return [
    {
      name: "strike",
      label: "Strike out the play?",
      kind: "choice",
      default: isUndone(a, s),
      options,
    },
  ];
}

/** The gain beyond the spot of a foul that is enforced from there, if the play stands. */
function cutOf(a, s) {
  if (
    s.single ||
    a.status !== "accepted" ||
    a.from !== "foul" ||
    a.outcome !== "downfield" ||
    a.strike ||
    !a.at
  )
    return null;
  return cutAt(a.team, enforcedAt(a, s), s.play_events ?? []);
}

/**
 * Whether a correction keeps club and name of an accepted foul, so that its yards and outcome stand
 * too.
 */
const isSameFoul = (a, s) =>
  Boolean(s.was) &&
  s.was.team === a.team &&
  s.was.foul === a.foul &&
  (s.was.status ?? "accepted") === "accepted";

const isOutcomeKept = (a, s) => isSameFoul(a, s) && s.was.outcome === a.outcome;

/**
 * The recorded outcome of a corrected flag, if the new club or foul still allows it; else
 * undefined.
 */
function standingOutcome(a, s) {
  const was = s.was?.outcome;
  if (!OUTCOMES.some((option) => option.value === was)) return undefined;
  const depends = ["first_down", "change_down"]; // depend on who fouled, and how
  return isSameFoul(a, s) ||
    ![was, likelyOutcome(a, s)].some((outcome) => depends.includes(outcome))
    ? was
    : undefined;
}

/** Who committed it, and whether the penalty is accepted. @returns {Step[]} */
const offender = (a, s) => [
  {
    name: "player",
    label: `Committed by (${a.team})`,
    kind: "player",
    club: a.team,
    default: s.was?.team === a.team ? s.was.player : undefined,
  },
  {
    name: "status",
    label: "The penalty is",
    kind: "choice",
    default: s.was?.status ?? "accepted",
    options: statuses(a, s),
  },
];

/** The snap that belongs to the flag: the one before which it was thrown, or that of the try. */
function snapBefore(a, s) {
  if (a.when === "before") return a.snap;
  return a.from === "try" && !s.single && !s.late ? snapOf(s.suggestion) : null;
}

/** @returns {EventBody} */
const safetyBody = (a, s) => ({
  type: "safety",
  team: s.other(a.team),
  player: null,
  points: s.snap?.situation === "try" ? 1 : 2,
});

/** From where, how far and with which outcome. @returns {Step[]} */
function enforcement(a, s) {
  /** @type {Step[]} */
  const steps = [];
  if (a.when !== "before") {
    steps.push({
      name: "from",
      label: "Walked off from",
      kind: "choice",
      default: isSet(s.was?.enforcement_yard) ? "foul" : likelyBasis(a, s),
      options: bases(a, s),
    });
    if (!a.from) return steps;
  }
  if (a.from === "foul") {
    steps.push(spotOfFoul(a, s));
    if (!a.at) return steps;
  }
  return [...steps, ...effect(byRule(a, s), s)];
}

/** How far, and with which outcome. @returns {Step[]} */
function effect(a, s) {
  return [
    {
      name: "yards",
      label: "Yards walked off",
      kind: "number",
      min: 0,
      max: 100,
      unit: "yards",
      default: isSameFoul(a, s) ? (s.was.yards ?? 0) : usualYards(a, s, yardOf(a, s)),
    },
    {
      name: "outcome",
      label: "Outcome",
      kind: "choice",
      default: concedesSafety(a, s) ? "safety" : (standingOutcome(a, s) ?? likelyOutcome(a, s)),
      options: outcomes(a, s),
    },
  ];
}

/**
 * The answers with the previous spot in place of a spot of the foul behind the line: from there the
 * rules walk off every foul of the offence that has no spot of its own, except in its end zone (NFL
 * 14-3, NCAA 10-2-2, NFHS 10-4 since 2023).
 */
const byRule = (a, s) =>
  a.from === "foul" && a.at?.yard > 0 && a.at.yard < s.snap?.spot && goesToLine(a, s)
    ? { ...a, from: "previous" }
    : a;

/** Whether a foul of this club behind the line is walked off from the previous spot. */
const goesToLine = (a, s) =>
  s.rules?.fouls_behind_line === "previous" &&
  a.team === s.snap?.possession &&
  !s.ball.turned &&
  ["scrimmage", "try"].includes(s.snap.situation ?? "scrimmage") &&
  ruleOf(a, s).basis === "foul" &&
  !ruleOf(a, s).loss_of_down;

/** @returns {Step} */
function spotOfFoul(a, s) {
  const club = clubWithBall(s);
  const aimed = isSpotFoul(ruleOf(a, s)) ? s.passed?.reception_yard : undefined;
  // a foul cannot be where they scored
  const end = s.ball.outcome === "touchdown" ? undefined : basisYard("end", s);
  const likely = aimed ?? end;
  return {
    name: "at",
    label: `Spot of the foul (${club})`,
    kind: "spot",
    team: club,
    from: s.snap ? seenBy(club, s.snap.spot, s) : null,
    hint: goesToLine(a, s)
      ? `A foul behind the line is enforced from the previous spot, ${spotWords(club, s.snap.spot, s.other(club))}.`
      : undefined,
    default:
      standingYard(s, "enforcement_yard", club) ??
      (isSet(likely) ? seenBy(club, likely, s) : undefined),
  };
}

/** Whose own side a spot is typed from: the club that has the ball by then. */
const clubWithBall = (s) => (s.ball?.turned ? s.ball.team : snapClub(s));

/** A yard of the club with the ball at the snap, as another club sees it, or the other way round. */
const seenBy = (club, yard, s) => (club === snapClub(s) ? yard : 100 - yard);

/** The outcomes, each with the snap that follows from the answers so far. */
function outcomes(a, s) {
  if (a.when === "before" || !isSet(a.yards)) return OUTCOMES;
  const options = concedesSafety(a, s) ? [SAFETY, ...OUTCOMES] : OUTCOMES;
  return options.map((option) => ({
    ...option,
    label: labelOf(option.label, { ...a, outcome: option.value }, s),
  }));
}

/**
 * Whether the foul is enforced from behind the goal line of the club with the ball, which committed
 * it.
 */
function concedesSafety(a, s) {
  if (s.single || !s.rules?.fouls || !s.snap || a.when === "before" || a.from === "next")
    return false;
  return isSafety(
    { type: "penalty", team: a.team, foul: a.foul, enforcement_yard: enforcedAt(a, s) },
    s.snap,
    s.ball,
    s.rules,
  );
}

function bases(a, s) {
  const club = s.snap?.possession ?? s.ball.team;
  const where = (basis) => spotWords(club, basisYard(basis, s), s.other(club));
  const options = [
    { key: "p", value: "previous", label: `the previous spot: ${where("previous")}` },
    { key: "f", value: "foul", label: "the spot of the foul" },
  ];
  if (ruleOf(a, s).basis === "foul" && a.team === club && (s.snap?.spot ?? 50) <= NEAR_GOAL)
    options.push({ key: "g", value: "goal", label: `behind ${club}’s goal line: a safety` });
  if (movements(s).length)
    options.push({ key: "e", value: "end", label: `the end of the run: ${where("end")}` });
  if (s.suggestion.situation === "try") {
    return [
      ...options,
      { key: "t", value: "try", label: "the try" },
      { key: "k", value: "kickoff", label: "the kickoff" },
    ];
  }
  return [...options, { key: "n", value: "next", label: `the succeeding spot: ${where("next")}` }];
}

/** The spot of enforcement, from the goal line of the club with the ball at the snap. */
function yardOf(a, s) {
  if (a.when === "before") return a.snap.spot;
  return a.from === "foul" ? seenBy(clubWithBall(s), a.at.yard, s) : basisYard(a.from, s);
}

/**
 * The spot of enforcement from the goal line of the club that fouled, like every spot of a body. For
 * pass interference at its spot it is the previous spot, from which the yards are counted.
 */
function enforcedAt(a, s) {
  if (a.status !== "accepted" || (!a.from && a.when !== "before")) return null;
  const possession = a.when === "before" ? a.snap.possession : (s.snap?.possession ?? s.ball.team);
  const yard =
    a.from === "foul" && isSpotFoul(ruleOf(a, s)) ? basisYard("previous", s) : yardOf(a, s);
  return Math.max(0, Math.min(100, a.team === possession ? yard : 100 - yard));
}

const snapOf = ({ possession, spot, period, clock, situation, down, distance }) => ({
  possession,
  spot,
  period,
  clock,
  situation,
  down,
  distance,
});

/**
 * The events that a foul wipes out: everything in the play except its snap, fouls and stoppages.
 */
function action(s) {
  return (s.play_events ?? [])
    .filter((event) => ["action", "credit"].includes(s.types[event.type].part))
    .map((event) => event.number);
}
