/** The changes of an entry to the record, shown before Enter records it. Pure. */
import { sentenceOf } from "./words.js";

/** @typedef {{title: string, lines: string[]}} Consequence */

/**
 * @param {object[]} bodies
 * @param {object} s  the situation
 * @param {object|undefined} chosen  the event that a correction was begun with
 * @returns {Consequence[]}
 */
export function consequencesOf(bodies, s, chosen) {
  const stands = !bodies.some((body) => body.type === "nullify" || body.type === "snap");
  return bodies.map((body) => ofBody(body, s, chosen, stands)).filter(Boolean);
}

/** @param {boolean} stands  the entry takes nothing of the play away */
function ofBody(body, s, chosen, stands) {
  const describe = (number) => `#${number} ${wordsOf(number, s, chosen)}`.trim();
  switch (body.type) {
    case "nullify":
      return { title: "Will be struck out", lines: body.events.map(describe) };
    case "overturn":
    case "stat_correction":
      return { title: "Will be replaced", lines: [describe(body.event)] };
    case "penalty":
      return body.status === "accepted" && stands ? { title: "The play stands", lines: [] } : null;
    case "challenge":
      return ofReview(body, s);
    default:
      return null;
  }
}

function ofReview(body, s) {
  if (body.ruling === "upheld" || body.ruling === "stands" || body.is_entered)
    return { title: "Lifts the hold; nothing else changes", lines: [] };
  const facts = (s.play_events ?? []).filter((event) =>
    ["action", "credit"].includes(s.types[event.type].part),
  );
  const title =
    body.ruling === "pending"
      ? "Points held until the ruling"
      : "Points held until the new ruling is entered (overturn)";
  return { title, lines: facts.map((event) => `#${event.number} ${event.words}`) };
}

/** The body of an event that is chosen, alone or in its entry. */
function chosenBody(number, chosen) {
  if (chosen.number === number && chosen.body) return chosen.body;
  const index = chosen.numbers?.indexOf(number) ?? -1;
  return index >= 0 ? chosen.bodies?.[index] : undefined;
}

function wordsOf(number, s, chosen) {
  const lists = [chosen?.play_events, chosen?.events, s.play_events];
  const event = lists.flatMap((list) => list ?? []).find((listed) => listed.number === number);
  if (event) return event.words;
  const body = chosen && chosenBody(number, chosen);
  if (body) return sentenceOf([body], s);
  const entry = (s.recent ?? []).find((recent) => recent.numbers.includes(number));
  return entry?.bodies ? sentenceOf([entry.bodies[entry.numbers.indexOf(number)]], s) : "";
}
