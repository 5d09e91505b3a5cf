/**
 * Snap, pass, run, sack, interception, fumble, recovery: the movements of the ball from scrimmage.
 * Pure.
 */
import { HOLES, standingHole, standingThrow, THROWN } from "./details.js";
import { equallyLikely, likelyOf } from "./likely.js";
import {
  clubStep,
  deadAt,
  lossCredit,
  lossSteps,
  proposedEnd,
  recovery,
  recoverySteps,
  safetyBodies,
  safetySteps,
  standing,
  standingEnd,
  standingOf,
  standingRun,
  standingYard,
  tackles,
  tackleSteps,
} from "./parts.js";

const line = (s) => s.snap?.spot ?? s.ball.yard;
const offence = (s) => s.snap?.possession ?? s.ball.team;
const likelyPasser = (team, s) => likelyOf("passer", team, s);

export const snap = {
  title: "Snap",
  direct: true,
  steps: (a, s) => [
    {
      name: "snap",
      label: "Clock, down & distance, spot: only what differs",
      kind: "snap",
      default: s.suggestion,
      hint: `1231 clock · 2&7 down & distance · o28 own, d20 theirs · ${s.clubs.home} ball · k kickoff · try · two · q2 period`,
    },
  ],
  build: (a) => [{ type: "snap", ...a.snap }],
};

const RESULTS = [
  { key: "c", value: "complete", label: "complete" },
  { key: "i", value: "incomplete", label: "incomplete" },
  { key: "d", value: "dropped", label: "incomplete: dropped" },
  { key: "t", value: "thrown_away", label: "incomplete: thrown away" },
  { key: "x", value: "intercepted", label: "intercepted" },
  { key: "s", value: "spike", label: "spike" },
];

/** The result as the record has it, and why a pass fell. */
const resultOf = (a) => (FALLEN.includes(a.result) ? "incomplete" : a.result);
const FALLEN = ["dropped", "thrown_away"];

/** @returns {EventBody} */
function thrownBody(a, s, team) {
  const caught = a.result === "complete" ? a.caughtAt : null;
  const [length, location] = (a.thrown ?? standingThrow(s))?.split(" ") ?? [];
  return {
    type: "pass",
    team,
    passer: a.passer,
    receiver: a.receiver ?? null,
    result: resultOf(a),
    throw_yard: line(s),
    reception_yard: caught ? caught.yard : (a.aimedAt?.yard ?? null),
    is_touchdown: Boolean(caught?.touchdown),
    length: length || null,
    location: location || null,
    incompletion: FALLEN.includes(a.result) ? a.result : null,
  };
}

export const pass = {
  title: "Pass",
  needsBall: true,
  steps(a, s) {
    const team = offence(s);
    /** @type {Step[]} */
    const steps = [
      {
        name: "passer",
        label: `Passer (${team})`,
        kind: "player",
        club: team,
        default: standing(s, "passer", likelyPasser(team, s)),
        among: equallyLikely("passer", team, s),
      },
      {
        name: "result",
        label: "The pass was",
        kind: "choice",
        default: s.was?.incompletion ?? s.was?.result ?? "complete",
        options: RESULTS,
        marks: THROWN,
      },
    ];
    if (a.result === undefined || a.result === "spike" || (a.result === "thrown_away" && !s.was))
      return steps;
    const caught = a.result === "complete";
    steps.push({
      name: "receiver",
      label: `${caught ? "Caught by" : "Meant for"} (${team})`,
      kind: "player",
      club: team,
      default: s.was?.receiver,
    });
    if (caught) steps.push(...afterCatch(a, s, team));
    else
      steps.push(
        aimed(s, team),
        ...(s.single
          ? []
          : a.result === "intercepted"
            ? stolen(a, s, s.other(team))
            : defended(s, team)),
      );
    return steps;
  },
  build(a, s) {
    const team = offence(s);
    const caught = a.result === "complete" ? a.caughtAt : null;
    const body = thrownBody(a, s, team);
    if (s.single) return [body];
    if (a.result === "intercepted") return [body, ...interceptionBodies(a, s, s.other(team))];
    const credit = a.defended
      ? [{ type: "credit", team: s.other(team), player: a.defended, kind: "pass_defended" }]
      : [];
    if (!caught) return [body, ...credit];
    const end = a.ranTo ?? caught;
    const stop = deadAt(a, end.yard, caught.yard);
    /** @type {EventBody[]} */
    const bodies = [body];
    if (a.ranTo && (end.touchdown || stop !== caught.yard)) {
      bodies.push({
        type: "run",
        team,
        player: a.receiver,
        kind: "after_catch",
        start_yard: caught.yard,
        end_yard: stop,
        is_touchdown: end.touchdown,
      });
    }
    return [
      ...bodies,
      ...tackles(a, s.other(team), a.receiver, stop),
      ...lossCredit(a, s, s.other(team), stop),
      ...safetyBodies(a, s, team),
    ];
  },
};

