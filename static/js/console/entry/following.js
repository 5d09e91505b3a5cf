/** The snap that will follow a correction, shown before Enter, and warnings about it. Pure. */
import { snapWords } from "../actions/shared/offended.js";
import { folded } from "../rules/fold.js";
import { nextSnap } from "../rules/situation.js";
import { numbered } from "../situation.js";
import { spotWords, yardsWords } from "./spots.js";

export const MOST_TO_GO = 40; // no club has had to go further in decades
const FAR = 40; // a correction that moves the next snap by more yards is probably a slip

/** @typedef {import("../rules/suggestion.js").Suggestion} Suggestion */
/**
 * @typedef {{play: number, isLast: boolean, before: Suggestion|null, next: Suggestion}} Following
 */

/**
 * What follows the play that an entry corrects, before and after.
 * @param {import("./entry.js").Entry} entry  answered
 * @param {{server: Situation, items: import("../situation.js").Unsent[], known: object}} on  as
 *   for situation.js
 * @returns {Following|null}  null where nothing is corrected, or what followed cannot be told
 */
export function followingOf(entry, { server, items, known }) {
  if (!entry.action.corrects && entry.playNumber === null) return null;
  const rows = [...fetchedRows(entry.answers), ...server.standing];
  const waiting = items.filter((item) => !server.entered.includes(item.key));
  const unsent = {
    key: "",
    entries: entry.bodies.map((body) => ({ body, play_number: entry.playNumberOf(body) })),
  };
  const was = folded(rows, numbered(waiting, server).events).standing;
  const { events, play: current } = numbered([...waiting, unsent], server);
  const { standing } = folded(rows, events);
  const play = entry.playNumber ?? current;
  const game = { ...known.clubs, book: known.rules, score: server.score };
  const after = followingPlay(play, standing, game);
  return after && { play, ...after, before: followingPlay(play, was, game)?.next ?? null };
}

/** The events of a play that was read from the server. */
function fetchedRows({ event, found: foundEvent, play }) {
  const events = [event?.play_events, foundEvent?.play_events, play?.events].find(Boolean) ?? [];
  return events.map((row) => [row.number, row.play_number, row.body]);
}

/** @returns {{isLast: boolean, next: Suggestion}|null} */
function followingPlay(play, standing, game) {
  const last = standing.findLast(({ body }) => body.type === "snap")?.play_number;
  const end = standing.findLastIndex((event) => event.play_number === play);
  if (last === undefined || (end < 0 && play < last)) return null;
  const isLast = end < 0 || play === last;
  return { isLast, next: nextSnap(isLast ? standing : standing.slice(0, end + 1), game) };
}

/** @param {Following} following @returns {import("./consequences.js").Consequence} */
export function followingWords({ play, isLast, before, next }, s) {
  const [was, now] = [before && snapWords(before, s), snapWords(next, s)];
  const lines = was && was !== now ? [now, `before this: ${was}`] : [now];
  return { title: isLast ? "Next snap" : `Play ${play} leads to`, lines };
}

/**
 * Warnings about the snap that follows, one sentence each.
 * @param {Following} following @param {import("./entry.js").Entry} entry
 */
export function absurdities({ before, next }, entry, s) {
  const warnings = tooFar(next);
  if (!before || [before, next].some((snap) => snap.situation !== "scrimmage")) return warnings;
  const moved = Math.abs(fieldYard(before, s) - fieldYard(next, s));
  const from = `from ${placeOf(before, s)} to ${placeOf(next, s)}`;
  const flags = flagYards(entry);
  if (flags !== null && moved > flags)
    warnings.push(
      `The next snap moves ${yardsWords(moved)}, ${from}, more than the penalty. Is the spot of the foul right?`,
    );
  else if (flags === null && moved > FAR)
    warnings.push(`The next snap moves ${yardsWords(moved)}, ${from}.`);
  return warnings;
}

/**
 * @param {{situation?: string, distance?: number|null, down?: number|null}} snap
 * @returns {string[]}
 */
export function tooFar({ distance, down }) {
  return distance > MOST_TO_GO
    ? [`${down} & ${distance} is unusually long. Check the down, the distance and the spot.`]
    : [];
}

const fieldYard = (snap, s) => (snap.possession === s.clubs.home ? snap.spot : 100 - snap.spot);
const placeOf = (snap, s) => spotWords(snap.possession, snap.spot, s.other(snap.possession));

/**
 * How far a flag that gets a new ruling can move the ball: its old yards plus the new ones; null
 * for another event.
 */
function flagYards(entry) {
  const ruling = entry.bodies.find((body) => body.ruling)?.ruling;
  const was = (entry.answers.found ?? entry.answers.event)?.body;
  return ruling?.type === "penalty" && was?.type === "penalty"
    ? (ruling.yards ?? 0) + (was.yards ?? 0)
    : null;
}
