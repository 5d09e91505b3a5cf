/** A tackle credit on its own. Pure. */
import { isSet } from "../rules/suggestion.js";
import { playerWords } from "./shared/naming.js";
import { clubStep, standing, tackleSteps, tackles } from "./shared/parts.js";

/**
 * A tackler who is added to an earlier play or corrected need not have made the tackle alone.
 * @returns {Step[]}
 */
function lateShare(a, s) {
  if (!(s.late || s.was) || a.tacklers?.length !== 1) return [];
  const others = s.play_events.some(
    (event) => event.type === "tackle" && event.body.team === a.team,
  );
  const options = [
    { key: "s", value: "solo", label: "the tackle alone" },
    { key: "a", value: "assist", label: "an assist" },
    { key: "p", value: "primary", label: "the tackle, with help" },
  ];
  return [
    {
      name: "share",
      label: "Credited with",
      kind: "choice",
      default: s.was?.kind ?? (others ? "assist" : "solo"),
      options,
    },
  ];
}

/** Where the corrected tackle was made, seen by the club that was tackled (as in the record). */
const standingDown = (s, team) =>
  isSet(s.was?.yard) ? (s.was.team === team ? s.was.yard : 100 - s.was.yard) : undefined;

export const tackle = {
  name: "tackle",
  title: "Tackle",
  needsBall: true,
  isRuling: true,
  isLate: true,
  steps(a, s) {
    /** @type {Step[]} */
    const steps = [
      clubStep("team", "Credit for which club?", s, s.was?.team ?? s.other(s.ball.team)),
    ];
    if (!a.team) return steps;
    const tackled = s.other(a.team);
    const carrier = s.roster.clubOf(s.ball.player) === tackled ? s.ball.player : null;
    const yard = tackled === s.ball.team ? s.ball.yard : 100 - s.ball.yard;
    const same = s.was && s.was.team !== a.team ? { ...s, was: null } : s;
    return [
      ...steps,
      ...tackleSteps(a, a.team, s),
      ...lateShare(a, s),
      {
        name: "tackled",
        label: `Tackled (${tackled})`,
        kind: "player",
        club: tackled,
        default: standing(same, "tackled", carrier),
      },
      {
        name: "at",
        label: `Down at (${tackled})`,
        kind: "spot",
        team: tackled,
        from: yard,
        default: standingDown(s, a.team) ?? yard,
      },
    ];
  },
  build(a, s) {
    const named = a.tacklers.length ? a : { ...a, tacklers: [null] };
    const bodies = tackles(named, a.team, a.tackled, a.at.yard);
    if (bodies.length === 1 && a.share) return [{ ...bodies[0], kind: a.share }];
    return s.single ? bodies.slice(0, 1) : bodies;
  },
  sentences: {
    tackle: (b, s) =>
      `${{ solo: "Tackle", primary: "Tackle (had help)", assist: "Assist" }[b.kind]}: ${playerWords(b.tackler, b.team, s)}.`,
  },
};
