/** The score on the stadium's board. Pure. */
import { clockWords, periodWords } from "../entry/spots.js";
import { scoreSteps } from "./shared/officials.js";

/**
 * The score on the stadium's board. After a crash it is entered first, and the plays are repaired
 * later.
 */
export const scoreboard = {
  name: "scoreboard",
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
  sentences: {
    scoreboard: (b, s) =>
      `The stadium’s board at ${clockWords(b.clock)} ${periodWords(b.period)}: ${s.clubs.away} ${b.away_score}, ${s.clubs.home} ${b.home_score}.`,
  },
};
