/** What the actions of the officials share. Pure. */

/** The visitors' score first, as the board has it. */
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
 * Why nothing ends now: a snap without a result would stand as an empty play; undefined while there
 * is none.
 */
export function emptyPlay(s) {
  if (!s.live || !s.snap || s.single) return undefined;
  const { keys, play_number: play } = s;
  return `Nothing is recorded of play ${play}: enter what happened, or take its snap back with ${keys?.undo ?? "u"} if it was not played.`;
}
