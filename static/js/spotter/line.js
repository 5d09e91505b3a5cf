/**
 * The spotter's one line: jersey numbers and what each of them did, as `52t 54a 80r`. Pure.
 * The club follows from the play: tackles are of the club that had to stop the ball, a catch of the
 * one that threw it.
 */

/**
 * @typedef {{event: number, role: string, words: string, club: string, players: string[],
 *   is_missing: boolean}} Slot
 * @typedef {{event: number, role: string, kind: string, player: string|null}} Given
 * @typedef {{number: number, title: string, lines: [number, string][], state:
 *   "open"|"waiting"|"struck", slots: Slot[], given: Given[], missing: string[],
 *            tackling: string|null, defence: string|null}} Play
 * @typedef {{role: string, player?: string|null, event?: number, was?: string|null, take_back?:
 *   boolean}} Credit
 * @typedef {{credits: Credit[], words: string[], error: string, open: string}} Reading  `open`: a
 *   number whose letter is not typed yet
 */

/**
 * What a letter means. `side`: whose credit it is; without one it names somebody in an event of the
 * play.
 */
export const ROLES = {
  t: { role: "tackle", title: "Tackle", side: "tackling" },
  a: { role: "assist", title: "Assist", side: "tackling" },
  l: { role: "tackle_for_loss", title: "For a loss", side: "tackling" },
  b: { role: "pass_defended", title: "Broke it up", side: "defence" },
  h: { role: "qb_hit", title: "Passer hit", side: "defence" },
  x: { role: "sacked_by", title: "Sacked" },
  r: { role: "receiver", title: "Target" },
  p: { role: "passer", title: "Passer" },
  c: { role: "carrier", title: "Carrier" },
  i: { role: "intercepted_by", title: "Intercepted" },
  m: { role: "fumbled_by", title: "Fumbled" },
  f: { role: "forced_by", title: "Forced" },
  v: { role: "recovered_by", title: "Recovered" },
  k: { role: "kicker", title: "Kicker" },
  o: { role: "blocked_by", title: "Blocked" },
};

const NUMBERED = /^(-?)(\d+)([a-z])/i;
const NAMED = /^(-?)([\p{L}'’]+)\.([a-z])/iu;
const NOBODY = /^(-)()([a-z])/i;

/**
 * Reads the line for a play.
 * @param {string} text @param {Play} play @param {import("../console/roster.js").Roster} roster
 * @returns {Reading}
 */
export function readLine(text, play, roster) {
  /** @type {Reading} */
  const reading = { credits: [], words: [], error: "", open: "" };
  let unread = text.trim();
  while (unread && !reading.error) {
    const match = NUMBERED.exec(unread) ?? NAMED.exec(unread) ?? NOBODY.exec(unread);
    if (!match) {
      if (/^-?\d+$/.test(unread)) reading.open = unread.replace("-", "");
      reading.error = reading.open
        ? `What did ${reading.open} do? Type its letter, e.g. ${reading.open}t for a tackle.`
        : `‘${unread}’ can’t be read: type a number and a letter (52t), or a name, a dot and a letter (smith.t).`;
      break;
    }
    const [all, minus, who, letter] = match;
    const credit = creditOf(Boolean(minus), who, letter.toLowerCase(), play, roster);
    if ("error" in credit) reading.error = credit.error;
    else {
      reading.credits.push(credit.credit);
      reading.words.push(credit.words);
    }
    unread = unread.slice(all.length).replace(/^[\s,]+/, "");
  }
  return reading;
}

/** @returns {{credit: Credit, words: string}|{error: string}} */
function creditOf(minus, who, letter, play, roster) {
  const meaning = ROLES[letter];
  if (!meaning)
    return {
      error: `‘${letter}’ is not a letter of the spotter’s line: use ${Object.keys(ROLES).join(", ")}.`,
    };
  if (!meaning.side) return naming(minus, who, meaning, play, roster);
  if (!who) return { error: `Whose ${meaning.title.toLowerCase()} is removed? Type -52${letter}.` };
  const club = play[meaning.side];
  if (!club) return { error: `Play ${play.number} has no snap: nobody defends yet.` };
  const player = playerOf(who, club, roster);
  if ("error" in player) return player;
  if (!minus)
    return {
      credit: { role: meaning.role, player: player.id },
      words: `${meaning.title}: ${roster.label(player.id)} (${club}).`,
    };
  const tackles = ["tackle", "assist"];
  const same = (credit) =>
    credit.role === meaning.role ||
    (tackles.includes(credit.role) && tackles.includes(meaning.role));
  const credit = play.given.find((candidate) => same(candidate) && candidate.player === player.id);
  if (!credit)
    return { error: `${roster.label(player.id)} has no such credit on play ${play.number}.` };
  return {
    credit: { role: meaning.role, event: credit.event, take_back: true },
    words: `Removed: ${meaning.title.toLowerCase()}, ${roster.label(player.id)}.`,
  };
}

function naming(minus, who, meaning, play, roster) {
  const slots = play.slots.filter((slot) => slot.role === meaning.role);
  const slot = slots.find((candidate) => !candidate.players.length) ?? slots.at(-1);
  if (!slot)
    return {
      error:
        play.state === "waiting"
          ? `Play ${play.number} is not entered yet. Name the ${meaning.title.toLowerCase()} once it is.`
          : `Play ${play.number} has no ${meaning.title.toLowerCase()} to name.`,
    };
  const player = who ? playerOf(who, slot.club, roster) : { id: null };
  if ("error" in player) return player;
  if (minus && who && !slot.players.includes(player.id))
    return { error: `${roster.label(player.id)} is not named there.` };
  const id = minus ? null : player.id;
  const name = id === null ? "nobody named" : `${roster.label(id)} (${slot.club})`;
  return {
    credit: { role: meaning.role, player: id, event: slot.event, was: slot.players.at(-1) ?? null },
    words: `${slot.words}: ${name}.`,
  };
}

/**
 * The player of a club who wears the number, or whose name begins so.
 * @returns {{id: string}|{error: string}}
 */
function playerOf(who, club, roster) {
  const isNumber = /^\d+$/.test(who);
  const people = isNumber
    ? roster.players.filter((player) => player.club === club && player.number === Number(who))
    : roster.find(who, club, 3);
  if (people.length === 1) return { id: people[0].id };
  if (!people.length)
    return {
      error: isNumber ? `Nobody on ${club} wears ${who}.` : `Nobody on ${club} is called ${who}.`,
    };
  return {
    error: `${who} on ${club} may be ${people.map((player) => player.name).join(" or ")}. Type more of the name, e.g. smith.t.`,
  };
}

/** Everybody who wears a number, shown while it is typed. */
export const wearers = (number, roster) =>
  roster.players.filter((player) => player.number === Number(number));
