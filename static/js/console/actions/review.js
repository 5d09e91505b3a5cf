/** A review, asked for by a coach or the booth, and its ruling. Pure. */
import { clubStep } from "./shared/parts.js";

export const review = {
  name: "review",
  title: "Review",
  needsBall: true,
  isLate: true,
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
  sentences: {
    challenge(b) {
      const ruling = {
        pending: "under review",
        upheld: "upheld",
        stands: "stands",
        overturned: "OVERTURNED",
      }[b.ruling];
      return `Review by ${b.by ?? "the booth"}: ${ruling}${b.reason ? ` (${b.reason})` : ""}.`;
    },
  },
};

/**
 * Whether a club asked for the review and the call was not changed, which costs it a timeout (NFL
 * 15-9-1, NCAA 12-5-1).
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
        left === 0 && !s.timeouts.excess ? `${club} has no timeouts left. Press n.` : undefined,
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

const CHALLENGE_LOST = "Challenge lost";