function afterCatch(a, s, team) {
  /** @type {Step[]} */
  const steps = [
    {
      name: "caughtAt",
      label: `Caught at (${team})`,
      kind: "spot",
      team,
      from: line(s),
      default: standingEnd(s, "reception_yard", team),
      score: true,
    },
  ];
  if (s.single || !a.caughtAt || a.caughtAt.touchdown) return steps;
  const start = a.caughtAt.yard;
  const further = proposedEnd(standingRun(s, "after_catch"), start, "down at the catch");
  steps.push({
    name: "ranTo",
    label: `Ran to (${team})`,
    kind: "spot",
    team,
    from: start,
    ...further,
    score: true,
  });
  if (!a.ranTo || a.ranTo.touchdown) return steps;
  steps.push(...tackleSteps(a, s.other(team), s), ...lossSteps(a, s, a.ranTo.yard));
  return [
    ...steps,
    ...safetySteps(a, s, { club: team, from: line(s), end: a.ranTo.yard, by: a.tacklers }),
  ];
}

const aimed = (s, team) => ({
  name: "aimedAt",
  label: `Thrown to (${team})`,
  kind: "spot",
  team,
  from: line(s),
  optional: true,
  default: standingYard(s, "reception_yard", team),
});

function defended(s, team) {
  const [stood] = standingOf(s, "credit", (body) => body.kind === "pass_defended");
  return [
    {
      name: "defended",
      label: `Broken up by (${s.other(team)})`,
      kind: "player",
      club: s.other(team),
      default: stood?.player,
    },
  ];
}

function stolen(a, s, club) {
  const aim = a.aimedAt?.yard ?? s.passed?.reception_yard;
  const aimedAt = aim === undefined || aim === null ? undefined : 100 - aim;
  const [found] = s.was?.type === "interception" ? [s.was] : standingOf(s, "interception");
  const likely = found ? standingEnd({ was: found }, "yard", club) : aimedAt;
  /** @type {Step[]} */
  const steps = [
    {
      name: "thief",
      label: `Intercepted by (${club})`,
      kind: "player",
      club,
      default: found?.player,
    },
    {
      name: "stolenAt",
      label: `Intercepted at (${club})`,
      kind: "spot",
      team: club,
      from: aimedAt ?? 100 - line(s),
      default: likely,
      deep: true,
      score: true,
      hint: "35 or o35 own · d20 theirs · e5 five deep in the end zone",
    },
  ];
  if (s.single || !a.stolenAt || a.stolenAt.touchdown) return steps;
  const further = proposedEnd(standingRun(s, "return"), a.stolenAt.yard, "no return");
  steps.push({
    name: "returnedTo",
    label: `Returned to (${club})`,
    kind: "spot",
    team: club,
    from: a.stolenAt.yard,
    ...further,
    score: true,
  });
  if (!a.returnedTo || a.returnedTo.touchdown) return steps;
  steps.push(...tackleSteps(a, s.other(club), s));
  return [
    ...steps,
    ...safetySteps(a, s, { club, from: a.stolenAt.yard, end: a.returnedTo.yard, by: a.tacklers }),
  ];
}

