/**
 * The choice of an event: from the list, by its number, or by a search of the whole game for a
 * player, play or quarter. Pure; the server searches (scorer_console/plays/event_search.py).
 */

const HINT =
  "An event number, ↑ ↓ to choose, or a search: player’s name, p12 play, q3 quarter, q3 54 jersey";

/**
 * The questions until one event is chosen.
 * @param {object} a  the answers @param {string} label @param {object[]} options  the list @param
 *   {number} likely  its place there
 * @returns {Step[]}
 */
export function eventSteps(a, label, options, likely) {
  /** @type {Step[]} */
  const steps = [
    {
      name: "event",
      label,
      kind: "logged",
      options,
      default: likely,
      fetch: "event",
      search: true,
      hint: HINT,
    },
  ];
  if (!a.event?.rows) return steps;
  const matches = a.event.rows.map((row) => ({
    label: `#${row.number} ${row.words}`,
    number: row.number,
    value: row.number,
    fetch: "event",
  }));
  return [
    ...steps,
    {
      name: "found",
      label: `Which of them (${a.event.label})`,
      kind: "listed",
      options: matches,
      none: "Nothing found. Press Esc and try something else.",
    },
  ];
}

/** The event that was chosen; undefined while none is. */
export const chosenEvent = (a) => (a.event?.rows ? a.found : a.event);
