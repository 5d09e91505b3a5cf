/** Helpers of the officials' actions. Pure. */

/** The questions about the score, visitors first like on the board. */
export const scoreSteps = (s, which) =>
  ["away", "home"].map((name) => ({
    name,
    label: `Score of ${s.clubs[name]} ${which}`,
    kind: "number",
    min: 0,
    max: 200,
    default: s.score[s.clubs[name]],
  }));

/**
 * Why nothing can end now: a snap without a result would remain as an empty play. Undefined if
 * there is none.
 */
export function emptyPlay(s) {
  if (!s.live || !s.snap || s.single) return undefined;
  const { keys, play_number: play } = s;
  return `Play ${play} has nothing but a snap. Enter what happened, or undo its snap with ${keys?.undo ?? "u"} if it was not played.`;
}
