/**
 * Adds this browser's unanswered entries to the situation: next snap, ball and score, at once and
 * by the server's own rules (rules/). Each answer brings the server's own view
 * (scorer_console/entry/page.py), which then takes over.
 */
import { ballAfter } from "./rules/ball.js";
import { currentPlay, folded, targetsOf } from "./rules/fold.js";
import { periodSeconds } from "./rules/rulebook.js";
import { lastPlay, nextSnap } from "./rules/situation.js";
import { delayedAfter, pointsOf, statusAfter } from "./rules/state.js";
import { isSet } from "./rules/suggestion.js";
import { timeoutsAfter } from "./rules/timeouts.js";
import { sentenceOf } from "./entry/words.js";

/** @typedef {import("./rules/fold.js").Event} Event */
/** @typedef {{key: string, entries: {body: EventBody, play_number: number|null}[]}} Unsent */

/**
 * @param {Situation} server  as the server showed it last
 * @param {Unsent[]} items  in the order in which they are sent; one that the server has shown
 *   already does not count again
 * @param {{clubs: {home: string, away: string}, other: (club: string) => string, rules: object,
 *   roster: object}} known
 * @returns {Situation}
 */
export function withUnsent(server, items, known) {
  const { standing: rows, entered, ...recordedSituation } = server;
  const waiting = items.filter((item) => !entered.includes(item.key));
  const recorded = server.next_event;
  const unsentSnap = waiting.some(({ entries }) =>
    entries.some(({ body }) => body.type === "snap"),
  );
  if (!waiting.length) return { ...recordedSituation, recorded, waits: 0, unsentSnap };
  const { events, play } = numbered(waiting, server);
  const { standing, unknown } = folded(rows, events);
  const before = folded(rows, []).standing;
  const { home, away } = known.clubs;
  const points = (club) => server.score[club] + pointsOf(standing, club) - pointsOf(before, club);
  const score = { [home]: points(home), [away]: points(away) };
  const game = { home, away, book: known.rules, score };
  const { snap, action } = lastPlay(standing);
  const suggestion = looked(nextSnap(standing, game), unknown);
  const fresh = standing.filter((event) => event.event_number >= server.next_event);
  return {
    ...recordedSituation,
    recorded,
    waits: waiting.length,
    unsentSnap,
    next_event: server.next_event + events.length,
    play_number: play,
    last_play: Math.max(server.last_play, ...events.map((event) => event.play_number)),
    status: events.reduce((status, { body }) => statusAfter(status, body), server.status),
    delayed: events.reduce((delayed, { body }) => delayedAfter(delayed, body), server.delayed),
    score,
    snap,
    ball: snap && ballAfter(snap, action, game),
    passed: action.find((body) => body.type === "pass") ?? null,
    live: Boolean(snap) && !action.some(moves) && !suggestion.check,
    suggestion,
    period: periodOf(standing, game.book),
    timeouts: timeoutsAfter(
      withTakenBack(server.timeouts, before, standing),
      server.suggestion,
      fresh,
      game.book,
    ),
    challenges: challengesWith(server.challenges, before, standing),
    recent_players: fresh.reduce((recent, { body }) => lastBy(recent, body), server.recent_players),
    play_events: playEvents(standing, server, known),
  };
}

const moves = (body) =>
  !["timeout", "challenge", "roster", "coin_toss", "delay"].includes(body.type);

/**
 * The events of the unsent entries with the numbers that they will get
 * (scorer_console/record/numbering.py), and the play that goes on after them.
 * @param {Unsent[]} items
 * @returns {{events: Event[], play: number}}
 */
export function numbered(items, server) {
  /** @type {Event[]} */
  const events = [];
  let last = server.last_play;
  let play = server.play_number;
  for (const { entries } of items) {
    for (const { body, play_number: playNumber } of entries) {
      if (body.type === "snap" && !isSet(playNumber)) last += 1;
      const of = playNumber ?? (body.type === "snap" ? last : play);
      if (body.type === "snap") play = of; // what follows in the same entry belongs to it
      events.push({ event_number: server.next_event + events.length, play_number: of, body });
    }
    const { standing } = folded(server.standing, events);
    play = currentPlay(
      standing.map((event) => [event.event_number, event.play_number, event.body]),
      last,
    );
  }
  return { events, play };
}

/** Says what cannot be known. */
function looked(suggestion, unknown) {
  if (!unknown.length) return suggestion;
  const names = unknown.map((number) => `#${number}`).join(" ");
  return {
    ...suggestion,
    check: true,
    why: `${suggestion.why} The effect of the unsent correction of ${names} is known once it is recorded.`,
  };
}

