/**
 * Tries: one point or two, and the fouls of touchdowns and tries, which move the try or the kickoff
 * after it. Pure; the server's side is app/record/rules/football/tries.py.
 */
import { again, foulWords, ruleOf, walk, walked, yardsOf } from "./enforcement.js";
import { margin } from "./overtime.js";
import { acceptedOf, asChoice, isSet, situationOf } from "./suggestion.js";

/** @typedef {import("./rulebook.js").Rulebook} Rulebook */
/** @typedef {import("./suggestion.js").Suggestion} Suggestion */
/** @typedef {import("./suggestion.js").Standing} Standing */
/** @typedef {import("./ball.js").Game} Game */

const LAST_QUARTER = 4;

/**
 * The try after a touchdown: for two where the chart of the book says so late in the game. The club
 * chooses.
 * @param {Suggestion} next @param {Standing[]} events @param {Game} game @returns {Suggestion}
 */
export function tryOf(next, events, game) {
  const { book } = game;
  if (book.try_spot === book.two_point_spot) return next;
  const wantsTwo =
    next.period >= LAST_QUARTER &&
    book.two_point_margins.includes(margin(events, next.possession, game));
  const forOne = { ...next, spot: book.try_spot, why: "A kick for one point." };
  const two = { ...next, spot: book.two_point_spot, why: "A run or pass for two points." };
  const choices = [asChoice(forOne, next.possession, "one"), asChoice(two, next.possession, "two")];
  return {
    ...(wantsTwo ? two : forOne),
    why: `${next.possession} scored a touchdown and tries for ${wantsTwo ? "two" : "one"}.`,
    check: true,
    choices,
  };
}

/**
 * The try with the flags of a touchdown that stands: they move it, or wait for the kickoff, as the
 * book says.
 * @param {Suggestion} next @param {EventBody} snap @param {EventBody[]} action @param {Game}
 *   game @returns {Suggestion}
 */
export function afterTouchdown(next, snap, action, { home, away, book }) {
  const fouls = acceptedOf(action);
  if (!fouls.length) return next;
  const byScorers = fouls.filter((foul) => foul.team === next.possession);
  const moving = byScorers.length ? byScorers : fouls;
  const spot = moving.reduce(
    (at, foul) => walk(at, foul, next.possession, ruleOf(foul, snap, book)),
    next.spot,
  );
  const moved = {
    ...next,
    spot,
    check: true,
    choices: [],
    why: `${foulWords(moving)}: it moves the try.`,
  };
  const waits = {
    ...next,
    check: true,
    why: `${foulWords(fouls)}: it waits for the kickoff after the try.`,
  };
  if (book.touchdown_fouls !== "choice") return book.touchdown_fouls === "try" ? moved : waits;
  const by = fouls[0].team === home ? away : home;
  const choices =
    fouls.length === 1 ? [asChoice(moved, by, "try"), asChoice(waits, by, "kickoff")] : [];
  return { ...(byScorers.length ? moved : waits), choices };
}

/**
 * The try after a foul that stopped it or wiped it out. The defence's before the snap waits for the
 * kickoff; yards that are half the way from the spot of a try for two say that the club goes for
 * two.
 * @param {Suggestion} next @param {EventBody} snap @param {EventBody} foul @param {Rulebook}
 *   book @returns {Suggestion}
 */
export function playedAgain(next, snap, foul, book) {
  const rule = ruleOf(foul, snap, book);
  const isNoted = isSet(foul.enforcement_yard);
  const byDefence = foul.team !== snap.possession;
  if (byDefence && !isNoted) {
    const half = Math.floor((100 - book.two_point_spot) / 2);
    if (yardsOf(foul) < rule.yards && yardsOf(foul) === half && snap.spot !== book.two_point_spot) {
      const nearer = again(next, snap, book.two_point_spot + half);
      return {
        ...nearer,
        check: true,
        why: `${foulWords([foul])}: half the distance, so ${nearer.possession} tries for two.`,
      };
    }
    if (rule.before_snap && snap.spot === book.try_spot && book.try_spot !== book.two_point_spot) {
      return {
        ...again(next, snap, snap.spot),
        check: true,
        why: `${foulWords([foul])}: it waits for the kickoff after the try.`,
      };
    }
  }
  const noted = byDefence ? 100 - foul.enforcement_yard : foul.enforcement_yard;
  const spot = walk(isNoted ? noted : snap.spot, foul, snap.possession, rule);
  return {
    ...again(next, snap, spot),
    check: true,
    why: `${foulWords([foul])}: it moves the try.`,
  };
}

/**
 * The kickoff after a try, with the flags of the touchdown and of tries before that no try was
 * moved by.
 * @param {Suggestion} next @param {Standing[]} events @param {Rulebook} book @returns {Suggestion}
 */
export function carriedOver(next, events, book) {
  const plays = playsSinceTouchdown(events);
  const waiting = plays.slice(0, -1).flatMap(({ snap, action }, index) => {
    const following = plays[index + 1].snap;
    const isMoved = following.spot !== book.try_spot && following.spot !== book.two_point_spot;
    return isMoved || (situationOf(snap) === "try" && snap.spot !== following.spot)
      ? []
      : acceptedOf(action);
  });
  if (!waiting.length) return next;
  const kickoff = waiting.reduce(
    (now, foul) => walked(now, foul, ruleOf(foul, plays[0].snap, book)),
    next,
  );
  return { ...kickoff, check: true, why: `${foulWords(waiting)}: waited for this kickoff.` };
}

/**
 * The last tries and the play before the first of them, in order, each with what was recorded of
 * it.
 * @param {Standing[]} events
 */
function playsSinceTouchdown(events) {
  const plays = [];
  for (let index = events.length - 1; index >= 0; index -= 1) {
    const { play_number: number, body: snap } = events[index];
    if (snap.type !== "snap") continue;
    plays.unshift({
      snap,
      action: events
        .slice(index + 1)
        .filter((event) => event.play_number === number)
        .map((event) => event.body),
    });
    if (situationOf(snap) !== "try") break;
  }
  return plays;
}
