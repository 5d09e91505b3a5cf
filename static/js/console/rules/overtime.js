/**
 * Overtime and the end of the game: what overtime begins with, and whether there is a next snap at
 * all. Pure; the server's side is app/record/rules/football/overtime.py.
 */
import { isLate, periodSeconds, REGULATION } from "./rulebook.js";
import { pointsOf } from "./state.js";
import { situationOf, suggestion } from "./suggestion.js";

/** @typedef {import("./rulebook.js").Rulebook} Rulebook */
/** @typedef {import("./suggestion.js").Suggestion} Suggestion */
/** @typedef {import("./suggestion.js").Standing} Standing */
/** @typedef {import("./ball.js").Game} Game */

const FIELD_GOAL = 3;
const TRY = 2; // the most that a try is worth

const otherThan = (team, { home, away }) => (team === home ? away : home);

/**
 * The points of a club in the whole game.
 * @param {Standing[]} events
 * @param {string} club
 * @param {Game} game
 */
const points = (events, club, game) => (game.score ? game.score[club] : pointsOf(events, club));

/**
 * By how many points `team` leads, those of one play left out if asked.
 * @param {Standing[]} events @param {string} team @param {Game} game @param {number|null}
 *   withoutPlay
 */
export function margin(events, team, game, withoutPlay = null) {
  const left = events.filter((event) => event.play_number === withoutPlay);
  const of = (club) => points(events, club, game) - pointsOf(left, club);
  return of(team) - of(otherThan(team, game));
}

/**
 * Whether a period of overtime begins anew, with a kickoff or a series.
 * @param {number} period
 * @param {Rulebook} book
 */
export const isOpened = (period, book) =>
  period > REGULATION &&
  (book.overtime_rule === "series" || (period - REGULATION - 1) % book.overtime_half === 0);

/**
 * What a period of overtime begins with: a kickoff, or the first club's series.
 * @param {number} period @param {number} clock @param {Standing[]} events @param {Game} game
 *   @returns {Suggestion}
 */
export function opening(period, clock, events, game) {
  const { home, book } = game;
  if (book.overtime_rule === "series") {
    const before = firstOf(period - 1, events);
    if (before !== null && period > REGULATION + 1)
      return series(
        otherThan(before, game),
        period,
        clock,
        book,
        "which had the ball second, is likely to begin",
      );
    return {
      ...series(home, period, clock, book, "or the other club: the coin toss decides"),
      by_toss: true,
    };
  }
  const reason =
    period === REGULATION + 1
      ? "the coin toss decides who kicks"
      : "the overtime coin tosses decide who kicks";
  const why = `Overtime: ${reason}. ${HOW[book.overtime_rule]}`;
  return suggestion({
    possession: home,
    spot: book.kickoff,
    period,
    clock,
    situation: "kickoff",
    by_toss: true,
    check: true,
    why,
  });
}

const HOW = {
  sudden_death: "The first score wins.",
  modified:
    "A touchdown on the first series wins, a field goal only after both clubs had the ball.",
  both: "Both clubs get the ball, then the first score wins.",
};

/** @param {Rulebook} book @returns {Suggestion} */
function series(team, period, clock, book, who) {
  const number = period - REGULATION;
  const common = { possession: team, period, clock, check: true };
  if (isFrom(book.overtime_tries_from, number)) {
    return suggestion({
      ...common,
      spot: book.two_point_spot,
      situation: "try",
      why: `Extra period ${number} is two-point tries only: ${team}, ${who}.`,
    });
  }
  const spot = book.overtime_spot;
  const why = `Extra period ${number}, a series from the ${100 - spot} each: ${team}, ${who}.`;
  return suggestion({ ...common, spot, down: 1, distance: Math.min(10, 100 - spot), why });
}

const isFrom = (first, number) => first > 0 && first <= number;

/**
 * The next snap as it is where the game may be over, or the other club's turn: at the end of
 * regulation, later.
 * @param {Suggestion} next  what would follow within a quarter
 * @param {EventBody} snap @param {{isPlayed: boolean, isExtended: boolean, play: number}} last
 *   the last play: whether anything was played since `snap`, and whether a foul of it gives an
 *   untimed down where the half ended with it
 * @param {Standing[]} events @param {Game} game
 * @returns {Suggestion}
 */
export function decided(next, snap, { isPlayed, isExtended, play }, events, game) {
  const { book } = game;
  const ended = endedPeriod(events);
  if (isExtended && ended !== null && canGoOn(next, ended, book))
    return {
      ...next,
      check: true,
      why: `${next.why} Time is up: an untimed down, for the foul.`,
    };
  if (Math.max(snap.period, next.period) <= REGULATION)
    return ended === REGULATION ? afterRegulation(next, events, game) : next;
  if (book.overtime_rule === "series") return afterSeries(next, snap, ended !== null, events, game);
  const isLast = isLastPeriod(ended, book);
  return isPlayed || isLast ? afterExtraPlay(next, play, isLast, events, game) : next;
}

/** @param {number|null} ended  the period that has ended @param {Rulebook} book */
const isLastPeriod = (ended, book) =>
  book.overtime_periods > 0 && ended !== null && ended - REGULATION >= book.overtime_periods;

/**
 * After a play of overtime without series: the game goes on, or is over.
 * @param {Suggestion} next @param {number} play @param {boolean} isLast  time is up
 * @returns {Suggestion}
 */
