/**
 * Credits and what the officials do: tackles, credits, reviews, timeouts, periods, start and end.
 * Pure.
 */
import { given } from "../rules/suggestion.js";
import { clubStep, standing, tackles, tackleSteps } from "./parts.js";

/**
 * Who is added to an earlier play alone, or corrected, need not have made the tackle alone.
 * @returns {Step[]}
 */
function lateShare(a, s) {
  if (!(s.late || s.was) || a.tacklers?.length !== 1) return [];
  const others = s.play_events.some(
    (event) => event.type === "tackle" && event.body.team === a.team,
  );
  const options = [
    { key: "s", value: "solo", label: "the tackle alone" },
    { key: "a", value: "assist", label: "an assist" },
    { key: "p", value: "primary", label: "the tackle, with help" },
  ];
  return [
    {
      name: "share",
      label: "Credited with",
      kind: "choice",
      default: s.was?.kind ?? (others ? "assist" : "solo"),
      options,
    },
  ];
}

/**
 * Where the tackle that is corrected was made, as the club that was tackled sees it (the record has
 * it so too).
 */
const standingDown = (s, team) =>
  given(s.was?.yard) ? (s.was.team === team ? s.was.yard : 100 - s.was.yard) : undefined;

export const tackle = {
  title: "Tackle",
  needsBall: true,
  steps(a, s) {
    /** @type {Step[]} */
    const steps = [
      clubStep("team", "Credit for which club?", s, s.was?.team ?? s.other(s.ball.team)),
    ];
    if (!a.team) return steps;
    const tackled = s.other(a.team);
    const carrier = s.roster.clubOf(s.ball.player) === tackled ? s.ball.player : null;
    const yard = tackled === s.ball.team ? s.ball.yard : 100 - s.ball.yard;
    const same = s.was && s.was.team !== a.team ? { ...s, was: null } : s;
    return [
      ...steps,
      ...tackleSteps(a, a.team, s),
      ...lateShare(a, s),
      {
        name: "tackled",
        label: `Tackled (${tackled})`,
        kind: "player",
        club: tackled,
        default: standing(same, "tackled", carrier),
      },
      {
        name: "at",
        label: `Down at (${tackled})`,
        kind: "spot",
        team: tackled,
        from: yard,
        default: standingDown(s, a.team) ?? yard,
      },
    ];
  },
  build(a, s) {
    const named = a.tacklers.length ? a : { ...a, tacklers: [null] };
    const bodies = tackles(named, a.team, a.tackled, a.at.yard);
    if (bodies.length === 1 && a.share) return [{ ...bodies[0], kind: a.share }];
    return s.single ? bodies.slice(0, 1) : bodies;
  },
};

export const credit = {
  title: "Credit",
  needsBall: true,
  steps(a, s) {
    /** @type {Step[]} */
    const steps = [
      {
        name: "kind",
        label: "Credit for",
        kind: "choice",
        default: s.was?.kind ?? "pass_defended",
        options: [
          { key: "p", value: "pass_defended", label: "pass defended" },
          { key: "h", value: "qb_hit", label: "hit on the passer" },
          { key: "l", value: "tackle_for_loss", label: "tackle for loss" },
        ],
      },
      clubStep("team", "Which club?", s, s.was?.team ?? s.other(s.snap?.possession ?? s.ball.team)),
    ];
    if (a.team)
      steps.push({
        name: "player",
        label: `To (${a.team})`,
        kind: "player",
        club: a.team,
        default: s.was?.player,
      });
    return steps;
  },
  build: (a) => [{ type: "credit", team: a.team, player: a.player, kind: a.kind }],
};

export const challenge = {
  title: "Review",
  needsBall: true,
  steps(a, s) {
    const previous = (s.play_events ?? [])
      .filter((event) => event.type === "challenge")
      .at(-1)?.body;
    const by = clubStep(
      "by",
      "Who asks for the review?",
      s,
      previous ? (previous.by ?? "booth") : "booth",
    );
    by.options = [
      ...by.options.map((option) => counted(option, s)),
      { key: "b", value: "booth", label: "the booth" },
    ];
    /** @type {Step[]} */
    const steps = [
      by,
      {
        name: "ruling",
        label: "Ruling",
        kind: "choice",
        default: previous?.ruling === "pending" ? "upheld" : "pending",
        options: [
          { key: "p", value: "pending", label: "under review" },
          { key: "u", value: "upheld", label: "upheld (confirmed)" },
          { key: "s", value: "stands", label: "stands" },
          { key: "o", value: "overturned", label: "overturned (then w for the new ruling)" },
          { key: "e", value: "entered", label: "overturned, and the play is entered as ruled" },
        ],
      },
      { name: "reason", label: "About what", kind: "words", default: previous?.reason ?? "" },
    ];
    return isLost(a) ? [...steps, chargeStep(a.by, s)] : steps;
  },
  build(a) {
    const body = { type: "challenge", by: a.by === "booth" ? null : a.by, reason: a.reason };
    if (a.ruling === "entered") return [{ ...body, ruling: "overturned", is_entered: true }];
    const challenged = { ...body, ruling: a.ruling };
    return isLost(a) && a.charged
      ? [challenged, { type: "timeout", team: a.by, reason: CHALLENGE_LOST }]
      : [challenged];
  },
};

