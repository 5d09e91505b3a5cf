/**
 * Tries: one point or two, and the fouls of touchdowns and tries, which move the try or the kickoff
 * after it. Pure; the server's side is app/record/rules/football/tries.py.
 */
import { again, ruleOf, said, walk, walked, yardsOf } from "./enforcement.js";
import { margin } from "./overtime.js";
import { acceptedOf, asChoice, given, situationOf } from "./suggestion.js";

/** @typedef {import("./rulebook.js").Rulebook} Rulebook */
/** @typedef {import("./suggestion.js").Suggestion} Suggestion */
/** @typedef {import("./suggestion.js").Standing} Standing */
/** @typedef {import("./ball.js").Game} Game */

const LAST_QUARTER = 4;

/**
 * The try after a touchdown: for two where the chart of the book says so late in the game. The club
 * chooses.
 * @param {Suggestion} found @param {Standing[]} events @param {Game} game @returns {Suggestion}
 */
export function tryOf(found, events, game) {
  const { book } = game;
  if (book.try_spot === book.two_point_spot) return found;
  const wantsTwo =
    found.period >= LAST_QUARTER &&
    book.two_point_margins.includes(margin(events, found.possession, game));
  const one = { ...found, spot: book.try_spot, why: "A kick for one point." };
  const two = { ...found, spot: book.two_point_spot, why: "A run or pass for two points." };
  const choices = [asChoice(one, found.possession, "one"), asChoice(two, found.possession, "two")];
  return {
    ...(wantsTwo ? two : one),
    why: `${found.possession} scored a touchdown and tries for ${wantsTwo ? "two" : "one"}.`,
    check: true,
    choices,
  };
}

/**
 * The try with the flags of a touchdown that stands: they move it, or wait for the kickoff, as the
 * book says.
 * @param {Suggestion} found @param {EventBody} snap @param {EventBody[]} action @param {Game}
 *   game @returns {Suggestion}
 */
export function afterTouchdown(found, snap, action, { home, away, book }) {
  const fouls = acceptedOf(action);
  if (!fouls.length) return found;
  const own = fouls.filter((foul) => foul.team === found.possession);
  const moving = own.length ? own : fouls;
  const spot = moving.reduce(
    (at, foul) => walk(at, foul, found.possession, ruleOf(foul, snap, book)),
    found.spot,
  );
  const moved = {
    ...found,
    spot,
    check: true,
    choices: [],
    why: `${said(moving)}: it moves the try.`,
  };
  const waits = {
    ...found,
    check: true,
    why: `${said(fouls)}: it waits for the kickoff after the try.`,
  };
  if (book.touchdown_fouls !== "choice") return book.touchdown_fouls === "try" ? moved : waits;
  const by = fouls[0].team === home ? away : home;
  const choices =
    fouls.length === 1 ? [asChoice(moved, by, "try"), asChoice(waits, by, "kickoff")] : [];
  return { ...(own.length ? moved : waits), choices };
}

/**
 * The try after a foul that stopped it or wiped it out. The defence's before the snap waits for the
 * kickoff; yards that are half the way from the spot of a try for two say that the club goes for
 * two.
 * @param {Suggestion} found @param {EventBody} snap @param {EventBody} foul @param {Rulebook}
 *   book @returns {Suggestion}
 */
export function playedAgain(found, snap, foul, book) {
  const rule = ruleOf(foul, snap, book);
  const isNoted = given(foul.enforcement_yard);
  const byDefence = foul.team !== snap.possession;
  if (byDefence && !isNoted) {
    const half = Math.floor((100 - book.two_point_spot) / 2);
    if (yardsOf(foul) < rule.yards && yardsOf(foul) === half && snap.spot !== book.two_point_spot) {
      const nearer = again(found, snap, book.two_point_spot + half);
      return {
        ...nearer,
        check: true,
        why: `${said([foul])}: it is half the way, so ${nearer.possession} tries for two.`,
      };
    }
    if (rule.before_snap && snap.spot === book.try_spot && book.try_spot !== book.two_point_spot) {
      return {
        ...again(found, snap, snap.spot),
        check: true,
        why: `${said([foul])}: it waits for the kickoff after the try.`,
      };
    }
  }
  const noted = byDefence ? 100 - foul.enforcement_yard : foul.enforcement_yard;
  const spot = walk(isNoted ? noted : snap.spot, foul, snap.possession, rule);
  return { ...again(found, snap, spot), check: true, why: `${said([foul])}: it moves the try.` };
}

/**
 * The kickoff after a try, with the flags of the touchdown and of tries before that no try was
 * moved by.
 * @param {Suggestion} found @param {Standing[]} events @param {Rulebook} book @returns {Suggestion}
 */
export function carriedOver(found, events, book) {
  const plays = playsSinceTouchdown(events);
  const waiting = plays.slice(0, -1).flatMap(({ snap, action }, index) => {
    const following = plays[index + 1].snap;
    const isMoved = following.spot !== book.try_spot && following.spot !== book.two_point_spot;
    return isMoved || (situationOf(snap) === "try" && snap.spot !== following.spot)
      ? []
      : acceptedOf(action);
  });
  if (!waiting.length) return found;
  const kickoff = waiting.reduce(
    (now, foul) => walked(now, foul, ruleOf(foul, plays[0].snap, book)),
    found,
  );
  return { ...kickoff, check: true, why: `${said(waiting)}: waited for this kickoff.` };
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
