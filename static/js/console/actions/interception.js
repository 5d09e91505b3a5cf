/** An interception: throw, catch and return in one entry. Pure. */
import { pass } from "./pass.js";
import { interceptionBodies, interceptionSteps } from "./shared/interceptions.js";
import { atSpotOf, playerAndClub, touchdownWords } from "./shared/naming.js";
import { snapClub } from "./shared/parts.js";

/** Whether the throw is part of this entry: not if the pass is already recorded. */
const isOwnThrow = (a, s) =>
  s.passed?.result !== "intercepted" ||
  s.play_events.some((event) => event.type === "interception");

/**
 * The whole interception: throw and return in one entry; as a ruling, only the catch by the
 * defence.
 */
export const interception = {
  name: "interception",
  title: "Interception",
  needsBall: true,
  isRuling: true,
  opensPlay: isOwnThrow,
  preset: (s) => (s.single ? {} : { result: "intercepted" }),
  steps: (a, s) =>
    s.single || s.passed?.result === "intercepted"
      ? interceptionSteps(a, s, s.other(snapClub(s)))
      : pass.steps(a, s),
  build: (a, s) =>
    s.single || s.passed?.result === "intercepted"
      ? interceptionBodies(a, s, s.other(snapClub(s)))
      : pass.build(a, s),
  sentences: {
    interception: (b, s) =>
      `INTERCEPTED by ${playerAndClub(b.player, b.team, s)} ${atSpotOf(b.team, b.yard, s)}${touchdownWords(b)}.`,
  },
};
