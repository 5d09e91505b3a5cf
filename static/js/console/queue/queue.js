/**
 * Holds the entries that the server has not accepted. They are sent in order, one at a time, each
 * with a key of its own: sending it again gives the first outcome, so nothing is recorded twice
 * however often a line, a tab or a browser fails.
 *
 * An entry is on disk (store.js) before it is shown as kept and before it is sent, and leaves the
 * disk only after the server's acceptance, or when it is taken back or dropped; it is counted until
 * it has left. All tabs of a game share the store; the one that holds the lock sends. An entry that
 * the browser cannot keep (private mode, full disk) stays in memory, and is sent after the kept
 * ones.
 */

import { placedBehind } from "./handover.js";
import { uuid } from "./uuid.js";

/**
 * @typedef {{key: string, entries: object[], words: string, source: object|null, fault: string,
 *   sequence?: number, made?: import("./handover.js").Made, state:
 *   "keeping"|"waiting"|"sending"|"retrying"|"refused"|"held"}} Item `held`: another scorer had the
 *   game since; it is not sent before the scorer has compared it with the record
 * @typedef {import("./send.js").Sent} Outcome
 * @typedef {{item: Item, gone: Promise<boolean>}} TakenOut  it is not sent from now on; `gone`
 *   once the disk has forgotten it, false when it could not, or another tab was faster: the entry
 *   is among the unsent again
 */

const RETRY_MS = 2000;
const STOPPED = new Set(["refused", "held"]);
const UNDER_WAY = new Set(["keeping", "waiting", "sending"]);

export class Queue {
  /** @type {Item[]} on disk, in order */
  #kept = [];
  /** @type {Item[]} on their way to the disk */
  #keeping = [];
  /** @type {Item[]} those that the browser could not keep */
  #loose = [];
  /**
   * @type {Item[]} taken back or dropped, on their way out of the disk: never sent any more, but
   *   not forgotten yet
   */
  #leaving = [];
  /**
   * @type {Map<string, Item>} corrected entries on their way to the disk, by the key of the refused
   *   one whose place they take
   */
  #standIns = new Map();
  /** keys that are settled in this tab, should the disk fail to forget them */
  #settled = new Set();
  /** @type {Map<string, object|null>} the live entry behind each key, to correct it */
  #sources = new Map();
  /** the state of the first entry: the sending tab knows it and notifies the others */
  #fare = { key: "", state: "", fault: "" };
  #writes = Promise.resolve();
  /**
   * @type {{draft: object|null}|null} the draft that waits for its turn to be written: the newest
   *   is enough
   */
  #draft = null;
  #busy = false;
  #timer = 0;
  /** @type {((isRecorded: boolean) => void)[]} who wait for the answer to all entries */
  #waiting = [];

  /** false: what is entered now is lost when the tab is closed */
  keeps = true;
  /** null: not known yet; false: another tab of this browser sends */
  leads = null;

