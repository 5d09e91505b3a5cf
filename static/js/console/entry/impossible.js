/**
 * What a play cannot have by the situation of its snap, as the event types declare (`situations`):
 * a run on a try. Pure. The server refuses the same (app/record/rules/misplaced.py).
 */
import { situationOf } from "../rules/suggestion.js";

const NAMES = {
  pass: "A pass",
  run: "A run",
  sack: "A sack",
  interception: "An interception",
  fumble: "A fumble",
  recovery: "A recovery",
  conversion: "A try for two points",
  kickoff: "A kickoff",
  onside: "An onside kick",
  free_kick: "A free kick",
  punt: "A punt",
  field_goal: "A field goal",
  extra_point: "An extra point",
};

// yards of a kick, as the server takes it
const LEAST = -20;

/** @type {Record<string, (keys: Record<string, string>) => string>} */
const PLAYS = {
  scrimmage: ({ snap = "snap" }) => `a play from scrimmage: enter its own snap first (${snap}).`,
  kickoff: ({ kick = "kick", snap = "snap" }) =>
    `a kickoff: enter the kickoff (${kick}), or the snap of the play that was run (${snap}).`,
  free_kick: ({ kick = "kick", snap = "snap" }) =>
    `a free kick: enter it (${kick}), or the snap of the play that was run (${snap}).`,
  try: ({ kick = "kick", conversion = "conversion" }) =>
    `a try: enter an extra point (${kick}), or a try for two points (${conversion}).`,
};

/**
 * @param {object[]} bodies  of an entry
 * @param {object} s  the situation, with the snap of the play that goes on
 * @returns {string[]}  a sentence for the first that its play cannot have
 */
export function impossible(bodies, s) {
  let snap = s.snap;
  for (const body of bodies) {
    if (body.type === "snap") snap = body;
    else if (body.type === "kick" && body.distance < LEAST)
      return [
        `A kick can’t go ${-body.distance} yards backward. For its end, own (o) is the side of the receiving club.`,
      ];
    else if (snap && !situationsOf(body, s.types).includes(situationOf(snap)))
      return [
        `${NAMES[body.type === "kick" ? body.kind : body.type]} cannot be in ${PLAYS[situationOf(snap)](s.keys ?? {})}`,
      ];
  }
  return [];
}

function situationsOf(body, types) {
  const declared = types[body.type]?.situations ?? Object.keys(PLAYS);
  return Array.isArray(declared) ? declared : declared[body.kind];
}
