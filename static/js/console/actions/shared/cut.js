/**
 * The gain that counts if the club with the ball fouled downfield. If the foul is enforced from its
 * spot, a run is only credited up to there (NFL Guide for Statisticians, NCAA statisticians'
 * manual), and so is a return. This is a proposal that the scorer sees before Enter and may
 * decline. Pure.
 */
import { isSet } from "../../rules/suggestion.js";
import { gainWords, spotWords } from "../../entry/spots.js";
import { lean } from "./parts.js";

/**
 * @typedef {{number: number, body: EventBody}} Listed  an event of the play
 * @typedef {{ruled: {number: number, was: EventBody, ruling: EventBody}, struck: number[]}} Cut
 *   the movement that passed the spot of the foul as it counts, and those that began beyond it
 */

/**
 * @param {string} team  the club that fouled @param {number} yard  the spot of the foul from its
 *   own goal line
 * @param {Listed[]} events  what counts of the play, in order
 * @returns {Cut|null}  null: nothing was gained beyond the foul, or the ball was loose or not
 *   theirs at the end
 */
export function cutAt(team, yard, events) {
  const moves = carried(team, events);
  if (
    !moves.length ||
    !moves.every(({ body }) => isSet(startOf(body)) && isSet(endOf(body))) ||
    endOf(moves.at(-1).body) <= yard
  )
    return null;
  const index = moves.findLastIndex(({ body }) => startOf(body) < yard);
  // A foul behind the line, or behind where a kick was caught, does not shorten the gain, because
  // there was none yet.
  if (index < 0) return startOf(moves[0].body) === yard ? cutOf(moves, 0, yard) : null;
  return cutOf(moves, index, yard);
}

/** @returns {Cut} */
function cutOf(moves, index, yard) {
  const { number, body: was } = moves[index];
  const end = was.type === "pass" ? "reception_yard" : "end_yard";
  return {
    ruled: { number, was, ruling: { ...was, [end]: yard, is_touchdown: false } },
    struck: moves.slice(index + 1).map((move) => move.number),
  };
}

/**
 * The movements with which the club had the ball last: runs, and the catch before them.
 * @param {Listed[]} events
 */
function carried(team, events) {
  const moves = events.filter(({ body }) =>
    [
      "pass",
      "run",
      "sack",
      "kick",
      "fumble",
      "recovery",
      "interception",
      "conversion",
      "safety",
    ].includes(body.type),
  );
  const other = moves.findLastIndex(({ body }) => body.team !== team || !isCarried(body));
  const last = moves.slice(other + 1);
  const caught = last.findLastIndex(({ body }) => body.type === "pass");
  return caught > 0 ? last.slice(caught) : last;
}

const isCarried = (body) =>
  body.type === "run" || (body.type === "pass" && body.result === "complete");
const startOf = (body) => (body.type === "pass" ? body.throw_yard : body.start_yard);
const endOf = (body) => (body.type === "pass" ? body.reception_yard : body.end_yard);

/** The question, with both gains. @param {Cut} cut @returns {Step} */
export function cutStep({ ruled: { was, ruling } }, s) {
  const words = (body) =>
    `${spotWords(body.team, endOf(body), s.other(body.team))} (${gainWords(endOf(body) - startOf(body))})`;
  const options = [
    { key: "y", value: true, label: `yes, to ${words(ruling)}` },
    {
      key: "n",
      value: false,
      label: `no, to ${words(was)}${was.is_touchdown ? ", touchdown" : ""} as it was`,
    },
  ];
  return {
    name: "cut",
    label: "Credited to the spot of the foul?",
    kind: "choice",
    default: true,
    options,
  };
}

/** The corrections that shorten the gain. @param {Cut} cut @returns {EventBody[]} */
export function cutBodies({ ruled: { number, ruling }, struck }, foul) {
  const reason = `${foul || "penalty"}: credited to the spot of the foul`;
  const overturn = { type: "overturn", event: number, ruling: lean(ruling), reason };
  return struck.length ? [overturn, { type: "nullify", events: struck, reason }] : [overturn];
}
