/** Credits and what the officials do: tackles, credits, penalties, reviews, timeouts, periods, start and end. Pure. */
import { clubStep, tackles, tackleSteps } from "./parts.js";

export const tackle = {
  title: "Tackle",
  needsBall: true,
  steps(a, s) {
    /** @type {Step[]} */
    const steps = [clubStep("team", "Credit for which club?", s, s.was?.team ?? s.other(s.ball.team))];
    if (!a.team) return steps;
    const tackled = s.other(a.team);
    const carrier = s.roster.clubOf(s.ball.player) === tackled ? s.ball.player : null;
    const yard = tackled === s.ball.team ? s.ball.yard : 100 - s.ball.yard;
    return [
      ...steps,
      ...tackleSteps(a, a.team),
      { name: "tackled", label: `Tackled (${tackled})`, kind: "player", club: tackled, default: s.was?.tackled ?? carrier },
      { name: "at", label: `Down at (${tackled})`, kind: "spot", team: tackled, from: yard, default: s.was?.yard ?? yard },
    ];
  },
  build(a, s) {
    const named = a.tacklers.length ? a : { ...a, tacklers: [null] };
    const bodies = tackles(named, a.team, a.tackled, a.at.yard);
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
    if (a.team) steps.push({ name: "player", label: `To (${a.team})`, kind: "player", club: a.team, default: s.was?.player });
    return steps;
  },
  build: (a) => [{ type: "credit", team: a.team, player: a.player, kind: a.kind }],
};

/** Foul, its yards, and where it is enforced from when nothing else is said. */
const FOULS = {
  "False Start": [5, "repeat_down"],
  "Offensive Holding": [10, "nullify"],
  "Defensive Holding": [5, "first_down"],
  "Defensive Offside": [5, "nullify"],
  "Neutral Zone Infraction": [5, "repeat_down"],
  Encroachment: [5, "repeat_down"],
  "Delay of Game": [5, "repeat_down"],
  "Defensive Pass Interference": [0, "first_down"],
  "Offensive Pass Interference": [10, "nullify"],
  "Face Mask": [15, "downfield"],
  "Roughing the Passer": [15, "downfield"],
  "Unnecessary Roughness": [15, "downfield"],
  "Illegal Block Above the Waist": [10, "downfield"],
  "Illegal Contact": [5, "first_down"],
  "Illegal Use of Hands": [10, "nullify"],
  "Illegal Formation": [5, "nullify"],
  "Illegal Shift": [5, "nullify"],
  "Intentional Grounding": [10, "change_down"],
  "Ineligible Downfield Pass": [5, "nullify"],
  "Too Many Men on the Field": [5, "repeat_down"],
  Taunting: [15, "downfield"],
};

const OUTCOMES = [
  { key: "n", value: "nullify", label: "nullify the play" },
  { key: "r", value: "repeat_down", label: "repeat the down" },
  { key: "c", value: "change_down", label: "change the down" },
  { key: "1", value: "first_down", label: "first down" },
  { key: "f", value: "downfield", label: "downfield, from the end of the play" },
];

export const penalty = {
  title: "Penalty",
  needsBall: true,
  steps(a, s) {
    /** @type {Step[]} */
    const steps = [clubStep("team", "Foul by which club?", s, s.was?.team ?? s.snap?.possession ?? s.ball.team)];
    if (!a.team) return steps;
    const [yards, outcome] = FOULS[a.foul] ?? [5, "repeat_down"];
    steps.push(
      { name: "foul", label: "Foul", kind: "words", known: Object.keys(FOULS), default: s.was?.foul },
      { name: "player", label: `Committed by (${a.team})`, kind: "player", club: a.team, default: s.was?.player },
      {
        name: "status",
        label: "The penalty is",
        kind: "choice",
        default: s.was?.status ?? "accepted",
        options: [
          { key: "a", value: "accepted", label: "accepted" },
          { key: "d", value: "declined", label: "declined" },
          { key: "o", value: "offsetting", label: "offsetting" },
        ],
      },
    );
    if (a.status === "accepted") {
      steps.push(
        { name: "yards", label: "Yards walked off", kind: "number", min: 0, max: 100, unit: "yards", default: s.was?.yards ?? yards },
        { name: "outcome", label: "Outcome", kind: "choice", default: s.was?.outcome ?? outcome, options: OUTCOMES },
        { name: "spot", label: `Walked off from (${a.team})`, kind: "spot", team: a.team, from: null, optional: true },
      );
    }
    const wiped = action(s);
    if (!s.single && wiped.length && (a.status === "offsetting" || a.outcome === "nullify")) {
      const list = wiped.map((number) => `#${number}`).join(" ");
      steps.push({ name: "strike", label: "Strike out the play?", kind: "choice", default: true, options: [{ key: "y", value: true, label: `yes: ${list}` }, { key: "n", value: false, label: "no, it stands" }] });
    }
    return steps;
  },
  build(a, s) {
    const body = {
      type: "penalty",
      team: a.team,
      player: a.player,
      foul: a.foul,
      yards: a.yards ?? 0,
      status: a.status,
      outcome: a.status === "declined" ? "decline" : a.status === "offsetting" ? "offsetting" : a.outcome,
      enforcement_yard: a.spot?.yard ?? null,
    };
    if (!a.strike) return [body];
    return [body, { type: "nullify", events: action(s), reason: a.foul || "penalty" }];
  },
};

