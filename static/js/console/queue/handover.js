/**
 * Compares the entries that wait here with what was recorded while another scorer had the game, one
 * by one. A likeness is only a hint: the scorer sends, drops or changes each entry. The server
 * refuses entries of a lost lease (scorer_console/lease/leases.py).
 */
import { el } from "../panel/screen.js";

const PATIENCE_MS = 8000;

/**
 * @typedef {{epoch: number, play: number|null, changed?: boolean}} Made  when an entry was made:
 *   the newest epoch that was known, and the play of the record that it belongs to; null: a play
 *   that waits here as well begins before it; `changed`: its scorer changed it since it was refused
 *   or held
 * @typedef {{numbers: number[], play_number: number, words: string, by: string, stands: boolean,
 *   bodies: object[]}} Recorded
 * @typedef {{entries: Recorded[], earlier: number}} Since
 */

/**
 * When an entry is made that was begun in this situation.
 * @param {{lease: import("./lease.js").Held|null, play_number: number, unsentSnap?: boolean}} s
 * @param {string} consoleName  this console, as the server calls it
 * @returns {Made}
 */
export function madeIn(s, consoleName) {
  const isOthers = s.lease?.live && s.lease.console !== consoleName;
  return {
    epoch: (s.lease?.epoch ?? 0) - (isOthers ? 1 : 0),
    play: s.unsentSnap ? null : s.play_number,
  };
}

/** Whether it begins a play; a spotter’s entries are credits, without a body. */
const opens = (item) => item.entries.some(({ body }) => body?.type === "snap");

/**
 * The entries behind an accepted snap that belong to its play, with the number that it got: typed
 * while it waited, they did not know it. Without it an entry that another scorer's turn holds up
 * would go into that scorer's play.
 * @template {{entries: object[], made?: Made}} Waiting
 * @param {Waiting[]} items  in the order in which they go, the accepted one first
 * @param {{play_number: number}[]} accepted  its events as they were recorded
 * @returns {Waiting[]}
 */
export function placedBehind([snap, ...items], accepted) {
  if (!snap || !opens(snap) || !accepted?.length) return [];
  const end = items.findIndex(opens);
  const play = accepted.at(-1).play_number;
  return items
    .slice(0, end < 0 ? items.length : end)
    .filter((item) => item.made?.play === null)
    .map((item) => ({ ...item, made: { ...item.made, play } }));
}

/**
 * An entry that was compared with the record: from now on it counts as made now, and in the play
 * that it was made for, since the record has gone on. Sent as it is, it keeps its key: the other
 * scorer may have adopted it.
 * @param {{entries: object[], words: string, source: object|null}} entry
 * @param {Made|undefined} origin  when it was made first
 * @param {object} situation  the server's @param {string} consoleName  this console
 */
export function compared({ entries, words, source }, origin, situation, consoleName) {
  // the other events belong to its play
  const isOpening = entries[0]?.body.type === "snap" && (entries[0].play_number ?? null) === null;
  const play = isOpening ? null : (origin?.play ?? null);
  const placed = entries.map((event) =>
    event.body.type === "snap" ? event : { ...event, play_number: event.play_number ?? play },
  );
  return {
    entries: placed,
    words,
    source,
    made: { epoch: madeIn(situation, consoleName).epoch, play },
  };
}

/**
 * A refused or held entry that its scorer changed: the same entry still, under the same key, so
 * that another scorer's adopting it and its own scorer's sending it never give two.
 * @param {{entries: object[], words: string, source: object|null, made: Made}} item @param
 *   {string} key
 */
export const corrected = (item, key) => ({ ...item, key, made: { ...item.made, changed: true } });

/** What was recorded since the first waiting entry was made. */
export class Comparison {
  #asked = "";
  /** @type {Since|null} null: not known */
  found = null;

  /** @param {string} url @param {() => void} learned */
  constructor(url, learned) {
    this.url = url;
    this.learned = learned;
  }

  /**
   * The entry as it goes after it was compared, or why it cannot go yet.
   * @param {import("./queue.js").Item} item @param {object} situation  the server's @param
   *   {import("./lease.js").Lease} lease
   * @returns {{entry: ReturnType<typeof compared> & {key: string}, fault?: undefined}|{fault:
   *   string, entry?: undefined}}
   */
  release(item, situation, lease) {
    if (!lease.open) return { fault: "Take the game back first: Shift+T." };
    if (!this.found)
      return {
        fault: "The newest entries of the record haven’t loaded yet. Wait for the connection.",
      };
    return { entry: { ...compared(item, item.made, situation, lease.own), key: item.key } };
  }

