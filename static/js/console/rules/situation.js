/**
 * The next snap after what has been entered: whose ball, where, which down, how far to go, and why.
 * Pure. By the same rules as the server (app/record/rules/football/situation.py), with no network;
 * held together by the examples of tests/js/examples/situations.json and by every snap of the real
 * games (tests/record/test_same_rules.py).
 */
import { ballAfter, touchbackOf } from "./ball.js";
import { choicesOf } from "./choices.js";
import { countsDowns, enforced, extendsHalf, isReplayed, isTakenBack } from "./enforcement.js";
import { decided, isOpened, opening } from "./overtime.js";
import { periodSeconds } from "./rulebook.js";
import { acceptedOf, situationOf, suggestion } from "./suggestion.js";
import { afterTouchdown, carriedOver, playedAgain, tryOf } from "./tries.js";

/** @typedef {import("./rulebook.js").Rulebook} Rulebook */
/** @typedef {import("./suggestion.js").Suggestion} Suggestion */
/** @typedef {import("./suggestion.js").SnapKind} SnapKind */
/** @typedef {import("./suggestion.js").Standing} Standing */
/** @typedef {import("./ball.js").Ball} Ball */
/** @typedef {import("./ball.js").Game} Game */

/**
 * The last snap and everything of its play after it, in order; null before the first snap.
 * @param {Standing[]} events
 * @returns {{snap: EventBody|null, action: EventBody[]}}
 */
export function lastPlay(events) {
  const index = events.findLastIndex((event) => event.body.type === "snap");
  if (index < 0) return { snap: null, action: [] };
  const { play_number: play, body: snap } = events[index];
  return {
    snap,
    action: events
      .slice(index + 1)
      .filter((event) => event.play_number === play)
      .map((event) => event.body),
  };
}

/**
 * The likeliest next snap after these standing events, in order.
 * @param {Standing[]} events @param {Game} game
 * @returns {Suggestion}
 */
export function nextSnap(events, game) {
  const { home, away, book } = game;
  const { snap, action } = lastPlay(events);
  const { period, clock, restart } = timeOf(events, book);
  const kickoff = {
    possession: home,
    spot: book.kickoff,
    period,
    clock,
    situation: /** @type {const} */ ("kickoff"),
  };
  if (!snap)
    return tossed(
      suggestion({
        ...kickoff,
        by_toss: true,
        check: true,
        why: "Opening kickoff: the coin toss decides who kicks.",
      }),
      events,
      game,
    );
  if (restart && period === 3) {
    const kicks = secondHalfKicker(events, home, away);
    return suggestion({
      ...kickoff,
      possession: kicks,
      why: `The second half: ${kicks} received the opening kickoff.`,
    });
  }
  if (restart && isOpened(period, book))
    return tossed(opening(period, clock, events, game), events, game);
  const { play_number: play } = events.findLast(({ body }) => body.type === "snap");
  /** @param {EventBody[]} happened @returns {Suggestion} */
  const following = (happened) => {
    const next = { ...afterPlay(events, snap, happened, game, period), period, clock };
    const isPlayed = ballAfter(snap, happened, game).outcome !== "none";
    return decided(
      next,
      snap,
      { isPlayed, isExtended: extendsHalf(snap, happened, book), play },
      events,
      game,
    );
  };
  const next = following(action);
  if (next.over || next.choices.some((choice) => choice.act === "try" || choice.act === "kickoff"))
    return next;
  const choices = choicesOf(snap, ballAfter(snap, action, game), action, game, following);
  return choices.length ? { ...next, choices } : next;
}

/**
 * A snap that hangs on the toss, once the toss since the last snap is recorded.
 * @param {Suggestion} next
 * @param {Standing[]} events
 * @param {Game} game
 */
function tossed(next, events, { home, away }) {
  const last = events.findLast(
    ({ body }) => body.type === "snap" || body.type === "coin_toss",
  )?.body;
  if (!next.by_toss || last?.type !== "coin_toss") return next;
  const { receiver } = last;
  const kicks = receiver === home ? away : home;
  return {
    ...next,
    possession: next.situation === "kickoff" ? kicks : receiver,
    by_toss: false,
    check: false,
    why: `By the toss ${receiver} receives.`,
  };
}

/**
 * What follows from the last play, had it these events; `events`: the whole game.
 * @returns {Suggestion}
 */
function afterPlay(events, snap, action, game, period) {
  const { book } = game;
  const ball = ballAfter(snap, action, game);
  let next = { ...after(snap, ball, game), period };
  if (ball.unsure) next = { ...next, check: true, why: `${next.why} Its spot is a guess.` };
  const [foul] = acceptedOf(action);
  const replayed = foul && isReplayed(foul, ball);
  if (situationOf(snap) === "try" && replayed) return playedAgain(next, snap, foul, book);
  const isUndone = foul && (replayed || (ball.turned && isTakenBack(foul, snap, book)));
  if (next.situation === "try" && ball.outcome === "touchdown" && !isUndone)
    return afterTouchdown(tryOf(next, events, game), snap, action, game);
  next = enforced(next, snap, ball, action, game);
  return isKickoffAfterTry(next, snap) ? carriedOver(next, events, book) : next;
}

const isKickoffAfterTry = (next, snap) =>
  next.situation === "kickoff" && situationOf(snap) === "try";

