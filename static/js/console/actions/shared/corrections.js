/** Helpers of the corrections: entries as choices, and the snap that an entry opened. Pure. */

export const numbersOf = (numbers) => numbers.map((n) => `#${n}`).join(" ");

export function logged(entries) {
  return entries.map((entry) => ({
    label: `${entry.spotter ? "spotter: " : entry.correction ? "bring back before " : ""}${numbersOf(entry.numbers)} ${entry.words}`,
    numbers: entry.numbers,
    value: { ...entry, label: numbersOf(entry.numbers) },
  }));
}

/** The rulings as a choice: the scorer's own key for each. */
export const choices = (rulings, keys) =>
  Object.entries(rulings).map(([name, action]) => ({
    key: keys[name],
    value: name,
    label: action.title.toLowerCase(),
  }));

/**
 * The snap of an entry that opened its play with it; undefined if it did not, or is only a snap.
 */
export const openedBy = (entry) =>
  entry.bodies.length > 1 && entry.bodies[0].type === "snap" ? entry.bodies[0] : undefined;

/**
 * A snap to start from instead of the suggestion, whose down and kind are not its own.
 * @param {EventBody} body
 */
export const snapBefore = (body, s) => ({
  ...s.suggestion,
  situation: "scrimmage",
  down: null,
  distance: null,
  ...body,
});