function interceptionBodies(a, s, club) {
  const at = a.stolenAt;
  /** @type {EventBody[]} */
  const bodies = [
    {
      type: "interception",
      team: club,
      player: a.thief,
      yard: at.yard,
      is_touchdown: at.touchdown,
    },
  ];
  if (s.single) return bodies;
  const end = a.returnedTo ?? at;
  const stop = deadAt(a, end.yard, at.yard);
  const isTouchback = at.yard <= 0 && stop <= 0;
  if (end.touchdown || (stop !== at.yard && !isTouchback)) {
    bodies.push({
      type: "run",
      team: club,
      player: a.thief,
      kind: "return",
      start_yard: at.yard,
      end_yard: stop,
      is_touchdown: end.touchdown,
    });
  }
  return [
    ...bodies,
    ...tackles(a, s.other(club), a.thief, Math.max(0, stop)),
    ...safetyBodies(a, s, club),
  ];
}

/**
 * The whole interception: throw and return in one entry; as a ruling, only the catch by the
 * defence.
 */
export const interception = {
  title: "Interception",
  needsBall: true,
  preset: (s) => (s.single ? {} : { result: "intercepted" }),
  steps: (a, s) =>
    s.single || s.passed?.result === "intercepted"
      ? stolen(a, s, s.other(offence(s)))
      : pass.steps(a, s),
  build: (a, s) =>
    s.single || s.passed?.result === "intercepted"
      ? interceptionBodies(a, s, s.other(offence(s)))
      : pass.build(a, s),
};

const RUNS = [
  { key: "r", value: "rush", label: "rush" },
  { key: "s", value: "scramble", label: "scramble" },
  { key: "k", value: "kneel", label: "kneel" },
  { key: "c", value: "after_catch", label: "after the catch" },
  { key: "l", value: "after_lateral", label: "after a lateral" },
  { key: "b", value: "return", label: "brought back (return)" },
  { key: "v", value: "after_recovery", label: "after a recovery" },
];
const CARRIES = ["rush", "scramble", "kneel"];

export const run = {
  title: "Run",
  needsBall: true,
  steps(a, s) {
    /** @type {Step[]} */
    const steps = [
      {
        name: "kind",
        label: "Kind of run",
        kind: "choice",
        default: s.was?.kind ?? "rush",
        options: RUNS,
        marks: HOLES,
      },
    ];
    if (!a.kind) return steps;
    const { team, start } = carrier(a, s);
    steps.push(
      {
        name: "player",
        label: `Carried by (${team})`,
        kind: "player",
        club: team,
        default: standing(s, "player", likelyCarrier(a.kind, team, s)),
      },
      {
        name: "to",
        label: `Ran to (${team})`,
        kind: "spot",
        team,
        from: start,
        default:
          standingEnd(s, "end_yard", team) ??
          (a.kind === "kneel" ? Math.max(0, start - 1) : undefined),
        score: true,
      },
    );
    if (s.single || !a.to || a.to.touchdown) return steps;
    if (a.kind !== "kneel")
      steps.push(...tackleSteps(a, s.other(team), s), ...lossSteps(a, s, endOf(a)));
    return [
      ...steps,
      ...safetySteps(a, s, {
        club: team,
        from: team === offence(s) ? line(s) : start,
        end: a.to.yard,
        by: a.tacklers,
      }),
    ];
  },
  build(a, s) {
    const { team, start } = carrier(a, s);
    const stop = deadAt(a, a.to.yard, start);
    const [location, gap] = (a.hole ?? standingHole(s))?.split(" ") ?? [];
    const body = {
      type: "run",
      team,
      player: a.player,
      kind: a.kind,
      start_yard: start,
      end_yard: stop,
      is_touchdown: a.to.touchdown,
      location: location || null,
      gap: gap || null,
    };
    return s.single
      ? [body]
      : [
          body,
          ...tackles(a, s.other(team), a.player, stop),
          ...lossCredit(a, s, s.other(team), endOf(a)),
          ...safetyBodies(a, s, team),
        ];
  },
};

/** Where a run of the club that snapped the ball ended; undefined for ways back. */
const endOf = (a) => (CARRIES.includes(a.kind) || a.kind === "after_catch" ? a.to.yard : undefined);

function likelyCarrier(kind, team, s) {
  if (kind === "rush") return s.recent_players.runner[team];
  if (CARRIES.includes(kind)) return likelyPasser(team, s);
  return kind === "after_lateral" ? null : s.ball.player;
}