/**
 * Period, clock, and whether a period has begun since the last snap.
 * @param {Standing[]} events
 * @param {Rulebook} book
 */
function timeOf(events, book) {
  let ended = null;
  for (const { body } of [...events].reverse()) {
    if (body.type === "snap")
      return ended === null
        ? { period: body.period, clock: body.clock, restart: false }
        : { period: ended, clock: 0, restart: false };
    if (body.type !== "period") continue;
    if (body.phase === "start")
      return ended === null
        ? { period: body.period, clock: periodSeconds(book, body.period), restart: true }
        : { period: ended, clock: 0, restart: true };
    ended ??= body.period;
  }
  return ended === null
    ? { period: 1, clock: book.period, restart: true }
    : { period: ended, clock: 0, restart: true };
}

/** The club that received the opening kickoff. @param {Standing[]} events */
function secondHalfKicker(events, home, away) {
  const first = events.find(({ body }) => body.type === "snap" && situationOf(body) === "kickoff");
  return first?.body.possession === home ? away : home;
}

/** @returns {Suggestion} */
export function firstDown(team, yard, snap, why) {
  const spot = Math.max(1, Math.min(99, yard));
  return suggestion({
    possession: team,
    spot,
    period: snap.period,
    clock: snap.clock,
    down: 1,
    distance: Math.min(10, 100 - spot),
    why,
  });
}

/**
 * The next snap if no flag lay on the field.
 * @param {EventBody} snap @param {Ball} ball @param {Game} game
 * @returns {Suggestion}
 */
export function after(snap, ball, { home, away, book }) {
  /** @param {string} team @param {number} spot @param {SnapKind} situation @param {string} why */
  const make = (team, spot, situation, why) =>
    suggestion({ possession: team, spot, period: snap.period, clock: snap.clock, situation, why });
  const kind = situationOf(snap);
  const scorer = ball.scorer ?? ball.team;
  if (ball.outcome === "none") return unplayed(snap);
  if (ball.outcome === "touchdown" && kind !== "try")
    return make(scorer, book.try_spot, "try", `${scorer} scored a touchdown and has a try.`);
  if (ball.outcome === "field_goal")
    return make(scorer, book.kickoff, "kickoff", `${scorer} made the field goal and kicks off.`);
  if (ball.outcome === "safety" && kind !== "try") {
    const conceded = ball.scorer === away ? home : away;
    return make(
      conceded,
      book.free_kick,
      "free_kick",
      `${conceded} gave up a safety and takes the free kick.`,
    );
  }
  if (kind === "try")
    return make(
      snap.possession,
      book.kickoff,
      "kickoff",
      `${snap.possession} kicks off after its try.`,
    );
  return ballDead(snap, ball, snap.possession === home ? away : home, book);
}

/** The same snap once more. @param {EventBody} snap @returns {Suggestion} */
const unplayed = (snap) => ({
  ...suggestion({
    possession: snap.possession,
    spot: snap.spot,
    period: snap.period,
    clock: snap.clock,
    situation: situationOf(snap),
    why: "Nothing is recorded since the snap.",
  }),
  down: snap.down ?? null,
  distance: snap.distance ?? null,
});

/**
 * The next snap after a play that scored nothing.
 * @param {Ball} ball
 * @param {Rulebook} book
 * @returns {Suggestion}
 */
function ballDead(snap, ball, defence, book) {
  if (ball.yard <= 0 && (!ball.turned || ball.impetus === ball.team)) {
    const why = `${ball.team} was stopped behind its own goal line: a safety. Record it, or correct the spot.`;
    return suggestion({
      possession: ball.team,
      spot: book.free_kick,
      period: snap.period,
      clock: snap.clock,
      situation: "free_kick",
      why,
      check: true,
    });
  }
  if (ball.turned && ball.yard <= 0) {
    const touchback = touchbackOf(ball.kick, ball.landed, book);
    return firstDown(
      ball.team,
      touchback,
      snap,
      `A touchback: ${ball.team} begins at its ${touchback}.`,
    );
  }
  if (!countsDowns(snap))
    return firstDown(ball.team, ball.yard, snap, `${ball.team} begins where the ball was dead.`);
  if (ball.turned)
    return firstDown(
      ball.team,
      ball.yard,
      snap,
      `${ball.team} ${ball.team === defence ? "took over" : "won the ball back, a first down"}.`,
    );
  const gain = gained(ball.yard - snap.spot);
  if (snap.spot + snap.distance <= ball.yard)
    return firstDown(ball.team, ball.yard, snap, `${gain}: a first down.`);
  // The chains are measured anew.
  if (snap.down === 4)
    return {
      ...firstDown(
        defence,
        100 - ball.yard,
        snap,
        `${gain} on fourth down: ${defence} takes over.`,
      ),
      check: true,
    };
  const distance = Math.min(snap.spot + snap.distance, 100) - ball.yard;
  return suggestion({
    possession: ball.team,
    spot: ball.yard,
    period: snap.period,
    clock: snap.clock,
    down: snap.down + 1,
    distance,
    why: `${gain}, ${distance} to go.`,
  });
}

function gained(yards) {
  if (yards === 0) return "No gain";
  return `${yards > 0 ? "Gained" : "Lost"} ${Math.abs(yards)} yard${Math.abs(yards) === 1 ? "" : "s"}`;
}
