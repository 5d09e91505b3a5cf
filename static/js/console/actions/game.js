/**
 * The game: coin toss, start, end, final score, delays, and games that are not played as planned.
 * Pure.
 */
import { emptyPlay, scoreSteps } from "./shared/officials.js";
import { clubStep } from "./shared/parts.js";
import { REGULATION } from "../rules/rulebook.js";

const DECLARED = ["postponed", "suspended", "cancelled", "forfeited", "scheduled"];

const DELAYS = { delay: "start", resume: "end" };

const CAUSES = ["Lightning", "Weather", "Power failure", "Unsafe field"];

const CHOSEN = [
  { key: "d", value: "defer", label: "defers to the second half" },
  { key: "r", value: "receive", label: "receives" },
  { key: "k", value: "kick", label: "kicks" },
  { key: "g", value: "defend", label: "chooses a goal" },
];

// An overtime of series has no second half and no kickoff: NCAA 3-1-3, NFHS 3-1-1.
const CHOSEN_IN_SERIES = [
  { key: "r", value: "receive", label: "offense: has the ball first" },
  { key: "k", value: "kick", label: "defense: the other club has the ball first" },
  { key: "g", value: "defend", label: "chooses an end" },
];

const TOSSED = {
  receive: "receives",
  kick: "kicks",
  defend: "chooses a goal",
  defer: "defers to the second half",
};

/** Who won the toss, what they chose, who receives. @returns {Step[]} */
function tossSteps(a, s) {
  const steps = [clubStep("winner", "Who won the toss?", s, undefined)];
  if (!a.winner) return steps;
  const isOvertime = s.period.period > REGULATION;
  const options = isOvertime ? CHOSEN.filter(({ value }) => value !== "defer") : CHOSEN;
  const isSeries = isOvertime && s.rules?.overtime_rule === "series";
  steps.push({
    name: "choice",
    label: `${a.winner} chose`,
    kind: "choice",
    default: isOvertime ? "receive" : "defer",
    options: isSeries ? CHOSEN_IN_SERIES : options,
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
  name: "game",
  title: "Game",
  steps(a, s) {
    // Enter must not end a game by accident
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
  sentences: {
    game_started: (b) => `The game begins: ${b.away} at ${b.home}.`,
    coin_toss: (b) =>
      `${b.winner} wins the toss and ${TOSSED[b.choice]}: ${b.receiver} receives${b.goal ? ` (${b.goal})` : ""}.`,
    delay: (b) =>
      `Play ${b.phase === "start" ? "is delayed" : "resumes"}${b.reason ? ` (${b.reason})` : ""}.`,
    game_status: (b) =>
      `The game ${b.status === "scheduled" ? "is played after all" : `is ${b.status}`}${b.reason ? ` (${b.reason})` : ""}.`,
    game_ended: () => "The game has ended.",
    final: (b, s) =>
      `FINAL, official: ${s.clubs.away} ${b.away_score}, ${s.clubs.home} ${b.home_score}.`,
  },
};
