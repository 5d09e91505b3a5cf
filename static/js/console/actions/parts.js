/** The questions that many actions share, and the bodies that follow from them. Pure. */

/** One key for each club, so that no list has to be walked. */
export function clubStep(name, label, s, likely) {
  const { home, away } = s.clubs;
  return {
    name,
    label,
    kind: "choice",
    default: likely,
    options: [
      { key: "h", value: home, label: `${home} (home)` },
      { key: "a", value: away, label: `${away} (away)` },
    ],
  };
}

/** Tacklers of `club`, and how two or more share the credit. */
export function tackleSteps(a, club) {
  /** @type {Step[]} */
  const steps = [{ name: "tacklers", label: `Tackled by (${club})`, kind: "players", club, none: "nobody: out of bounds or no credit" }];
  if ((a.tacklers ?? []).length > 1) {
    steps.push({
      name: "shared",
      label: "How do they share it?",
      kind: "choice",
      default: "assist",
      options: [
        { key: "a", value: "assist", label: "assists all" },
        { key: "p", value: "primary", label: "the first made it, the others helped" },
      ],
    });
  }
  return steps;
}

/** @returns {object[]} tackle bodies: one alone is solo */
export function tackles(a, team, tackled, yard) {
  const named = a.tacklers ?? [];
  return named.map((tackler, index) => ({
    type: "tackle",
    team,
    tackler,
    tackled,
    kind: named.length === 1 ? "solo" : a.shared === "primary" && index === 0 ? "primary" : "assist",
    yard,
  }));
}

/**
 * The tackle for loss, as the official statistics have it: whoever stopped the ball behind the line of scrimmage alone, or
 * made the tackle that others helped with; nobody where all assisted.
 * @param {number|undefined} end  where the club of the snap was stopped
 */
export function lossSteps(a, s, end) {
  if (!isForLoss(a, s, end)) return [];
  return [{ name: "forLoss", label: "A tackle for loss?", kind: "choice", default: true, options: [{ key: "y", value: true, label: "yes" }, { key: "n", value: false, label: "no" }] }];
}

function isForLoss(a, s, end) {
  const made = (a.tacklers ?? []).length === 1 || ((a.tacklers ?? []).length > 1 && a.shared === "primary");
  return !s.single && made && end !== undefined && (s.snap?.situation ?? "scrimmage") === "scrimmage" && end < (s.snap?.spot ?? 0);
}

/** @returns {object[]} the credit for it, unless the scorer said no */
export function lossCredit(a, s, team, end) {
  return a.forLoss && isForLoss(a, s, end) ? [{ type: "credit", team, player: a.tacklers[0], kind: "tackle_for_loss" }] : [];
}

/** Who falls on a loose ball, where, and how far they come. */
export function recoverySteps(a, s, { likely, team, yard }) {
  /** @type {Step[]} */
  const steps = [clubStep("recoveredBy", "Recovered by which club?", s, likely)];
  const by = a.recoveredBy;
  if (!by) return steps;
  const at = by === team ? yard : 100 - yard;
  steps.push(
    { name: "recoverer", label: `Recovered by (${by})`, kind: "player", club: by },
    { name: "recoveredAt", label: `Recovered at (${by})`, kind: "spot", team: by, from: at, default: at, score: true },
  );
  if (s.single || !a.recoveredAt || a.recoveredAt.touchdown) return steps;
  const start = a.recoveredAt.yard;
  steps.push({ name: "advancedTo", label: `Brought to (${by})`, kind: "spot", team: by, from: start, default: start, defaultLabel: "no further", score: true });
  if (a.advancedTo && !a.advancedTo.touchdown) steps.push(...tackleSteps(a, s.other(by)));
  return steps;
}

export function recovery(a, s) {
  const by = a.recoveredBy;
  const at = a.recoveredAt;
  /** @type {EventBody[]} */
  const bodies = [{ type: "recovery", team: by, player: a.recoverer, yard: at.yard, is_touchdown: at.touchdown }];
  const end = a.advancedTo;
  if (end && (end.touchdown || end.yard !== at.yard)) {
    bodies.push({ type: "run", team: by, player: a.recoverer, kind: "after_recovery", start_yard: at.yard, end_yard: end.yard, is_touchdown: end.touchdown });
  }
  return [...bodies, ...tackles(a, s.other(by), a.recoverer, (end ?? at).yard)];
}

/** Without the fields that say nothing, as the wire has them. */
export function lean(body) {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== undefined && value !== ""));
}
