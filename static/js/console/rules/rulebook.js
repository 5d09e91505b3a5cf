/**
 * The rules of the game's competition and season, as the page brings them along
 * (app/record/rules/football/rulebook.py): the values are the server's; here is how they are asked.
 *
 * @typedef {{name: string, side: "offence"|"defence"|"either", yards: number, basis:
 *   "previous"|"foul"|"end"|"dead",
 *            first_down: boolean, loss_of_down: boolean, before_snap?: boolean, on_passer?:
 *            boolean, stops_at?: number}} Foul
 * @typedef {{kickoff: number, free_kick: number, kickoff_touchback: number, touchback: number,
 *            kickoff_out_of_bounds: number, try_spot: number, two_point_spot: number,
 *            missed_field_goal: "kick"|"snap"|"touchback",
 *            touchdown_fouls: "try"|"kickoff"|"choice", line_to_gain: "dead"|"ready",
 *            two_point_margins: number[],
 *            period: number, overtime: number, overtime_half: number,
 *            overtime_rule: "sudden_death"|"modified"|"both"|"series", overtime_periods: number,
 *            overtime_spot: number,
 *            overtime_two_from: number, overtime_tries_from: number, timeouts: number,
 *            excess_timeout_clock: number, runoff_clock: number,
 *            fourth_down_fumbles: boolean, late_fumbles: number,
 *            forward_fumble_out: "fumble"|"out", fouls_behind_line: "previous"|"foul",
 *            landing_zone: number, kickoff_landing_touchback: number, kickoff_fair_catch: number,
 *            free_kick_out_of_bounds: number,
 *            kick_dead_in_end_zone: boolean, extended_by: "defence"|"either", losses_count:
 *            boolean,
 *            fouls: Record<string, Foul[]>}} Rulebook
 */

/**
 * What the book says of a foul of that name by that side; null for a name that it does not know.
 * @param {Rulebook} book @param {string} name @param {boolean} byOffence @returns {Foul|null}
 */
export function foulOf(book, name, byOffence) {
  const side = byOffence ? "offence" : "defence";
  return (
    (book.fouls[name.toLowerCase()] ?? []).find(
      (foul) => foul.side === side || foul.side === "either",
    ) ?? null
  );
}

export const REGULATION = 4; // the quarters; overtime begins with period 5

/** @param {Rulebook} book @param {number} number */
export const periodSeconds = (book, number) => (number <= REGULATION ? book.period : book.overtime);

/**
 * Whether a half ends with this period, and the game with its overtime.
 * @param {Rulebook} book
 * @param {number} number
 */
export function isLate(book, number) {
  if (number <= REGULATION) return number === 2 || number === REGULATION;
  const overtime = number - REGULATION;
  return overtime % book.overtime_half === 0 || overtime === book.overtime_periods;
}
