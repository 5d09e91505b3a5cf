/** The catch by the defence and its return: of a pass, or as a ruling of its own. Pure. */
import { isSet } from "../../rules/suggestion.js";
import {
  deadAt,
  proposedEnd,
  safetyBodies,
  safetySteps,
  snapYard,
  standingEnd,
  standingOf,
  standingRun,
  tackleSteps,
  tackles,
} from "./parts.js";

/** Where the pass was thrown to, seen by the defence; undefined if not recorded. */
function aimFor(a, s) {
  const aim = a.aimedAt?.yard ?? s.passed?.reception_yard;
  return isSet(aim) ? 100 - aim : undefined;
}

/** Who caught it, where, and how far they returned it. @returns {Step[]} */
export function interceptionSteps(a, s, club) {
  const aimedAt = aimFor(a, s);
  const [stood] = s.was?.type === "interception" ? [s.was] : standingOf(s, "interception");
  const likely = stood ? standingEnd({ was: stood }, "yard", club) : aimedAt;
  /** @type {Step[]} */
  const steps = [
    {
      name: "thief",
      label: `Intercepted by (${club})`,
      kind: "player",
      club,
      default: stood?.player,
    },
    {
      name: "stolenAt",
      label: `Intercepted at (${club})`,
      kind: "spot",
      team: club,
      from: aimedAt ?? 100 - snapYard(s),
      default: likely,
      deep: true,
      score: true,
      hint: "35 or o35 own · d20 theirs · e5 five deep in the end zone",
    },
  ];
  if (s.single || !a.stolenAt || a.stolenAt.touchdown) return steps;
  const further = proposedEnd(standingRun(s, "return"), a.stolenAt.yard, "no return");
  steps.push({
    name: "returnedTo",
    label: `Returned to (${club})`,
    kind: "spot",
    team: club,
    from: a.stolenAt.yard,
    ...further,
    score: true,
  });
  if (!a.returnedTo || a.returnedTo.touchdown) return steps;
  return [
    ...steps,
    ...tackleSteps(a, s.other(club), s),
    ...safetySteps(a, s, { club, from: a.stolenAt.yard, end: a.returnedTo.yard, by: a.tacklers }),
  ];
}

export function interceptionBodies(a, s, club) {
  const at = a.stolenAt;
  /** @type {EventBody[]} */
  const bodies = [
    {
      type: "interception",
      team: club,
      player: a.thief,
      yard: at.yard,
      is_touchdown: at.touchdown,
    },
  ];
  if (s.single) return bodies;
  const end = a.returnedTo ?? at;
  const stop = deadAt(a, end.yard, at.yard);
  const isTouchback = at.yard <= 0 && stop <= 0;
  if (a.returnedTo?.touchdown || (stop !== at.yard && !isTouchback)) {
    bodies.push({
      type: "run",
      team: club,
      player: a.thief,
      kind: "return",
      start_yard: at.yard,
      end_yard: stop,
      is_touchdown: end.touchdown,
    });
  }
  return [
    ...bodies,
    ...tackles(a, s.other(club), a.thief, Math.max(0, stop)),
    ...safetyBodies(a, s, club),
  ];
}
