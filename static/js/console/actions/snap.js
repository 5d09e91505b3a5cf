/** The snap, kickoff or try: clock, down and spot in one line. Pure. */
import { clockWords, ordinal, periodWords } from "../entry/spots.js";
import { spotOf } from "./shared/naming.js";

export const snap = {
  name: "snap",
  title: "Snap",
  direct: true,
  isRuling: true,
  steps: (a, s) => [
    {
      name: "snap",
      label: "Clock, down & distance, spot: only what differs",
      kind: "snap",
      default: s.suggestion,
      hint: `1231 clock, 31 its seconds · 2&7 down & distance · o28 own, d20 theirs · ${s.clubs.home} ball · k kickoff · try · two · q2 period`,
    },
  ],
  build: (a) => [{ type: "snap", ...a.snap }],
  sentences: {
    snap(b, s) {
      const place = `${spotOf(b.possession, b.spot, s)}, ${clockWords(b.clock)} ${periodWords(b.period)}`;
      if (b.situation === "scrimmage" || !b.situation) {
        const goal = b.spot + b.distance >= 100;
        return `${b.possession} ball, ${ordinal(b.down)} & ${goal ? "goal" : b.distance} at ${place}.`;
      }
      return `${{ kickoff: "Kickoff", free_kick: "Free kick", try: "Try" }[b.situation]} by ${b.possession} from ${place}.`;
    },
  },
};