function carrier(a, s) {
  if (CARRIES.includes(a.kind)) return { team: offence(s), start: line(s) };
  return { team: s.ball.team, start: s.was?.start_yard ?? s.ball.yard };
}

const SACK_CREDITS = [
  { key: "b", value: "both", label: "hit on the passer and tackle for loss" },
  { key: "h", value: "hit", label: "hit on the passer" },
  { key: "l", value: "loss", label: "tackle for loss" },
  { key: "n", value: "neither", label: "neither" },
];

/**
 * A sack hits the passer; alone, and with the passer down behind the line, it is a tackle for loss
 * as well.
 */
const sackCredits = (a, s) =>
  a.sackers.length === 1 && a.held === "tackled" && a.to.yard < line(s) ? "both" : "hit";

function standingSackCredits(s) {
  const [hit, loss] = ["qb_hit", "tackle_for_loss"].map(
    (kind) => standingOf(s, "credit", (body) => body.kind === kind).length > 0,
  );
  if (hit && loss) return "both";
  if (hit) return "hit";
  return loss ? "loss" : "neither";
}

export const sack = {
  title: "Sack",
  needsBall: true,
  steps(a, s) {
    const team = offence(s);
    /** @type {Step[]} */
    const steps = [
      {
        name: "player",
        label: `Passer (${team})`,
        kind: "player",
        club: team,
        default: standing(s, "player", likelyPasser(team, s)),
        among: equallyLikely("passer", team, s),
      },
      {
        name: "to",
        label: `Down at (${team})`,
        kind: "spot",
        team,
        from: line(s),
        default: standingYard(s, "end_yard", team),
      },
      {
        name: "sackers",
        label: `Sacked by (${s.other(team)}), one or two`,
        kind: "players",
        club: s.other(team),
        max: 2,
        none: "nobody named",
        default: s.was?.by,
      },
    ];
    if (!s.single && a.sackers?.length) {
      steps.push({
        name: "held",
        label: "And then",
        kind: "choice",
        default: s.stood && !standingOf(s, "tackle").length ? "fumbled" : "tackled",
        options: [
          { key: "t", value: "tackled", label: "the passer was tackled" },
          { key: "f", value: "fumbled", label: "the ball came loose (go on with f)" },
        ],
      });
      if (a.held)
        steps.push({
          name: "credits",
          label: "Credited with",
          kind: "choice",
          default: s.stood ? standingSackCredits(s) : sackCredits(a, s),
          options: SACK_CREDITS,
        });
    }
    if (!a.to || !a.sackers || a.held === "fumbled") return steps;
    return [
      ...steps,
      ...safetySteps(a, s, { club: team, from: line(s), end: a.to.yard, by: a.sackers }),
    ];
  },
  build(a, s) {
    const team = offence(s);
    const stop = deadAt(a, a.to.yard, line(s));
    const body = {
      type: "sack",
      team,
      player: a.player,
      start_yard: line(s),
      end_yard: stop,
      by_team: s.other(team),
      by: a.sackers,
    };
    if (s.single) return [body];
    const kinds =
      { both: ["qb_hit", "tackle_for_loss"], hit: ["qb_hit"], loss: ["tackle_for_loss"] }[
        a.credits
      ] ?? [];
    const credits = (a.sackers ?? []).flatMap((player) =>
      kinds.map((kind) => ({ type: "credit", team: s.other(team), player, kind })),
    );
    const end = safetyBodies(a, s, team);
    if (a.held !== "tackled") return [body, ...credits, ...end];
    return [
      body,
      ...tackles({ tacklers: a.sackers, shared: "assist" }, s.other(team), a.player, stop),
      ...credits,
      ...end,
    ];
  },
};

/** What became of the loose ball: as it stands where the fumble is corrected. */
function likelyEnd(a, s) {
  if (s.was?.out_of_bounds && s.was.yard > 0 && standingOf(s, "safety").length) return "safety";
  if (s.was?.out_of_bounds && (s.single || s.was.yard !== 100)) return "out";
  if (s.single || (s.stood && !standingOf(s, "recovery").length)) return "loose";
  return a.at?.yard === 100 ? "through" : "recovered";
}

const FORCED = { label: "forced, by whom was not seen", key: "+", value: "+" };

