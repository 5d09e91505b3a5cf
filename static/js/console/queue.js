/**
 * Entries on their way to the server, in order, one at a time; each keeps its key, so a repeat doubles nothing.
 * Kept in memory; a store that survives a reload takes the place of `#items` (load in, save on every change).
 */

/** @typedef {{key: string, entries: object[], words: string, source: object, state: "sending"|"retrying"|"refused", fault: string}} Item */

const RETRY_MS = 2000;

export class Queue {
  /** @type {Item[]} */
  #items = [];
  #busy = false;
  #timer = 0;

  /**
   * @param {(item: Item) => Promise<{ok: true, answer: object}|{ok: false, refused: boolean, fault: string}>} send
   * @param {{changed: () => void, accepted: (item: Item, answer: object) => void, refused: (item: Item) => void}} on
   */
  constructor(send, on) {
    this.send = send;
    this.on = on;
  }

  /** What is not accepted yet, oldest first. */
  get items() {
    return this.#items;
  }

  /** The entry that the server refused and that holds up the others, or null. */
  get refused() {
    return this.#items[0]?.state === "refused" ? this.#items[0] : null;
  }

  /** Puts an entry at the end and sends it when its turn comes. @param {{entries: object[], words: string, source: object}} entry */
  add(entry) {
    this.#items.push(itemOf(entry));
    this.on.changed();
    this.pump();
  }

  /** The corrected entry takes the place of the refused one, ahead of all that came after it. */
  replaceRefused(entry) {
    this.#items[0] = itemOf(entry);
    this.on.changed();
    this.pump();
  }

  /** Takes the refused entry out for good and gives it back; the others go on. */
  dropRefused() {
    const item = this.#items.shift();
    this.on.changed();
    this.pump();
    return item;
  }

  /** Sends the first entry, unless one is under way or refused. */
  async pump() {
    const item = this.#items[0];
    if (this.#busy || !item || item.state === "refused") return;
    this.#busy = true;
    clearTimeout(this.#timer);
    const result = await this.send(item);
    this.#busy = false;
    if (result.ok) {
      this.#items.shift();
      this.on.accepted(item, result.answer);
      this.on.changed();
      this.pump();
      return;
    }
    item.fault = result.fault;
    item.state = result.refused ? "refused" : "retrying";
    if (result.refused) this.on.refused(item);
    else this.#timer = setTimeout(() => this.pump(), RETRY_MS);
    this.on.changed();
  }
}

/** The key is made once, here: however often the entry is sent, it is one entry. */
function itemOf(entry) {
  return { key: crypto.randomUUID(), state: "sending", fault: "", ...entry };
}