/**
 * Whether a club asked and the call was not changed: that costs it a timeout (NFL 15-9-1, NCAA
 * 12-5-1).
 */
const isLost = (a) => Boolean(a.by) && a.by !== "booth" && ["upheld", "stands"].includes(a.ruling);

/** @returns {Step} */
function chargeStep(club, s) {
  const left = s.timeouts?.left[club];
  const options = [
    {
      key: "y",
      value: true,
      label: `yes${left === undefined ? "" : `: ${left} left`}`,
      refused:
        left === 0 && !s.timeouts.excess ? `${club} has no timeout left (0): press n.` : undefined,
    },
    { key: "n", value: false, label: "no" },
  ];
  return {
    name: "charged",
    label: `Charge ${club} with a timeout for it?`,
    kind: "choice",
    default: left !== 0 || s.timeouts.excess,
    options,
  };
}

/** A club as a choice that says how many challenges it has used. */
function counted(option, s) {
  const { used = 0, lost = 0 } = s.challenges?.[option.value] ?? {};
  return used ? { ...option, label: `${option.label}: ${used} used, ${lost} lost` } : option;
}

/** Why a club that has no timeout left may be charged with one all the same, late in a half. */
const EXCESS = ["Injury, no timeout left", "Challenge lost, no timeout left"];
const CHALLENGE_LOST = "Challenge lost";

/**
 * Whether the club has used up its timeouts; unknown while a page of an earlier release is open.
 */
const isSpent = (s, club) => s.timeouts?.left[club] === 0;

/**
 * The club as a choice that says how many it has left, and that cannot be taken where it has none.
 */
function chargeable(option, s) {
  const left = s.timeouts?.left[option.value];
  if (left === undefined || s.single) return option;
  const label = `${option.label}: ${left} left`;
  if (left || s.timeouts.excess) return { ...option, label };
  return {
    ...option,
    label,
    refused: `${option.value} has no timeout left (0). Choose o for the officials, or Esc; an earlier one that was a mistake is taken back with undo.`,
  };
}

export const timeout = {
  title: "Timeout",
  steps(a, s) {
    const likely = s.snap?.possession ?? "officials";
    const by = clubStep("team", "Called by", s, isSpent(s, likely) ? "officials" : likely);
    by.options = [
      ...by.options.map((option) => chargeable(option, s)),
      { key: "o", value: "officials", label: "the officials" },
    ];
    /** @type {Step[]} */
    const steps = [by];
    if (a.team && a.team !== "officials" && isSpent(s, a.team) && !s.single) {
      const options = EXCESS.map((value, index) => ({
        key: "ic"[index],
        value,
        label: value.toLowerCase(),
      }));
      steps.push({
        name: "reason",
        label: `${a.team} has none left: charged for`,
        kind: "choice",
        default: EXCESS[0],
        options,
      });
    } else if (a.team) {
      steps.push({
        name: "reason",
        label: "Reason",
        kind: "words",
        default: "",
        known:
          a.team === "officials"
            ? ["Two-minute warning", "Injury", "Television", "Measurement"]
            : undefined,
      });
    }
    return steps;
  },
  build: (a) => [
    { type: "timeout", team: a.team === "officials" ? null : a.team, reason: a.reason },
  ],
};

/** The visitors' score first, as the board has it. */
const scoreSteps = (s, which) =>
  ["away", "home"].map((name) => ({
    name,
    label: `Score of ${s.clubs[name]} ${which}`,
    kind: "number",
    min: 0,
    max: 200,
    default: s.score[s.clubs[name]],
  }));

/** The score as the stadium shows it: after a crash first this, the plays can be repaired later. */
export const scoreboard = {
  title: "Score now",
  steps(a, s) {
    return [
      ...scoreSteps(s, "on the stadium’s board"),
      {
        name: "period",
        label: "Period (overtime from 5)",
        kind: "number",
        min: 1,
        max: 10,
        default: s.suggestion.period,
      },
      { name: "clock", label: "Clock now", kind: "clock", default: s.suggestion.clock },
    ];
  },
  build: (a) => [
    {
      type: "scoreboard",
      home_score: a.home,
      away_score: a.away,
      period: a.period,
      clock: a.clock,
    },
  ],
};