/** What a foul wipes out: everything of the play but its snap, fouls and stoppages. */
function action(s) {
  const kept = ["snap", "penalty", "timeout", "challenge", "scoreboard", "period", "game_ended", "final"];
  return (s.play_events ?? []).filter((event) => !kept.includes(event.type)).map((event) => event.number);
}

export const challenge = {
  title: "Review",
  needsBall: true,
  steps(a, s) {
    const previous = (s.play_events ?? []).filter((event) => event.type === "challenge").at(-1)?.body;
    const by = clubStep("by", "Who asks for the review?", s, previous ? (previous.by ?? "booth") : "booth");
    by.options = [...by.options, { key: "b", value: "booth", label: "the booth" }];
    return [
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
        ],
      },
      { name: "reason", label: "About what", kind: "words", default: previous?.reason ?? "" },
    ];
  },
  build: (a) => [{ type: "challenge", by: a.by === "booth" ? null : a.by, ruling: a.ruling, reason: a.reason }],
};

export const timeout = {
  title: "Timeout",
  steps(a, s) {
    const by = clubStep("team", "Called by", s, s.snap?.possession ?? "officials");
    by.options = [...by.options, { key: "o", value: "officials", label: "the officials" }];
    /** @type {Step[]} */
    const steps = [by];
    if (a.team) steps.push({ name: "reason", label: "Reason", kind: "words", default: "", known: a.team === "officials" ? ["Two-minute warning", "Injury", "Television", "Measurement"] : undefined });
    return steps;
  },
  build: (a) => [{ type: "timeout", team: a.team === "officials" ? null : a.team, reason: a.reason }],
};

/** The visitors' score first, as the board has it. */
const scoreSteps = (s, which) =>
  ["away", "home"].map((name) => ({ name, label: `Score of ${s.clubs[name]} ${which}`, kind: "number", min: 0, max: 200, default: s.score[s.clubs[name]] }));

/** The score as the stadium shows it: after a crash first this, the plays can be repaired later. */
export const scoreboard = {
  title: "Score now",
  steps(a, s) {
    return [
      ...scoreSteps(s, "on the stadium’s board"),
      { name: "period", label: "Period (overtime from 5)", kind: "number", min: 1, max: 10, default: s.suggestion.period },
      { name: "clock", label: "Clock now", kind: "clock", default: s.suggestion.clock },
    ];
  },
  build: (a) => [{ type: "scoreboard", home_score: a.home, away_score: a.away, period: a.period, clock: a.clock }],
};

export const period = {
  title: "Period",
  steps(a, s) {
    const { period: number, running } = s.period;
    return [
      { name: "phase", label: "The period", kind: "choice", default: running ? "end" : "start", options: [{ key: "s", value: "start", label: "starts" }, { key: "e", value: "end", label: "ends" }] },
      { name: "period", label: "Which (1 to 4, overtime from 5)", kind: "number", min: 1, max: 10, default: number },
    ];
  },
  build: (a) => [{ type: "period", period: a.period, phase: a.phase }],
};

export const game = {
  title: "Game",
  steps(a, s) {
    const likely = { scheduled: "start", ended: "final", final: "final" }[s.status] ?? "end";
    /** @type {Step[]} */
    const steps = [
      {
        name: "what",
        label: "The game",
        kind: "choice",
        default: likely,
        options: [
          { key: "s", value: "start", label: "starts (with the first period)" },
          { key: "e", value: "end", label: "has ended" },
          { key: "f", value: "final", label: "final score is official" },
        ],
      },
    ];
    if (a.what === "final") {
      steps.push(...scoreSteps(s, "that is final"));
    }
    return steps;
  },
  build(a, s) {
    if (a.what === "final") return [{ type: "final", home_score: a.home, away_score: a.away }];
    if (a.what === "end") return [{ type: "game_ended" }];
    return [{ type: "game_started", home: s.clubs.home, away: s.clubs.away }, { type: "period", period: 1, phase: "start" }];
  },
};