  /**
   * @param {import("./store.js").Store} store
   * @param {(item: Item) => Promise<Outcome>} send
   * @param {{pack: (source: object) => object, unpack: (kept: object|null) => object|null}}
   *   sources  live entry to plain data and back
   * @param {{changed: () => void, accepted: (item: Item|null, answer: object) => void, refused:
   *   (item: Item) => void,
   *          late: (item: Item) => void}} on  `accepted`: in every tab, the item only in the one
   *          that sent it; `late`: another tab has dealt with the refused entry that this one was
   *          to replace
   */
  constructor(store, send, sources, on) {
    this.store = store;
    this.send = send;
    this.sources = sources;
    this.on = { ...on, changed: () => this.#changed(on.changed) };
    const { game, scorer } = store.box;
    this.name = `console-sends:${game}:${scorer}`;
    this.channel = new BroadcastChannel(this.name);
    this.channel.onmessage = (event) => this.#hear(event.data);
  }

  /** Loads what waits, and begins to send it when no other tab does. */
  async open() {
    await this.#read();
    this.on.changed();
    const lead = async () => {
      this.leads = true;
      this.on.changed();
      this.pump();
      await new Promise(() => {}); // the lock is held until the tab dies; then the next one has it
    };
    // Without locks (no https) every tab sends the first entry of the same list with the same key:
    // slower, never double.
    if (!navigator.locks) return void lead();
    navigator.locks.request(this.name, { ifAvailable: true }, (lock) => {
      if (lock) return lead();
      this.leads = false;
      this.on.changed();
      navigator.locks.request(this.name, lead);
      return undefined;
    });
    return undefined;
  }

  /** What is not accepted yet, in the order in which it goes. */
  get items() {
    const waiting = [...this.#kept, ...this.#loose, ...this.#keeping].filter(
      (item) => !this.#settled.has(item.key),
    );
    return waiting.map((item) => this.#standIns.get(item.key) ?? item);
  }

  /**
   * The entry that the server refused or holds for comparison, which blocks the others; or null.
   */
  get refused() {
    return STOPPED.has(this.items[0]?.state) ? this.items[0] : null;
  }

  /** The first entry if it must be compared with the record before it may be sent; or null. */
  get held() {
    return this.items[0]?.state === "held" ? this.items[0] : null;
  }

  /** How many entries are on their way out of the disk: a browser that dies now still has them. */
  get leaving() {
    return this.#leaving.length;
  }

  /** True while closing the tab would lose an entry, or keep one that was taken out. */
  get risky() {
    return (
      this.#keeping.length + this.#leaving.length + this.#loose.length + this.#standIns.size > 0
    );
  }

  /**
   * Keeps an entry at the end; `draft`: what goes on being typed.
   * @param {{entries: object[], words: string, source: object, made: object}} entry
   */
  add(entry, draft = null) {
    const item = this.#itemOf(entry);
    const row = this.#rowOf(item);
    this.#keeping.push(item);
    this.#draft = null; // a later draft, without this entry, may only be written after it
    this.#write(async () => {
      // What comes after an entry that is only in memory stays behind it there: the order is the
      // promise.
      const isKept = !this.#loose.length && (await this.#try(() => this.store.add(row, draft)));
      if (!isKept) this.#loose.push(Object.assign(item, { state: "waiting" }));
      // it is always in one of the lists, because the next snap depends on it
      else this.#kept = [...this.#kept, item];
      this.#keeping = this.#keeping.filter((keeping) => keeping !== item);
    });
    this.on.changed();
  }

