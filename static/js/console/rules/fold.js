/**
 * Which events count, and in which order, with corrections applied that the server has not answered
 * yet. Pure. The server's side is scorer_console/record/effective_events.py.
 *
 * @typedef {[number, number, EventBody|null]} Row  event number, play number, what counts of it:
 *   null for nothing
 * @typedef {{event_number: number, play_number: number, body: EventBody}} Event
 */

import { isSet } from "./suggestion.js";

/**
 * @param {Row[]} rows  facts in their last ruling
 * @param {Event[]} events  what came after them, by number
 * @returns {{standing: Event[], unknown: number[]}} the events that count, in order; `unknown`:
 *   the numbers that a correction names and that are not among the rows, so that what it does to
 *   them cannot be told
 */
export function folded(rows, events) {
  const facts = new Map(
    rows.map(([number, play, body]) => [number, { event_number: number, play_number: play, body }]),
  );
  const unknown = [];
  for (const event of events) {
    const targets = targetsOf(event.body);
    if (!targets.length) facts.set(event.event_number, event);
    for (const number of targets) {
      const fact = facts.get(number);
      if (fact)
        facts.set(number, { ...fact, body: placedLike(event.body.ruling ?? null, fact.body) });
      else unknown.push(number);
    }
  }
  return { standing: inOrder([...facts.values()].filter((fact) => fact.body)), unknown };
}

/**
 * A new ruling that says no place keeps the one of what was said before it.
 * @param {EventBody|null} ruling
 * @param {EventBody|null} earlier
 */
function placedLike(ruling, earlier) {
  if (!ruling || !earlier) return ruling;
  const places =
    ruling.type === "snap" && earlier.type === "snap" ? ["place", "play_place"] : ["place"];
  const names = places.filter((name) => !isSet(ruling[name]) && isSet(earlier[name]));
  return names.length
    ? { ...ruling, ...Object.fromEntries(names.map((name) => [name, earlier[name]])) }
    : ruling;
}

/**
 * The order of the game (app/record/rules/order.py): by the play's place, then the event's own.
 * @param {Event[]} events
 */
function inOrder(events) {
  const byNumber = [...events].sort((a, b) => a.event_number - b.event_number);
  const places = new Map(
    byNumber
      .filter(({ body }) => body.type === "snap")
      .map((event) => [event.play_number, event.body.play_place]),
  );
  const key = ({ event_number: number, play_number: play, body }) => [
    places.get(play) ?? play,
    play,
    body.place ?? number,
    number,
  ];
  return byNumber
    .map((event) => ({ event, key: key(event) }))
    .sort((a, b) => compare(a.key, b.key))
    .map(({ event }) => event);
}

/** @param {number[]} a @param {number[]} b */
function compare(a, b) {
  const index = a.findIndex((value, at) => value !== b[at]);
  return index < 0 ? 0 : a[index] - b[index];
}

/**
 * The current play: the last one in the order of the game.
 * @param {Row[]} rows @param {number} last  the highest play number given
 */
export function currentPlay(rows, last) {
  const snaps = rows.filter(([, , body]) => body?.type === "snap");
  if (!snaps.some(([, , body]) => isSet(body.play_place))) return last;
  const keys = [[last, last], ...snaps.map(([, play, body]) => [body.play_place ?? play, play])];
  const placed = new Set(snaps.map(([, play]) => play));
  return keys
    .filter(([, play], index) => index > 0 || !placed.has(play))
    .sort(compare)
    .at(-1)[1];
}

/**
 * The events that a correction names; empty for every other type.
 * @param {EventBody} body
 * @returns {number[]}
 */
export function targetsOf(body) {
  if (body.type === "nullify") return body.events;
  return body.type === "overturn" || body.type === "stat_correction" ? [body.event] : [];
}