/** The timeouts left, with those again that no longer count. */
function withTakenBack(timeouts, before, standing) {
  const stands = new Set(standing.map((event) => event.event_number));
  const back = before
    .filter((event) => event.body.type === "timeout" && !stands.has(event.event_number))
    .map(({ body }) => body.team);
  return {
    ...timeouts,
    left: Object.fromEntries(
      Object.entries(timeouts.left).map(([club, left]) => [
        club,
        left + back.filter((team) => team === club).length,
      ]),
    ),
  };
}

/**
 * Challenges used and lost, by club, with those that wait: each play's counts once, by its last
 * ruling.
 */
function challengesWith(recorded, before, standing) {
  const counts = (events, club) => {
    const rulings = new Map(
      events
        .filter(({ body }) => body.type === "challenge" && body.by === club)
        .map((event) => [event.play_number, event.body.ruling]),
    );
    return {
      used: rulings.size,
      lost: [...rulings.values()].filter((ruling) => ruling === "upheld" || ruling === "stands")
        .length,
    };
  };
  return Object.fromEntries(
    Object.entries(recorded ?? {}).map(([club, { used, lost }]) => {
      const [was, now] = [counts(before, club), counts(standing, club)];
      return [club, { used: used + now.used - was.used, lost: lost + now.lost - was.lost }];
    }),
  );
}

/** The period that is being played, or the next to begin. @param {Event[]} standing */
function periodOf(standing, book) {
  const last = standing.findLastIndex(({ body }) => body.type === "period");
  const since = standing.slice(Math.max(0, last)).map(({ body }) => body);
  const running =
    since.some((body) => body.type === "snap") || (last >= 0 && since[0].phase === "start");
  const period = Math.max(
    0,
    ...since
      .filter((body) => body.type === "snap" || body.type === "period")
      .map((body) => body.period),
  );
  const following = running ? period : period + 1;
  return { period: following, running, seconds: periodSeconds(book, following) };
}

/**
 * Who acted last, by club: likely the player of the next entry. Corrections are left to the server.
 */
export function lastBy(recent, body) {
  const set = (role, player) =>
    player ? { ...recent, [role]: { ...recent[role], [body.team]: player } } : recent;
  if (body.type === "pass") return set("passer", body.passer);
  if (body.type === "sack") return set("passer", body.player);
  if (body.type === "run" && body.kind === "rush") return set("runner", body.player);
  if (body.type === "kick" && body.kind !== "free_kick")
    return set(body.kind === "punt" ? "punter" : "place_kicker", body.kicker);
  return recent;
}

/** The events of the current play that count. Unsent ones have the number that they will get. */
function playEvents(standing, server, known) {
  const play = standing.findLast(({ body }) => body.type === "snap")?.play_number;
  const bodies = new Map(server.standing.map(([number, , body]) => [number, body]));
  const words = new Map(server.play_events.map((event) => [event.number, event.words]));
  return standing
    .filter((event) => event.play_number === play)
    .map(({ event_number: number, play_number, body }) => ({
      number,
      play_number,
      type: body.type,
      words: (bodies.get(number) === body && words.get(number)) || sentenceOf([body], known),
      body,
    }));
}

/**
 * The entries of one sentence. A correction of events that are not recorded yet says which number
 * it must get: if the entries before it get other numbers, the server refuses it instead of
 * striking out something else.
 * @param {EventBody[]} bodies @param {(body: EventBody) => number|null} playNumberOf  the play of
 *   each, null: the current one
 * @param {{first: number, recorded: number}} numbers  the number that the first of them will get;
 *   the next one on record
 * @returns {{body: EventBody, play_number: number|null, number?: number}[]}
 */
export function entriesOf(bodies, playNumberOf, { first, recorded }) {
  return bodies.map((body, index) => {
    const entry = { body, play_number: playNumberOf(body) };
    return targetsOf(body).some((target) => target >= recorded)
      ? { ...entry, number: first + index }
      : entry;
  });
}

/**
 * The events of a correction whose numbers now belong to something else: they were unsent when it
 * was begun.
 * @param {EventBody[]} bodies @param {Situation} then  when it was begun @param {Situation} now
 */
export function otherByNow(bodies, then, now) {
  const named = bodies.flatMap(targetsOf).filter((number) => number >= then.recorded);
  const of = (s, number) => (s.play_events ?? []).find((event) => event.number === number)?.body;
  return named.filter((number) => of(then, number) && !isSaid(of(now, number), of(then, number)));
}

/**
 * Whether all that is on record of an event was in the body that was sent; the server leaves out
 * what is usual.
 */
const isSaid = (recorded, sent) =>
  Boolean(recorded) &&
  Object.entries(recorded).every(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(sent[name]),
  );