  /**
   * The corrected entry takes the place of the refused one, ahead of all that came after it; it may
   * keep its key.
   */
  replaceRefused(entry, draft = null) {
    const old = this.refused;
    const item = this.#itemOf(entry);
    const row = this.#rowOf(item);
    this.#standIns.set(old.key, item);
    this.#draft = null;
    this.#write(async () => {
      let there = true;
      const isKept =
        old.sequence &&
        (await this.#try(async () => (there = await this.store.replace(old, row, draft))));
      if (isKept && there)
        this.#kept = this.#kept.map((current) => (current.key === old.key ? item : current));
      if (!isKept) {
        this.#lose();
        this.#loose = this.#loose.map((current) =>
          current.key === old.key ? Object.assign(item, { state: "waiting" }) : current,
        );
      }
      this.#standIns.delete(old.key);
      if (item.key === old.key) this.#fares(item, "waiting", "");
      else this.#settled.add(old.key);
      if (!there) this.on.late(item);
    });
    this.on.changed();
  }

  /** Takes the refused entry out for good; the others go on. @returns {TakenOut} */
  dropRefused() {
    return this.#takeOut(this.refused);
  }

  /** Takes out an entry that is recorded, no matter who sent it. @param {string} key */
  forget(key) {
    const item = this.items.find((candidate) => candidate.key === key);
    if (item) this.#takeOut(item);
  }

  /**
   * Takes the newest entry out for good. Null when it may have reached the server: only the first
   * one is ever sent, so those behind it are still ours alone.
   * @returns {TakenOut|null}
   */
  takeBackLast() {
    const waiting = this.items;
    const last = waiting.at(-1);
    if (!this.leads || waiting.length < 2 || STOPPED.has(last.state)) return null;
    return this.#takeOut(last);
  }

  /**
   * Takes an entry out of memory and off the disk. It is only reported once the disk has removed
   * it, because after a crash it would still be sent.
   */
  #takeOut(item) {
    this.#settled.add(item.key);
    this.#leaving.push(item);
    const isOut = new Promise((resolve) => {
      this.#write(async () => {
        let there = this.#loose.some((loose) => loose.key === item.key);
        this.#loose = this.#loose.filter((loose) => loose.key !== item.key);
        const forgotten = await this.#try(async () => {
          const row = (await this.store.all()).find((stored) => stored.key === item.key);
          if (row) there = await this.store.remove(row);
        });
        this.#leaving = this.#leaving.filter((leaving) => leaving !== item);
        // entries that are only in memory need no disk
        const out = there && (forgotten || item.sequence === undefined);
        if (!out) this.#settled.delete(item.key);
        resolve(out);
      });
    });
    this.on.changed();
    return { item, gone: isOut };
  }

  /**
   * Waits for the server's answer to the entries on their way.
   * @returns {Promise<boolean>}  false when one is refused, or gets no answer now
   */
  answered() {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#tellAnswered();
    });
  }

  #changed(tell) {
    tell();
    this.#tellAnswered();
  }

  #tellAnswered() {
    const first = this.items[0];
    if (first && UNDER_WAY.has(first.state)) return;
    for (const tell of this.#waiting.splice(0)) tell(!first);
  }

  /** Goes on with a correction that was begun before the page was loaded anew. */
  resume(key, source) {
    this.#sources.set(key, source);
    for (const item of this.#kept.filter((candidate) => candidate.key === key))
      item.source = source;
  }

  /** Keeps what is being typed, behind every entry that was recorded before it. */
  saveDraft(draft) {
    if (this.#draft) return void (this.#draft.draft = draft);
    const newest = { draft };
    this.#draft = newest;
    this.#next(async () => {
      if (this.#draft === newest) this.#draft = null;
      const couldKeep = this.keeps;
      await this.#try(() => this.store.saveDraft(newest.draft));
      if (couldKeep !== this.keeps) this.on.changed();
    });
    return undefined;
  }

  /**
   * Sends the entries in order, unless one is under way or refused. A tab that does not send asks
   * the one that does.
   */
  async pump() {
    if (!this.leads && this.#kept.length) return this.#notify({ kind: "pump" });
    if (this.#busy) return undefined;
    this.#busy = true;
    clearTimeout(this.#timer);
    try {
      while (await this.#sendFirst());
    } finally {
      this.#busy = false;
    }
    return undefined;
  }

  /** True when an entry was accepted and the next one can go. */
  async #sendFirst() {
    await this.#read(); // another tab may have added, corrected or dropped
    const item = this.#sendable();
    if (!item) return false;
    if (item.state !== "retrying") this.#fares(item, "sending", "");
    const result = await this.send(item);
    if (result.ok) {
      await this.#settle(item, result.answer);
      return true;
    }
    if (result.refused || result.held) {
      const state = result.refused ? "refused" : "held";
      if (item.sequence) await this.#try(() => this.store.refuse(item, state, result.fault));
      this.#fares(item, state, result.fault);
      this.on.refused(item);
    } else {
      this.#fares(item, "retrying", result.fault);
      this.#timer = setTimeout(() => this.pump(), RETRY_MS);
    }
    return false;
  }

  /** The first entry if it can be sent from here now. */
  #sendable() {
    const item = this.#kept[0] ?? this.#loose.find((loose) => !this.#settled.has(loose.key));
    if (!item || STOPPED.has(item.state) || (item.sequence && !this.leads)) return null;
    return item;
  }

  /** Takes an accepted entry out of the queue. */
  async #settle(item, answer) {
    // before it leaves the list, because the next snap must never be computed without it
    this.on.accepted(item, answer);
    if (item.sequence) {
      const behind = placedBehind(this.#kept, answer.accepted);
      await this.#try(() => this.store.remove(item, behind));
    }
    // after the disk, because an entry that is no longer shown must no longer exist
    this.#settled.add(item.key);
    this.#loose = this.#loose.filter((loose) => loose !== item);
    this.#sources.delete(item.key);
    await this.#read();
    this.#notify({ kind: "accepted", answer });
    this.on.changed();
  }

  #fares(item, state, fault) {
    Object.assign(item, { state, fault });
    this.#fare = { key: item.key, state, fault };
    this.on.changed();
    this.#notify({ kind: "fares", fare: this.#fare });
  }

  /** Runs after every previous write, then shows and sends what there is. */
  #write(work) {
    this.#next(async () => {
      await work();
      await this.#read();
      this.on.changed();
      this.#notify({ kind: "changed" });
      this.pump();
    });
  }

  /**
   * In line behind all writes so far; a fault in one is reported and does not hold up the others.
   */
  #next(work) {
    this.#writes = this.#writes.then(work).catch(reportError);
  }

  /** Whether the disk did it; if not, `keeps` informs the scorer. */
  async #try(act) {
    try {
      await act();
      this.keeps = !this.#loose.length;
      return true;
    } catch (error) {
      console.warn("This browser can’t store entries:", error);
      this.keeps = false;
      return false;
    }
  }

  /**
   * The disk is no longer reliable. The entries read from it continue in memory, with the same
   * keys.
   */
  #lose() {
    this.#loose = [
      ...this.#kept.map((item) => Object.assign(item, { sequence: undefined })),
      ...this.#loose,
    ];
    this.#kept = [];
  }

  async #read() {
    let rows;
    try {
      rows = await this.store.all();
    } catch (error) {
      console.warn("This browser can’t read its stored entries:", error);
      this.keeps = false;
      return this.#lose();
    }
    const known = new Map(this.#kept.map((item) => [item.key, item]));
    const elsewhere = new Set([
      ...this.#settled,
      ...[...this.#keeping, ...this.#loose].map((item) => item.key),
    ]);
    this.#kept = rows
      .filter((row) => !elsewhere.has(row.key))
      .map((row) => this.#itemFrom(row, known.get(row.key)));
    return undefined;
  }

  #itemFrom(row, known) {
    if (!this.#sources.has(row.key)) this.#sources.set(row.key, this.sources.unpack(row.kept));
    const { state, fault } = this.#fare.key === row.key ? this.#fare : row;
    return Object.assign(known ?? { source: this.#sources.get(row.key) }, row, { state, fault });
  }

  #hear(message) {
    if (message.kind === "pump") return void (this.leads && this.pump());
    if (message.kind === "fares") this.#fare = message.fare;
    if (message.kind === "accepted") this.on.accepted(null, message.answer);
    return void this.#read().then(() => {
      this.on.changed();
      // Hearing how an entry fares is no reason to send it again; a new or an accepted one is.
      if (message.kind !== "fares" && (this.leads || this.#loose.length)) this.pump();
    });
  }

  #notify(message) {
    this.channel.postMessage(message);
  }

  /** Creates the key once, so that it stays one entry no matter how often or by whom it is sent. */
  #itemOf(entry) {
    const item = { key: uuid(), state: "keeping", fault: "", ...entry };
    this.#sources.set(item.key, entry.source);
    return item;
  }

  #rowOf({ key, entries, words, source, made }) {
    return {
      key,
      entries,
      words,
      made,
      kept: this.sources.pack(source),
      state: "waiting",
      fault: "",
    };
  }
}
