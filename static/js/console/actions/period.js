/** A period starts or ends. Pure. */
import { periodWords } from "../entry/spots.js";
import { emptyPlay } from "./shared/officials.js";

export const period = {
  name: "period",
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
  sentences: {
    period: (b) => `${periodWords(b.period)} ${b.phase === "start" ? "begins" : "ends"}.`,
  },
};
