/**
 * How many timeouts each club has left after more events; the server's side is
 * app/record/rules/football/timeouts.py. Pure.
 */
import { periodSeconds, REGULATION } from "./rulebook.js";

/** @typedef {import("./fold.js").Event} Event */
/**
 * @typedef {{left: Record<string, number>, excess: boolean}} Timeouts  by club, until they are
 *   renewed
 */

const half = (period) => (period <= REGULATION ? Math.floor((period - 1) / 2) : 2);

/**
 * @param {Timeouts} timeouts  before the events
 * @param {{period: number, clock: number}} time  before the events
 * @param {Event[]} events  that count
 * @param {import("./rulebook.js").Rulebook} book
 * @returns {Timeouts}  without a number where it cannot be known: in overtime it depends on the
 *   kind of the game
 */
export function timeoutsAfter(timeouts, time, events, book) {
  let { period, clock } = time;
  let left = { ...timeouts.left };
  for (const { body } of events) {
    const before = half(period);
    if (body.type === "snap") ({ period, clock } = body);
    else if (body.type === "period" && body.phase === "start" && body.period !== period)
      [period, clock] = [body.period, periodSeconds(book, body.period)];
    else if (body.type === "timeout" && left[body.team])
      left = { ...left, [body.team]: left[body.team] - 1 };
    if (half(period) !== before)
      left =
        period > REGULATION
          ? {}
          : Object.fromEntries(Object.keys(left).map((club) => [club, book.timeouts]));
  }
  return {
    left,
    excess: (period === 2 || period >= REGULATION) && clock <= book.excess_timeout_clock,
  };
}
