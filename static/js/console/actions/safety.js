/** A safety. Pure. */
import { clubStep, snapClub } from "./shared/parts.js";

/** A safety ends its own play, except on the try after a touchdown. */
const isAfterTouchdown = (a, s) =>
  s.ball.outcome === "touchdown" && s.suggestion.situation === "try";

export const safety = {
  name: "safety",
  title: "Safety",
  needsBall: true,
  isRuling: true,
  opensPlay: isAfterTouchdown,
  steps(a, s) {
    const onTry = s.snap?.situation === "try";
    /** @type {Step[]} */
    const steps = [
      clubStep(
        "team",
        "Points for which club?",
        s,
        s.was?.team ?? (onTry ? snapClub(s) : s.other(snapClub(s))),
      ),
    ];
    if (!a.team) return steps;
    steps.push(
      {
        name: "player",
        label: `Forced by (${a.team})`,
        kind: "player",
        club: a.team,
        default: s.was?.player,
      },
      {
        name: "points",
        label: "Points",
        kind: "number",
        min: 1,
        max: 2,
        default: s.was ? (s.was.points ?? 2) : onTry ? 1 : 2,
      },
    );
    return steps;
  },
  build: (a) => [{ type: "safety", team: a.team, player: a.player, points: a.points }],
  sentences: {
    safety: (b, s) =>
      `SAFETY, ${b.points ?? 2} for ${b.team}${b.player ? ` by ${s.roster.name(b.player)}` : ""}.`,
  },
};
