/**
 * The snap's one line: every part may be typed in any order, the rest is taken from the suggestion.
 * Clock `1231` or `12:31`, `31` the next time that it shows 31 seconds · down and distance `2&7`, `2-7`, `3&g` · spot `o28`, `d20`, `SF35`, `50`
 * · club `SF` · kind `k` kickoff, `fk` free kick, `try`, `two`, `scr` scrimmage · period `q2`.
 */
import { parseClock, parseSpot } from "./spots.js";

const KINDS = {
  k: "kickoff",
  ko: "kickoff",
  kickoff: "kickoff",
  fk: "free_kick",
  try: "try",
  two: "try",
  scr: "scrimmage",
};

/**
 * @param {string} text
 * @param {object} suggestion  the snap to start from
 * @param {{home: string, away: string}} clubs
 * @param {{kickoff: number, free_kick: number, try_spot: number, two_point_spot: number}} rules
 *   from where each is snapped
 * @returns {{snap: object}|{error: string}}
 */
export function parseSnap(text, suggestion, clubs, rules) {
  const snap = {
    possession: suggestion.possession,
    spot: suggestion.spot,
    period: suggestion.period,
    clock: suggestion.clock,
    situation: suggestion.situation,
    down: suggestion.down ?? null,
    distance: suggestion.distance ?? null,
  };
  const words = text.trim().split(/\s+/).filter(Boolean);
  let typedDown = false;
  for (const word of words) {
    const fault = take(word, snap, clubs, rules);
    if (fault) return { error: fault };
    typedDown ||= /^[1-4][&/-]/.test(word);
  }
  if (typedDown && snap.situation !== "scrimmage") snap.situation = "scrimmage";
  if (snap.situation !== "scrimmage") snap.down = snap.distance = null;
  else if (snap.down === null)
    Object.assign(snap, { down: 1, distance: Math.min(10, 100 - snap.spot) });
  if (snap.distance !== null && snap.distance > 100 - snap.spot) snap.distance = 100 - snap.spot;
  return { snap };
}

/** Takes one word into the snap. @returns {string|null} what is wrong with the word */
function take(word, snap, clubs, rules) {
  const low = word.toLowerCase();
  const isTaken =
    takeDown(low, snap) ||
    takePeriod(low, snap) ||
    takeKind(low, snap, rules) ||
    takeClub(low, snap, clubs) ||
    takeClock(low, snap) ||
    takeSpot(low, snap, clubs);
  return isTaken
    ? null
    : `‘${word}’ is not part of a snap. Type a clock (1231, or 31 for the seconds), down & distance (2&7), a spot (o28, d20) or a club (${clubs.home}).`;
}

function takeDown(low, snap) {
  const down = /^([1-4])[&/-](\d{1,2}|g)$/.exec(low);
  if (!down) return false;
  snap.down = Number(down[1]);
  snap.distance = down[2] === "g" ? 100 - snap.spot : Number(down[2]);
  return true;
}

function takePeriod(low, snap) {
  const period = Number(/^q(\d)$/.exec(low)?.[1] ?? 0);
  if (!period) return false;
  snap.period = period;
  return true;
}

function takeKind(low, snap, rules) {
  if (!KINDS[low]) return false;
  snap.situation = KINDS[low];
  const spots = {
    kickoff: rules.kickoff,
    free_kick: rules.free_kick,
    try: low === "two" ? rules.two_point_spot : rules.try_spot,
  };
  snap.spot = spots[snap.situation] ?? snap.spot;
  return true;
}

function takeClub(low, snap, clubs) {
  const club = [clubs.home, clubs.away].find((name) => name.toLowerCase() === low);
  if (club === undefined) return false;
  // From scrimmage the ball stays where it is on the field; a kick is taken from the same yard of
  // either club.
  if (club !== snap.possession && snap.situation === "scrimmage") snap.spot = 100 - snap.spot;
  snap.possession = club;
  return true;
}

function takeClock(low, snap) {
  const clock = /^\d{3,4}$|:/.test(low) ? parseClock(low) : nextTime(low, snap.clock);
  if (clock === null) return false;
  snap.clock = clock;
  return true;
}

const MINUTE = 60;

/** The next time at which a clock that runs down shows these seconds; null if there is none. */
function nextTime(low, clock) {
  const seconds = Number(low);
  if (!/^\d{2}$/.test(low) || seconds >= MINUTE) return null;
  const left = clock - ((((clock - seconds) % MINUTE) + MINUTE) % MINUTE);
  return left < 0 ? null : left;
}

function takeSpot(low, snap, clubs) {
  if (/^\d+$/.test(low)) return false; // seconds; a spot has its side
  const team = snap.possession;
  const other = team === clubs.home ? clubs.away : clubs.home;
  const spot = parseSpot(low, { team, other, from: snap.spot });
  if ("error" in spot || spot.touchdown || spot.yard <= 0 || spot.yard >= 100) return false;
  snap.spot = spot.yard;
  return true;
}
