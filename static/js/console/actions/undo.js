/** Undo: an entry is taken back; corrections are new entries, nothing is ever edited. Pure. */
import { logged } from "./shared/corrections.js";

/** Takes an entry back: nullifies it, or restores what a correction had taken away. */
export const undo = {
  name: "undo",
  title: "Undo",
  corrects: true,
  steps(a, s) {
    // Undos are skipped, overturns are not. A spotter's credit is not the scorer's last entry.
    const likely = Math.max(
      0,
      s.recent.findIndex((entry) => !entry.undone && !entry.spotter),
    );
    return [
      {
        name: "entry",
        label: "Undo which entry?",
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