/**
 * Why nothing ends now: a snap without a result would stand as an empty play; undefined while there
 * is none.
 */
function emptyPlay(s) {
  if (!s.live || !s.snap || s.single) return undefined;
  const { keys, play_number: play } = s;
  return `Nothing is recorded of play ${play}: enter what happened, or take its snap back with ${keys?.undo ?? "u"} if it was not played.`;
}

export const period = {
  title: "Period",
  steps(a, s) {
    const { period: number, running } = s.period;
    return [
      {
        name: "phase",
        label: "The period",
        kind: "choice",
        default: running ? "end" : "start",
        options: [
          { key: "s", value: "start", label: "starts" },
          { key: "e", value: "end", label: "ends", refused: emptyPlay(s) },
        ],
      },
      {
        name: "period",
        label: "Which (1 to 4, overtime from 5)",
        kind: "number",
        min: 1,
        max: 10,
        default: number,
      },
    ];
  },
  build: (a) => [{ type: "period", period: a.period, phase: a.phase }],
};

const DECLARED = ["postponed", "suspended", "cancelled", "forfeited", "scheduled"];
const DELAYS = { delay: "start", resume: "end" };
const CAUSES = ["Lightning", "Weather", "Power failure", "Unsafe field"];

const CHOSEN = [
  { key: "d", value: "defer", label: "defers to the second half" },
  { key: "r", value: "receive", label: "receives" },
  { key: "k", value: "kick", label: "kicks" },
  { key: "g", value: "defend", label: "chooses a goal" },
];

/** Who won the toss, what they chose, who receives. @returns {Step[]} */
function tossSteps(a, s) {
  const steps = [clubStep("winner", "Who won the toss?", s, undefined)];
  if (!a.winner) return steps;
  steps.push({
    name: "choice",
    label: `${a.winner} chose`,
    kind: "choice",
    default: s.period.period > 4 ? "receive" : "defer",
    options: CHOSEN,
  });
  if (!a.choice) return steps;
  steps.push(
    clubStep("receiver", "Who receives?", s, a.choice === "receive" ? a.winner : s.other(a.winner)),
  );
  return [
    ...steps,
    {
      name: "goal",
      label: "Which goal is defended? Enter leaves it out",
      kind: "words",
      default: "",
    },
  ];
}

export const game = {
  title: "Game",
  steps(a, s) {
    // Enter ends no game by accident
    const underWay = s.delayed ? "resume" : s.suggestion.over ? "end" : undefined;
    const likely =
      {
        scheduled: "start",
        postponed: "start",
        suspended: "resume",
        ended: "final",
        final: "final",
      }[s.status] ?? underWay;
    /** @type {Step[]} */
    const steps = [
      {
        name: "what",
        label: "The game",
        kind: "choice",
        default: likely,
        options: [
          { key: "t", value: "toss", label: "coin toss" },
          { key: "s", value: "start", label: "starts (with the first period)" },
          { key: "e", value: "end", label: "has ended", refused: emptyPlay(s) },
          { key: "f", value: "final", label: "final score is official" },
          { key: "d", value: "delay", label: "is delayed (weather, power)" },
          { key: "r", value: "resume", label: "resumes" },
          { key: "p", value: "postponed", label: "is postponed" },
          { key: "u", value: "suspended", label: "is suspended" },
          { key: "c", value: "cancelled", label: "is cancelled" },
          { key: "o", value: "forfeited", label: "is forfeited" },
          { key: "a", value: "scheduled", label: "is played after all" },
        ],
      },
    ];
    if (a.what === "final") {
      steps.push(...scoreSteps(s, "that is final"));
    } else if (a.what === "toss") {
      steps.push(...tossSteps(a, s));
    } else if (DECLARED.includes(a.what) || a.what in DELAYS) {
      steps.push({ name: "reason", label: "Why", kind: "words", default: "", known: CAUSES });
    }
    return steps;
  },
  build(a, s) {
    if (a.what === "final") return [{ type: "final", home_score: a.home, away_score: a.away }];
    if (a.what === "end") return [{ type: "game_ended" }];
    if (a.what === "toss")
      return [
        {
          type: "coin_toss",
          winner: a.winner,
          choice: a.choice,
          receiver: a.receiver,
          goal: a.goal,
        },
      ];
    if (a.what in DELAYS) return [{ type: "delay", phase: DELAYS[a.what], reason: a.reason }];
    if (DECLARED.includes(a.what))
      return [{ type: "game_status", status: a.what, reason: a.reason }];
    return [
      { type: "game_started", home: s.clubs.home, away: s.clubs.away },
      { type: "period", period: 1, phase: "start" },
    ];
  },
};
