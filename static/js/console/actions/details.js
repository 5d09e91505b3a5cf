/**
 * What may be noted beside a movement with one key more: where a pass was thrown, which hole a run
 * took. Pure.
 */

/**
 * Where it was thrown, as the passer sees the field: noted with one key more by whoever has the
 * time.
 */
export const THROWN = {
  name: "thrown",
  hint: "first, if you like: 1 2 3 short left, middle, right, 4 5 6 deep",
  options: ["short", "deep"].flatMap((length, row) =>
    ["left", "middle", "right"].map((location, column) => ({
      key: `${1 + 3 * row + column}`,
      value: `${length} ${location}`,
      label: `${length} ${location}`,
    })),
  ),
};

/** Where a pass that is corrected was thrown, as it was noted. */
export const standingThrow = ({ was }) =>
  was?.location ? `${was.length ?? ""} ${was.location}` : undefined;

/** Which hole a run that is corrected took, as it was noted. */
export const standingHole = ({ was }) =>
  was?.location ? `${was.location} ${was.gap ?? ""}`.trim() : undefined;

/** Where it goes through the line, as the runner sees the field, in the order of the holes. */
export const HOLES = {
  name: "hole",
  hint: "first, if you like: 1 left end … 4 middle … 7 right end",
  options: [
    "left end",
    "left tackle",
    "left guard",
    "middle",
    "right guard",
    "right tackle",
    "right end",
  ].map((hole, index) => ({ key: `${index + 1}`, value: hole, label: hole })),
};
