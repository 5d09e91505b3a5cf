/** A timeout of a club or the officials. Pure. */
import { clubStep } from "./shared/parts.js";

/** Reasons why a club without timeouts may still be charged with one late in a half. */
const EXCESS = ["Injury, no timeout left", "Challenge lost, no timeout left"];

/** Whether the club has used up its timeouts. Unknown on a page of an earlier release. */
const isSpent = (s, club) => s.timeouts?.left[club] === 0;

/**
 * The club as a choice that shows how many timeouts it has left, and cannot be chosen without any.
 */
function chargeable(option, s) {
  const left = s.timeouts?.left[option.value];
  if (left === undefined || s.single) return option;
  const label = `${option.label}: ${left} left`;
  if (left || s.timeouts.excess) return { ...option, label };
  return {
    ...option,
    label,
    refused: `${option.value} has no timeouts left. Choose o for the officials, or press Esc. If an earlier one was a mistake, undo it.`,
  };
}

export const timeout = {
  name: "timeout",
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
        label: `${a.team} has none left: reason`,
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
  sentences: {
    timeout: (b) => `Timeout, ${b.team ?? "officials"}${b.reason ? `: ${b.reason}` : ""}.`,
  },
};
