/**
 * After another scorer had the game: the entries that wait here beside what the record has got
 * since, one by one. Nothing is decided here: a likeness is a hint, the scorer sends, drops or
 * changes. The server sees to it that nothing of a lost lease is sent by itself
 * (scorer_console/lease/leases.py).
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
 * @param {string} own  this console, as the server calls it
 * @returns {Made}
 */
export function madeIn(s, own) {
  const theirs = s.lease?.live && s.lease.console !== own;
  return {
    epoch: (s.lease?.epoch ?? 0) - (theirs ? 1 : 0),
    play: s.unsentSnap ? null : s.play_number,
  };
}

/** Whether one of the entries begins a play. @param {import("./queue.js").Item[]} items */
export const beginsPlay = (items) =>
  items.some((item) => item.entries.some((one) => one.body.type === "snap"));

/**
 * An entry that was compared with the record: from now on it counts as made now, and in the play
 * that it was made for, since the record has gone on. Sent as it is, it keeps its key: the other
 * scorer may have adopted it.
 * @param {{entries: object[], words: string, source: object|null}} entry
 * @param {Made|undefined} made  when it was made first
 * @param {object} situation  the server's @param {string} own  this console
 */
export function compared({ entries, words, source }, made, situation, own) {
  // the rest is of its play
  const isOpening = entries[0]?.body.type === "snap" && (entries[0].play_number ?? null) === null;
  const play = isOpening ? null : (made?.play ?? null);
  const placed = entries.map((one) =>
    one.body.type === "snap" ? one : { ...one, play_number: one.play_number ?? play },
  );
  return { entries: placed, words, source, made: { epoch: madeIn(situation, own).epoch, play } };
}

/**
 * A refused or held entry that its scorer changed: the same entry still, under the same key, so
 * that another scorer's adopting it and its own scorer's sending it never give two.
 * @param {{entries: object[], words: string, source: object|null, made: Made}} made @param
 *   {string} key
 */
export const corrected = (made, key) => ({ ...made, key, made: { ...made.made, changed: true } });

/** What the record has got since the first waiting entry was made. */
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
   * @param {import("./queue.js").Item} held @param {object} situation  the server's @param
   *   {import("./lease.js").Lease} lease
   * @returns {{entry: ReturnType<typeof compared> & {key: string}, fault?: undefined}|{fault:
   *   string, entry?: undefined}}
   */
  release(held, situation, lease) {
    if (!lease.open) return { fault: "Take the game back first: Shift+T." };
    if (!this.found)
      return { fault: "What the record has got since is not read yet: wait for the line." };
    return { entry: { ...compared(held, held.made, situation, lease.own), key: held.key } };
  }

  /**
   * Reads it anew when the entry is another one or the record has moved; a dead line is tried again
   * with the next poll.
   * @param {{key: string, made?: {epoch: number}}|null} held @param {string} version  of what the
   *   server shows
   */
  async ask(held, version) {
    const asked = held ? `${held.key} ${version}` : "";
    if (asked === this.#asked) return;
    if (held?.key !== this.#asked.split(" ")[0]) this.found = null;
    this.#asked = asked;
    if (!held) return;
    const found = await read(this.url, held.made?.epoch ?? 0);
    if (this.#asked !== asked) return;
    if (found) this.found = found;
    else this.#asked = `${held.key} unread`;
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
 * What of the record looks like this entry: the same, else of the same kind; entries that do not
 * stand are left out.
 * @param {object[]} bodies  of the entry
 * @param {Recorded[]} entries
 * @returns {{same: Recorded|null, alike: Recorded|null}}
 */
export function likeness(bodies, entries) {
  if (!bodies.length) return { same: null, alike: null }; // it cannot be read
  const standing = entries.filter((one) => one.stands);
  const same = standing.findLast((one) => isSame(bodies[0], one.bodies[0]));
  return {
    same: same ?? null,
    alike: same
      ? null
      : (standing.findLast((one) => one.bodies[0].type === bodies[0].type) ?? null),
  };
}

/** The server leaves out what is usual: what only the entry says counts when it is a yes. */
function isSame(mine, theirs) {
  return (
    Object.entries(theirs).every(
      ([name, value]) => JSON.stringify(mine[name]) === JSON.stringify(value),
    ) && Object.entries(mine).every(([name, value]) => name in theirs || value !== true)
  );
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
      item.entries.map((one) => one.body),
      since?.entries ?? [],
    ),
  );
  const hint = ({ same, alike }) =>
    same
      ? `Looks the same as ${numbersOf(same)}: z drops it here.`
      : alike
        ? `Not the same as ${numbersOf(alike)}.`
        : since
          ? "Nothing like it was recorded since."
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
    record: (since?.entries ?? []).map((one) => ({
      numbers: numbersOf(one),
      words: one.words,
      by: one.by,
      stands: one.stands,
      like: likes[0]?.same === one ? "same" : likes[0]?.alike === one ? "alike" : "",
    })),
    note: since
      ? `${earlier}${since.entries.length ? "" : "Nothing was recorded since."}`
      : "The record cannot be read while the line is down: wait before you send.",
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
    ...entries.map((one) =>
      el(
        "li",
        { "aria-current": one.now ? "true" : null },
        one.by ? el("strong", {}, one.by) : null,
        el("span", {}, one.words),
        one.hint ? el("small", {}, one.hint) : null,
      ),
    ),
  );
}

/**
 * Draws the panel; hides it where neither side has anything to be compared.
 * @param {ReturnType<typeof handoverView>} view @param {{words: string, hint: string, now:
 *   boolean, by: string}[]} others
 */
export function drawHandover({ mine, record, note }, others) {
  document.getElementById("handover").hidden = !mine.length && !others.length;
  document.getElementById("unsent-box").classList.toggle("is-compared", mine.length > 0);
  document.getElementById("handover-title").textContent =
    `${mine.length ? "Another scorer had the game" : "Another scorer has unsent entries"}: compare, one by one`;
  drawSide("handover-mine", mine);
  drawSide("handover-theirs", others);
  document
    .getElementById("handover-record")
    .replaceChildren(
      ...record.map((one) =>
        el(
          "li",
          { "data-like": one.like || null },
          el("strong", {}, one.numbers),
          el("span", {}, one.stands ? one.words : el("del", {}, one.words)),
          el("small", {}, one.by),
        ),
      ),
    );
  document.getElementById("handover-note").textContent = note;
}
