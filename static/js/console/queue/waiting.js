/**
 * Entries that wait in one scorer's browser while another has the game (decision 52). This browser
 * reports its own to the server; whoever has the game sees them and adopts or drops them one by
 * one. An adopted entry keeps its key, so that it is never recorded twice; what was recorded leaves
 * this browser's queue.
 */
import { likeness, numbersOf } from "./handover.js";
import { say, sayRecorded } from "../panel/screen.js";
import { hindrance, post } from "./send.js";

const AGAIN_MS = 2000;

/**
 * @typedef {{key: string, console: string, holder: string, words: string, bodies: object[],
 *   made_under: number,
 *            dropped_by: string|null, is_recorded: boolean}} Row  as the situation has it
 */

/**
 * What waits in other browsers for this one to adopt or drop, in order; nothing unless it has the
 * game. Pure.
 * @param {Row[]} rows @param {{state: string, own: string}} lease
 */
export const othersRows = (rows, { state, own: consoleName }) =>
  state === "mine"
    ? rows.filter((row) => row.console !== consoleName && !row.is_recorded && !row.dropped_by)
    : [];

/** Who dropped entries of this browser, by key. Pure. @param {Row[]} rows @param {string} consoleName */
export const droppedBy = (rows, consoleName) =>
  new Map(
    rows
      .filter((row) => row.console === consoleName && row.dropped_by)
      .map((row) => [row.key, row.dropped_by]),
  );

/**
 * What the panel says of the others' entries, compared with what was recorded since. Pure.
 * @param {Row[]} rows  from `othersRows` @param {import("./handover.js").Since|null} since
 */
export function theirsView(rows, since) {
  return rows.map((row, index) => {
    const { same, alike } = likeness(row.bodies, since?.entries ?? []);
    const hint = !row.bodies.length
      ? "Shift+Z drops it here; its own scorer can correct it."
      : same
        ? `Looks the same as ${numbersOf(same)}: Shift+Z drops it.`
        : alike
          ? `Not the same as ${numbersOf(alike)}.`
          : since
            ? "Nothing similar was recorded since."
            : "";
    return { words: row.words, by: row.holder, hint, now: !index };
  });
}

/**
 * Since when the record is compared: since the first entries of both sides were made.
 * @param {import("./queue.js").Item|null} item @param {Row|undefined} row
 */
export function toCompare(item, row) {
  if (!item && !row) return null;
  const epochs = [item ? (item.made?.epoch ?? 0) : Infinity, row?.made_under ?? Infinity];
  return {
    key: `${item?.key ?? ""}+${row?.key ?? ""}`,
    made: { epoch: Math.min(...epochs) },
  };
}

const asTold = ({ key, entries, made }) => ({
  key,
  entries,
  made_under: made?.epoch ?? 0,
  play: made?.play ?? null,
});
const toldOf = (items) => JSON.stringify(items.map(asTold));

export class WaitingEntries {
  #busy = false;
  #notBefore = 0;
  /** what was told last, as text: an entry that was changed keeps its key */
  #told = "";

  /**
   * @param {{waitingUrl: string, member: string, pageUrl: string}} setup  of the page
   * @param {import("./queue.js").Queue} queue @param {import("./lease.js").Lease} lease
   * @param {(situation: object) => void} learn  takes the situation that came with an answer
   */
  constructor(setup, queue, lease, learn) {
    this.setup = setup;
    this.queue = queue;
    this.lease = lease;
    this.learn = learn;
  }

  /**
   * After every new situation: takes out of the queue what is recorded, and tells the server what
   * waits here, when it knows it otherwise. While the game is ours only what is still to be
   * compared waits: the rest is on its way.
   * @param {Row[]} rows
   */
  settle(rows) {
    const ownRows = rows.filter((row) => row.console === this.lease.own);
    for (const row of ownRows) if (row.is_recorded) this.queue.forget(row.key);
    const here = this.lease.open && !this.queue.held ? [] : this.queue.items;
    const known = ownRows.map((row) => row.key).join();
    if (
      known !== here.map((item) => item.key).join() ||
      (here.length && this.#told !== toldOf(here))
    )
      this.#tell(here);
  }

  async #tell(items) {
    if (this.#busy || Date.now() < this.#notBefore) return; // the next poll tries again
    this.#busy = true;
    this.#notBefore = Date.now() + AGAIN_MS;
    const waiting = items.map(asTold);
    const { response, answer } = await post(this.setup.waitingUrl, {
      console: this.lease.id,
      scorer: this.setup.member,
      waiting,
    });
    this.#busy = false;
    if (response?.ok) {
      this.#told = toldOf(items);
      this.learn(answer.situation);
    } else if (response?.status === 422)
      console.warn("Your waiting entries can’t be shown to the other scorer:", answer.error);
  }

  /**
   * Adopts or drops another browser's entry, and says what came of it. It was seen beside the
   * record, or is not touched.
   * @param {Row} row @param {boolean} drop @param {boolean} isRead  what the record has got since
   *   is known
   */
  async take(row, drop, isRead) {
    if (!isRead && !drop)
      return say(
        "The newest entries of the record haven’t loaded yet. Wait for the connection.",
        "fault",
      );
    say(drop ? "Dropping it …" : "Adopting it …");
    const { response, answer } = await post(`${this.setup.waitingUrl}/settle`, {
      console: this.lease.id,
      owner: row.console,
      key: row.key,
      drop,
    });
    if (answer?.situation) this.learn(answer.situation);
    if (response?.ok)
      return drop
        ? say(`Dropped. ${row.holder} still has it and sees that you dropped it.`)
        : sayRecorded(answer.accepted);
    return say(`Not done: ${answer?.error ?? (await hindrance(this.setup, response))}`, "fault");
  }
}