  /**
   * Reads it anew when the entry is another one or the record has moved; a dead line is tried again
   * with the next poll.
   * @param {{key: string, made?: {epoch: number}}|null} item @param {string} version  of what the
   *   server shows
   */
  async ask(item, version) {
    const asked = item ? `${item.key} ${version}` : "";
    if (asked === this.#asked) return;
    if (item?.key !== this.#asked.split(" ")[0]) this.found = null;
    this.#asked = asked;
    if (!item) return;
    const since = await read(this.url, item.made?.epoch ?? 0);
    if (this.#asked !== asked) return;
    if (since) this.found = since;
    else this.#asked = `${item.key} unread`;
    this.learned();
  }
}

/** @returns {Promise<Since|null>} null while the line is down */
async function read(url, epoch) {
  try {
    const response = await fetch(`${url}/${epoch}`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

/**
 * The recorded events that are the same as all of this entry's, one after the other, whether they
 * were entered at once or one by one; else the newest entry that begins with the same kind of event.
 * Entries that no longer count are left out.
 * @param {object[]} bodies  of the entry
 * @param {Recorded[]} entries
 * @returns {{same: {numbers: number[]}|null, alike: Recorded|null}}
 */
export function likeness(bodies, entries) {
  if (!bodies.length) return { same: null, alike: null }; // it cannot be read
  const standing = entries.filter((entry) => entry.stands);
  const events = standing.flatMap((entry) =>
    entry.bodies.map((body, index) => ({ body, number: entry.numbers[index] })),
  );
  const first = events.findLastIndex((_, start) =>
    bodies.every(
      (body, index) => start + index < events.length && isSame(body, events[start + index].body),
    ),
  );
  if (first >= 0) {
    const matching = events.slice(first, first + bodies.length);
    return { same: { numbers: matching.map(({ number }) => number) }, alike: null };
  }
  const alike = standing.findLast((entry) => entry.bodies[0].type === bodies[0].type);
  return { same: null, alike: alike ?? null };
}

/** The server leaves out usual values: a field that only the entry has counts if it is true. */
function isSame(body, recorded) {
  return (
    Object.entries(recorded).every(
      ([name, value]) => JSON.stringify(body[name]) === JSON.stringify(value),
    ) && Object.entries(body).every(([name, value]) => name in recorded || value !== true)
  );
}

/**
 * What a recorded entry is to the first waiting one.
 * @param {Recorded} entry @param {ReturnType<typeof likeness>|undefined} first
 */
function likeOf(entry, first) {
  if (first?.same?.numbers.some((number) => entry.numbers.includes(number))) return "same";
  return first?.alike === entry ? "alike" : "";
}

/** @param {{numbers: number[]}} entry */
export const numbersOf = ({ numbers: all }) =>
  all.length > 1 ? `#${all[0]} to #${all.at(-1)}` : `#${all[0]}`;

/**
 * The panel's words. Pure.
 * @param {import("./queue.js").Item[]} items  what is not accepted, in order
 * @param {Since|null} since  null: not known
 * @param {Map<string, string>} dropped  who dropped an entry while they had the game, by key
 * @returns {{mine: {words: string, hint: string, now: boolean}[], record: {numbers: string,
 *   words: string, by: string, stands: boolean, like: string}[], note: string}}
 */
export function handoverView(items, since, dropped = new Map()) {
  const likes = items.map((item) =>
    likeness(
      item.entries.map((event) => event.body),
      since?.entries ?? [],
    ),
  );
  const hint = ({ same, alike }) =>
    same
      ? `Looks the same as ${numbersOf(same)}: z drops it here.`
      : alike
        ? `Not the same as ${numbersOf(alike)}.`
        : since
          ? "Nothing similar was recorded since."
          : "";
  const earlier = since?.earlier ? `${since.earlier} earlier entries are in the log. ` : "";
  return {
    mine: items.map((item, index) => ({
      words: item.words,
      hint: [
        dropped.has(item.key) ? `${dropped.get(item.key)} dropped it.` : "",
        hint(likes[index]),
      ]
        .filter(Boolean)
        .join(" "),
      now: !index,
    })),
    record: (since?.entries ?? []).map((entry) => ({
      numbers: numbersOf(entry),
      words: entry.words,
      by: entry.by,
      stands: entry.stands,
      like: likeOf(entry, likes[0]),
    })),
    note: since
      ? `${earlier}${since.entries.length ? "" : "Nothing was recorded since."}`
      : "The record can’t be loaded while you are offline. Wait before you send.",
  };
}

/**
 * @param {string} id
 * @param {{words: string, hint: string, now: boolean, by?: string}[]} entries
 */
function drawSide(id, entries) {
  const list = document.getElementById(id);
  list.parentElement.hidden = !entries.length;
  list.replaceChildren(
    ...entries.map((line) =>
      el(
        "li",
        { "aria-current": line.now ? "true" : null },
        line.by ? el("strong", {}, line.by) : null,
        el("span", {}, line.words),
        line.hint ? el("small", {}, line.hint) : null,
      ),
    ),
  );
}

/**
 * Draws the panel, or hides it if neither side has anything to compare.
 * @param {ReturnType<typeof handoverView>} view @param {{words: string, hint: string, now:
 *   boolean, by: string}[]} others
 */
export function drawHandover({ mine: waiting, record, note }, others) {
  document.getElementById("handover").hidden = !waiting.length && !others.length;
  document.getElementById("unsent-box").classList.toggle("is-compared", waiting.length > 0);
  document.getElementById("handover-title").textContent =
    `${waiting.length ? "Another scorer had the game" : "Another scorer has unsent entries"}: compare one by one`;
  drawSide("handover-mine", waiting);
  drawSide("handover-theirs", others);
  document
    .getElementById("handover-record")
    .replaceChildren(
      ...record.map((row) =>
        el(
          "li",
          { "data-like": row.like || null },
          el("strong", {}, row.numbers),
          el("span", {}, row.stands ? row.words : el("del", {}, row.words)),
          el("small", {}, row.by),
        ),
      ),
    );
  document.getElementById("handover-note").textContent = note;
}
