/** Undo: an entry is taken back; corrections are new entries, nothing is ever edited. Pure. */
import { logged } from "./shared/corrections.js";

/** Takes back an entry: nullifies it, or brings back what a correction had taken away. */
export const undo = {
  name: "undo",
  title: "Undo",
  corrects: true,
  steps(a, s) {
    // An undo is passed over, an overturn is not; a spotter's credit is not what the scorer did
    // last.
    const likely = Math.max(
      0,
      s.recent.findIndex((entry) => !entry.undone && !entry.spotter),
    );
    return [
      {
        name: "entry",
        label: "Take back which entry?",
        kind: "logged",
        options: logged(s.recent),
        default: likely,
        fetch: "entry",
      },
    ];
  },
  build: (a) => a.entry.undo,
  playNumber: (a) => a.entry.play_number,
  sentences: {
    nullify: (b) =>
      `NULLIFIED: ${b.events.map((n) => `#${n}`).join(" ")}${b.reason ? ` (${b.reason})` : ""}.`,
  },
};
