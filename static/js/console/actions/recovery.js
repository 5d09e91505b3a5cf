/** A loose ball that is recovered. Pure. */
import { atSpotOf, playerAndClub, touchdownWords } from "./shared/naming.js";
import { recoveryBodies, recoverySteps } from "./shared/parts.js";

export const recovery = {
  name: "recovery",
  title: "Recovery",
  needsBall: true,
  isRuling: true,
  steps: (a, s) =>
    recoverySteps(a, s, {
      likely: s.was?.team ?? s.ball.team,
      team: s.ball.team,
      yard: s.ball.yard,
      fumbler: s.ball.is_loose ? s.ball.player : undefined,
    }),
  build: (a, s) => (s.single ? recoveryBodies(a, s).slice(0, 1) : recoveryBodies(a, s)),
  sentences: {
    recovery: (b, s) =>
      `Recovered by ${playerAndClub(b.player, b.team, s)} ${atSpotOf(b.team, b.yard, s)}${touchdownWords(b)}.`,
  },
};
