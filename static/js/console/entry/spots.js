/**
 * Yards and clocks as scorers say them. Pure: text in, numbers out.
 * Every spot counts 0 to 100 from the own goal line of `team` (100 is the opponents' goal line).
 */

const END_ZONE = 10; // yards behind the goal line from where a kick may be brought out

/**
 * What a typed spot means for `team`.
 * `35` and `o35`: own 35; `d20`: the opponents' 20; `SF35`: that club's 35; `+7`, `-3`: from
 * `from`; `t`: the goal line and a touchdown; a `!` at the end: a touchdown there; `g`: the own
 * goal line; `d0`: the opponents' goal line without a touchdown; `e5`, where `deep` allows it: 5
 * yards behind the own goal line.
 * @param {string} text
 * @param {{team: string, other: string, from?: number|null, deep?: boolean}} on
 * @returns {{yard: number, touchdown: boolean}|{error: string}}
 */
export function parseSpot(text, on) {
  const typed = text.trim().toLowerCase();
  if (["t", "td", "!", "t!", "td!"].includes(typed)) return { yard: 100, touchdown: true };
  const touchdown = typed.endsWith("!");
  const bare = typed.replace(/!$/, "");
  const yard = yardOf(bare, on);
  if (yard === null)
    return {
      error: `‘${text.trim()}’ is not a spot. Type o35 (own), d20 (theirs), +7, -3 or t (touchdown).`,
    };
  if (bare === "d0") return { yard: 100, touchdown };
  if (on.deep && yard >= -END_ZONE && yard <= 0) return { yard, touchdown: false };
  if (yard < 0 || yard > 100)
    return {
      error: `${text.trim()} is beyond a goal line. Type 0 (own) or t (touchdown) for the line itself.`,
    };
  return { yard, touchdown: touchdown || yard === 100 };
}

/**
 * @param {string} text
 * @param {{team: string, other: string, from?: number|null, deep?: boolean}} on
 */
function yardOf(text, { team, other, from, deep }) {
  if (text === "g") return 0;
  const behind = deep && /^e(\d{1,2})$/.exec(text);
  if (behind) return -Number(behind[1]);
  const gain = /^([+-])(\d{1,3})$/.exec(text);
  if (gain) return from === null || from === undefined ? null : from + Number(gain[1] + gain[2]);
  const side = /^([od]?)(\d{1,3})$/.exec(text);
  if (side) return side[1] === "d" ? 100 - Number(side[2]) : Number(side[2]);
  return yardOfClub(text, team, other);
}

/** `SF35`, as `team` sees it. */
function yardOfClub(text, team, other) {
  const [, club, yard] = /^([a-z]+) ?(\d{1,2})$/.exec(text) ?? [];
  if (club === team.toLowerCase()) return Number(yard);
  return club === other.toLowerCase() ? 100 - Number(yard) : null;
}

/**
 * A spot by the side of the field it lies on: yard 72 of SF against DAL is `DAL 28`.
 * @param {string} team
 * @param {number} yard
 * @param {string} other
 */
export function spotWords(team, yard, other) {
  if (yard < 0) return `${yardsWords(-yard)} deep in ${team}’s end zone`;
  if (yard === 0) return `${team}’s goal line`;
  if (yard >= 100) return `${other}’s goal line`;
  if (yard === 50) return "the 50";
  return yard < 50 ? `${team} ${yard}` : `${other} ${100 - yard}`;
}

/** A spot behind a verb: "at DAL 28", "3 yards deep in DAL’s end zone". */
export function atSpotWords(team, yard, other) {
  return yard < 0 ? spotWords(team, yard, other) : `at ${spotWords(team, yard, other)}`;
}

/** @param {number} count */
export const yardsWords = (count) => `${count} yard${count === 1 ? "" : "s"}`;

/** @param {number} yards */
export function gainWords(yards) {
  if (yards === 0) return "no gain";
  return `${yards < 0 ? "loss of " : ""}${yardsWords(Math.abs(yards))}`;
}

/**
 * Seconds left from `12:31`, `1231`, `:45` or `0:45`; null when it is no clock.
 * @param {string} text
 */
export function parseClock(text) {
  const match = /^(\d{0,2}):(\d{2})$/.exec(text) ?? /^(\d{1,2})(\d{2})$/.exec(text);
  if (!match) return null;
  const seconds = Number(match[1] || 0) * 60 + Number(match[2]);
  return Number(match[2]) < 60 && seconds <= 900 ? seconds : null;
}

/** @param {number} seconds */
export function clockWords(seconds) {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

const ORDINALS = ["", "1st", "2nd", "3rd", "4th"];

/** @param {number} down */
export function ordinal(down) {
  return ORDINALS[down] ?? `${down}th`;
}

/** @param {number} period */
export function periodWords(period) {
  if (period <= 4) return `Q${period}`;
  return period === 5 ? "OT" : `${period - 4}OT`;
}