export const fumble = {
  title: "Fumble",
  needsBall: true,
  steps(a, s) {
    /** @type {Step[]} */
    const steps = [clubStep("team", "Who lost the ball?", s, s.was?.team ?? s.ball.team)];
    if (!a.team) return steps;
    const yard = a.team === s.ball.team ? s.ball.yard : 100 - s.ball.yard;
    const mine = s.roster.clubOf(s.ball.player) === a.team ? s.ball.player : null;
    // another club's player did not lose it there
    const same = s.was && s.was.team !== a.team ? { ...s, was: null } : s;
    steps.push(
      {
        name: "player",
        label: `Lost by (${a.team})`,
        kind: "player",
        club: a.team,
        default: standing(same, "player", mine),
      },
      {
        name: "at",
        label: `Lost at (${a.team})`,
        kind: "spot",
        team: a.team,
        from: yard,
        default: standingYard(s, "yard", a.team) ?? yard,
      },
      {
        name: "forcedBy",
        label: `Forced by (${s.other(a.team)})`,
        kind: "player",
        club: s.other(a.team),
        beside: FORCED,
        default: same.was?.forced_by ?? (same.was?.forced_by_team ? FORCED.value : undefined),
      },
      {
        name: "then",
        label: "And the ball was",
        kind: "choice",
        default: likelyEnd(a, s),
        options: whereabouts(a, s),
      },
    );
    return [...steps, ...afterFumble(a, s)];
  },
  build(a, s) {
    const body = {
      type: "fumble",
      team: a.team,
      player: a.player,
      yard: a.at ? deadAt(a, a.at.yard, a.at.yard) : null,
      forced_by: a.forcedBy === FORCED.value ? null : a.forcedBy,
      forced_by_team: a.forcedBy ? s.other(a.team) : null,
      out_of_bounds: ["out", "through", "safety"].includes(a.then),
    };
    if (a.then === "safety" || a.then === "out")
      return [body, ...safetyBodies(a.then === "safety" ? { ...a, safety: "yes" } : a, s, a.team)];
    // The ball is lost though nobody fell on it, as the official credits have it.
    if (a.then === "through")
      return [
        body,
        { type: "recovery", team: s.other(a.team), player: null, yard: 0, is_touchdown: false },
      ];
    return !s.single && a.then === "recovered" ? [body, ...recovery(a, s)] : [body];
  },
};

/** @returns {Step[]} */
function afterFumble(a, s) {
  if (!a.at) return [];
  if (a.then === "recovered")
    return recoverySteps(a, s, {
      likely: a.team,
      team: a.team,
      yard: a.at.yard,
      fumbler: a.player ?? null,
    });
  // Fumbled in its own end zone and out of bounds, there or ahead of it (NFL 8-7-3): a safety by
  // its own impetus.
  return a.then === "out" && a.at.yard === 0
    ? safetySteps(a, s, { club: a.team, from: sentThere(a.team, s) ? 1 : 0, end: 0 })
    : [];
}

/** What may become of a fumble; a correction of it alone leaves out what other events say. */
function whereabouts(a, s) {
  const rivals = s.other(a.team);
  return [
    { key: "v", value: "recovered", label: "recovered" },
    { key: "o", value: "out", label: "out of bounds" },
    { key: "e", value: "through", label: `out of ${rivals}’s end zone: a touchback for ${rivals}` },
    {
      key: "s",
      value: "safety",
      label: `out of bounds behind ${a.team}’s goal line: a safety for ${rivals}`,
    },
    { key: "l", value: "loose", label: "still loose (go on with v)" },
  ].filter((option) => !s.single || !["recovered", "through", "safety"].includes(option.value));
}

/** Whether a ball in its own end zone got there by the club's own doing. */
const sentThere = (club, s) => !s.ball.turned || s.ball.impetus === club;

export const loose = {
  title: "Recovery",
  needsBall: true,
  steps: (a, s) =>
    recoverySteps(a, s, {
      likely: s.was?.team ?? s.ball.team,
      team: s.ball.team,
      yard: s.ball.yard,
      fumbler: s.ball.is_loose ? s.ball.player : undefined,
    }),
  build: (a, s) => (s.single ? recovery(a, s).slice(0, 1) : recovery(a, s)),
};