function afterExtraPlay(next, play, isLast, events, game) {
  const { home, away } = game;
  // If a flag wipes a play out, none of its points count, although its events stand until they are
  // taken back.
  const lead = margin(events, home, game, next.situation === "scrimmage" ? play : null);
  if (isLast && (next.situation !== "try" || Math.abs(lead) > TRY))
    return gameOver(next, events, game, "Time is up");
  if (lead === 0) return next;
  return isWon(next, lead > 0 ? away : home, Math.abs(lead), events, game)
    ? gameOver(next, events, game, "")
    : next;
}

/**
 * Whether a half has ended, and not in a series, which no clock ends.
 * @param {Suggestion} next
 * @param {number} ended
 * @param {Rulebook} book
 */
const canGoOn = (next, ended, book) =>
  next.situation === "scrimmage" &&
  isLate(book, ended) &&
  !(ended > REGULATION && book.overtime_rule === "series");

/**
 * Whether overtime is won by the club that leads.
 * @param {Suggestion} next
 * @param {Standing[]} events
 */
function isWon(next, trailing, lead, events, { book }) {
  if (book.overtime_rule === "sudden_death")
    return !(next.situation === "try" && next.possession === trailing);
  if (next.possession === trailing && ["scrimmage", "try"].includes(next.situation)) return false;
  return (book.overtime_rule === "modified" && lead > FIELD_GOAL) || hadTheBall(trailing, events);
}

/**
 * Whether a club had its opportunity in overtime: a kickoff to it is one, whoever recovered it.
 * @param {Standing[]} events
 */
function hadTheBall(team, events) {
  let period = 1;
  return events.some(({ body }) => {
    if (body.type === "snap") ({ period } = body);
    return period > REGULATION && isOpportunity(body, team);
  });
}

function isOpportunity(body, team) {
  if (body.type === "recovery" || body.type === "interception") return body.team === team;
  if (body.type === "kick")
    return (
      ["punt", "field_goal"].includes(body.kind) &&
      body.result === "recovered" &&
      body.team !== team
    );
  if (body.type !== "snap") return false;
  const kind = situationOf(body);
  return kind === "scrimmage"
    ? body.possession === team
    : kind !== "try" && body.possession !== team;
}

/**
 * After the last quarter: the end, a try that may still decide, or overtime.
 * @param {Suggestion} next
 * @returns {Suggestion}
 */
function afterRegulation(next, events, game) {
  const lead = margin(events, game.home, game);
  if (next.situation === "try" && Math.abs(lead) <= TRY) return next;
  if (lead !== 0) return gameOver(next, events, game, "Time is up");
  return { ...opening(REGULATION + 1, next.clock, events, game), period: next.period };
}

/**
 * Within an extra period of series: it goes on, the other club's begins, the next period, or the
 * end.
 * @param {Suggestion} next
 * @returns {Suggestion}
 */
function afterSeries(next, snap, isOver, events, game) {
  const { possession: team, period } = snap;
  const { book } = game;
  const isSecond = (firstOf(period, events) ?? team) !== team;
  const lead = margin(events, team, game);
  const isWinning = lead > 0 && isSecond;
  const goesOn = next.possession === team && !isOver;
  if (goesOn && isUnchanged(next, snap)) return next;
  if (goesOn && next.situation === "try" && !isWinning) return tryOfSeries(next, snap, book);
  if (isWinning || lead < 0) return gameOver(next, events, game, "");
  return isSecond
    ? opening(period + 1, periodSeconds(book, period + 1), events, game)
    : series(otherThan(team, game), period, next.clock, book, `after the series of ${team}`);
}

/**
 * Whether the rules of series leave the next snap as it is: from scrimmage, and a try once more.
 */
const isUnchanged = (next, snap) =>
  next.situation === "scrimmage" || (next.situation === "try" && situationOf(snap) === "try");

/**
 * The try of a series: for two from a certain extra period on.
 * @param {Suggestion} next @param {EventBody} snap @param {Rulebook} book
 * @returns {Suggestion}
 */
function tryOfSeries(next, { possession: team, period }, book) {
  if (!isFrom(book.overtime_two_from, period - REGULATION)) return next;
  return {
    ...next,
    spot: book.two_point_spot,
    choices: [],
    why: `${team} scored a touchdown and must try for two in this extra period.`,
  };
}

/**
 * The club that had the first series of an extra period.
 * @param {number} period
 * @param {Standing[]} events
 * @returns {string|null}
 */
const firstOf = (period, events) =>
  events.find(({ body }) => body.type === "snap" && body.period === period)?.body.possession ??
  null;

/**
 * The period that has ended since the last snap, none having begun.
 * @param {Standing[]} events
 * @returns {number|null}
 */
function endedPeriod(events) {
  const last = events.findLast(({ body }) => body.type === "snap" || body.type === "period")?.body;
  return last?.type === "period" && last.phase === "end" ? last.period : null;
}

/**
 * `found` marked as what would come if the game were not over.
 * @param {Suggestion} next
 * @returns {Suggestion}
 */
function gameOver(next, events, game, when) {
  const [home, away] = [game.home, game.away].map((club) => points(events, club, game));
  const [winner, most, least] = home > away ? [game.home, home, away] : [game.away, away, home];
  const score = home === away ? `${home} to ${away}, a tie` : `${winner} wins ${most} to ${least}`;
  return {
    ...next,
    over: true,
    check: true,
    choices: [],
    why: `${when ? `${when}: the game is over` : "The game is over"}, ${score}.`,
  };
}
