/**
 * The offended club's choice: the snap that follows from each answer to a flag, in words, before
 * the scorer answers. Pure; by the rules of the next snap (rules/situation.js). Only for flags of
 * the last play.
 */
import { nextSnap } from "../../rules/situation.js";
import { isSet } from "../../rules/suggestion.js";
import { ordinal, spotWords } from "../../entry/spots.js";

const MAKES = { kickoff: "kickoff", free_kick: "free kick", try: "try" };

/**
 * @param {EventBody} foul  as it would be recorded
 * @param {number[]} struck  the events of the play that it takes away
 * @param {object} s  the situation
 * @returns {string}  "" where it cannot be known
 */
export function snapAfter(foul, struck, s) {
  if (!isKnown(s)) return "";
  const standing = s.play_events.filter(
    (event) => !struck.includes(event.number) && event.number !== s.ruled,
  );
  const events = [
    ...standing.map(({ play_number, body }) => ({ play_number, body })),
    { play_number: standing[0].play_number, body: foul },
  ];
  const snap = nextSnap(events, { ...s.clubs, book: s.rules, score: s.score });
  return snapWords(snap, s);
}

/** Whose ball, which down and where. @param {import("../../rules/suggestion.js").Suggestion} snap */
export const snapWords = (snap, s) =>
  `${snap.possession} ${downOf(snap)} at ${spotWords(snap.possession, snap.spot, s.other(snap.possession))}`;

/** The snap after a label. @param {string} label */
export const withSnap = (label, foul, struck, s) =>
  [label, snapAfter(foul, struck, s)].filter(Boolean).join(": ");

/**
 * The flag is of the last play or one that is corrected, and nothing of other plays decides what
 * comes.
 */
function isKnown(s) {
  if (!s.rules?.fouls || s.late || s.play_events?.[0]?.body.type !== "snap") return false;
  const { situation = "scrimmage", period } = s.play_events[0].body;
  return (
    situation !== "try" &&
    s.suggestion.situation !== "try" &&
    !(period > 4 && s.rules.overtime_rule === "series")
  );
}

function downOf({ situation, down, distance, spot }) {
  if (situation !== "scrimmage" || !isSet(down)) return MAKES[situation] ?? "snap";
  return `${ordinal(down)} & ${spot + distance >= 100 ? "goal" : distance}`;
}
