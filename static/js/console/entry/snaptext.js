/**
 * The snap's one line: every part may be typed in any order, the rest is taken from the suggestion.
 * Clock `1231` or `12:31` · down and distance `2&7`, `2-7`, `3&g` · spot `o28`, `d20`, `SF35`, `50`
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

function take(word, snap, clubs, rules) {
  const low = word.toLowerCase();
  const other = (club) => (club === clubs.home ? clubs.away : clubs.home);
  const down = /^([1-4])[&/-](\d{1,2}|g)$/.exec(low);
  if (down) {
    snap.down = Number(down[1]);
    snap.distance = down[2] === "g" ? 100 - snap.spot : Number(down[2]);
    return null;
  }
  const period = /^q(\d)$/.exec(low);
  if (period && Number(period[1]) >= 1) {
    snap.period = Number(period[1]);
    return null;
  }
  if (KINDS[low]) {
    snap.situation = KINDS[low];
    const spots = {
      kickoff: rules.kickoff,
      free_kick: rules.free_kick,
      try: low === "two" ? rules.two_point_spot : rules.try_spot,
    };
    snap.spot = spots[snap.situation] ?? snap.spot;
    return null;
  }
  for (const club of [clubs.home, clubs.away]) {
    if (low !== club.toLowerCase()) continue;
    // From scrimmage the ball stays where it is on the field; a kick is taken from the same yard of
    // either club.
    if (club !== snap.possession && snap.situation === "scrimmage") snap.spot = 100 - snap.spot;
    snap.possession = club;
    return null;
  }
  const clock = /^\d{3,4}$|:/.test(low) ? parseClock(low) : null;
  if (clock !== null) {
    snap.clock = clock;
    return null;
  }
  const spot = parseSpot(low, {
    team: snap.possession,
    other: other(snap.possession),
    from: snap.spot,
  });
  if (!("error" in spot) && !spot.touchdown && spot.yard > 0 && spot.yard < 100) {
    snap.spot = spot.yard;
    return null;
  }
  return `‘${word}’ is no part of a snap: type a clock (1231), down & distance (2&7), a spot (o28, d20) or a club (${clubs.home}).`;
}
