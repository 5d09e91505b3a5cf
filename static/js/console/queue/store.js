/**
 * Keeps entries, drafts and the last situation on disk (IndexedDB) until the server has accepted
 * them. All of it belongs to one game and one scorer. Every function throws if the browser cannot
 * do it; the queue then tells the scorer.
 */

const DATABASE = "pressbox-console";
// how long to wait for the browser to open its database, because entries must be sent
const PATIENCE_MS = 5000;

/**
 * @typedef {{sequence?: number, game: string, scorer: string, name: string, key: string, entries:
 *   object[], words: string,
 *            kept: object|null, made?: import("./handover.js").Made, state:
 *            "waiting"|"refused"|"held", fault: string}} Row  `sequence`: rises, never used twice
 * @typedef {{game: string, scorer: string, name: string}} Box  whose entries; `name` is what the
 *   scorer is called
 */

/** Opens the database, making it on first use. @returns {Promise<IDBDatabase>} */
function open() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => {
      const db = request.result;
      // A number that grows with every entry of every tab: the order in which they are sent.
      const entries = db.createObjectStore("entries", { keyPath: "sequence", autoIncrement: true });
      entries.createIndex("box", ["game", "scorer"]);
      db.createObjectStore("drafts", { keyPath: ["game", "scorer", "tab"] });
      db.createObjectStore("lives", { keyPath: ["game", "scorer"] });
    };
    setTimeout(() => reject(new Error("the browser can’t open its database")), PATIENCE_MS);
    request.onerror = () => reject(request.error);
    request.onsuccess = () => resolve(request.result);
  });
}

/**
 * One transaction over `names`: `work(store, give)` asks for what it needs and gives the result.
 * `strict` waits for the drive, so that an entry that is shown as kept survives a power cut; drafts
 * and the like need not.
 */
function transact(db, names, mode, work, durability = "strict") {
  return new Promise((resolve, reject) => {
    const transaction = db.transaction(names, mode, { durability });
    let result;
    transaction.oncomplete = () => resolve(result);
    transaction.onabort = () =>
      reject(transaction.error ?? new Error("the browser gave up writing"));
    work(
      (name) => transaction.objectStore(name),
      (value) => (result = value),
    );
  });
}

/** The entries, the draft and the last situation of one scorer at one game. */
export class Store {
  /**
   * @param {Box} box
   * @param {Promise<string>} tab  this tab's own id: each tab has its own draft
   */
  constructor(box, tab) {
    this.box = box;
    this.db = Promise.all([open(), tab]).then(([db, name]) => {
      this.tab = name;
      return db;
    });
    this.db.catch(() => {}); // the first caller that uses it reports the error
  }

  async #run(names, mode, work, durability) {
    return transact(await this.db, names, mode, work, durability);
  }

  /** The entries that are not accepted, in order. @returns {Promise<Row[]>} */
  all() {
    const { game, scorer } = this.box;
    return this.#run(["entries"], "readonly", (store, give) => {
      store("entries").index("box").getAll([game, scorer]).onsuccess = (event) =>
        give(event.target.result);
    });
  }

  /**
   * Keeps an entry at the end. The draft that it was made of goes in the same step: it is never
   * offered beside it.
   */
  add(row, draft) {
    return this.#run(["entries", "drafts"], "readwrite", (store) => {
      store("entries").add({ ...row, ...this.box });
      this.#putDraft(store, draft);
    });
  }

  /**
   * Puts `row` in the place of the refused entry `old`; false when another tab has dealt with that
   * one already.
   */
  replace(old, row, draft) {
    const act = (entries, stored, store) => {
      entries.put({ ...row, ...this.box, sequence: stored.sequence });
      this.#putDraft(store, draft);
    };
    // it keeps its key, so if it is waiting again, another tab has corrected it
    return this.#change(old, act, (stored) => stored.state !== "waiting");
  }

  /**
   * Notes that the server refused an entry or will not take it before it was compared, and why.
   * @param {"refused"|"held"} state
   */
  refuse(old, state, fault) {
    return this.#change(old, (entries, stored) => entries.put({ ...stored, state, fault }));
  }

  /**
   * Forgets an entry: it was accepted, or dropped.
   * @param {Row} old
   * @param {{sequence?: number, key: string, made?: Row["made"]}[]} placed  entries behind it whose
   *   play is known now
   */
  remove(old, placed = []) {
    return this.#change(old, (entries, stored) => {
      entries.delete(stored.sequence);
      for (const { sequence, key, made } of placed.filter((item) => item.sequence))
        entries.get(sequence).onsuccess = (event) => {
          const row = event.target.result;
          if (row?.key === key) entries.put({ ...row, made });
        };
    });
  }

  /**
   * True when `old` was still there, by place and key, and `isOpen` to it, and `act` was done to
   * it.
   */
  #change(old, act, isOpen = (stored) => Boolean(stored)) {
    return this.#run(["entries", "drafts"], "readwrite", (store, give) => {
      give(false);
      const entries = store("entries");
      entries.get(old.sequence).onsuccess = (event) => {
        const stored = event.target.result;
        if (stored?.key !== old.key || !isOpen(stored)) return;
        give(true);
        act(entries, stored, store);
      };
    });
  }

  #putDraft(store, draft) {
    const { game, scorer } = this.box;
    if (draft) store("drafts").put({ game, scorer, tab: this.tab, at: Date.now(), draft });
    else store("drafts").delete([game, scorer, this.tab]);
  }

  /** Keeps what is being typed in this tab; null: nothing. */
  saveDraft(draft) {
    return this.#run(["drafts"], "readwrite", (store) => this.#putDraft(store, draft), "relaxed");
  }

  /**
   * This tab's draft, else the newest of a tab that is closed; that one becomes this tab's.
   * @param {(tab: string) => boolean} isOpen
   */
  takeDraft(isOpen) {
    const { game, scorer } = this.box;
    return this.#run(["drafts"], "readwrite", (store, give) => {
      const range = IDBKeyRange.bound([game, scorer, ""], [game, scorer, "\uffff"]);
      store("drafts").getAll(range).onsuccess = (event) => {
        const rows = event.target.result.sort((a, b) => b.at - a.at);
        const draft =
          rows.find((row) => row.tab === this.tab) ?? rows.find((row) => !isOpen(row.tab));
        if (!draft) return;
        give(draft.draft);
        store("drafts").delete([game, scorer, draft.tab]);
        this.#putDraft(store, draft.draft);
      };
    });
  }

  /**
   * Keeps what the server last showed.
   * @param {{html: string, at: number, situation: object|null, release: string}} last  strip and
   *   log; when, by the server's clock; the situation that came with the last acceptance, which may
   *   be newer
   */
  saveLive(last) {
    const { game, scorer } = this.box;
    return this.#run(
      ["lives"],
      "readwrite",
      (store) => store("lives").put({ game, scorer, ...last }),
      "relaxed",
    );
  }

  /**
   * @returns {Promise<{html: string, at: number, situation: object|null, release:
   *   string}|undefined>}
   */
  live() {
    const { game, scorer } = this.box;
    return this.#run(["lives"], "readonly", (store, give) => {
      store("lives").get([game, scorer]).onsuccess = (event) => give(event.target.result);
    });
  }

  /**
   * How many entries wait in this browser outside this game and scorer.
   * @returns {Promise<{game: string, scorer: string, name: string, count: number}[]>}
   */
  async elsewhere() {
    return (await waiting(await this.db)).filter(
      (box) => box.game !== this.box.game || box.scorer !== this.box.scorer,
    );
  }
}

/** Entries not accepted, by game and scorer. */
async function waiting(db) {
  const rows = await transact(db, ["entries"], "readonly", (store, give) => {
    store("entries").getAll().onsuccess = (event) => give(event.target.result);
  });
  const boxes = new Map();
  for (const { game, scorer, name } of rows) {
    const id = JSON.stringify([game, scorer]);
    boxes.set(id, { game, scorer, name, count: (boxes.get(id)?.count ?? 0) + 1 });
  }
  return [...boxes.values()];
}

/** How many entries of a scorer wait in this browser, over all games. @param {string} scorer */
export async function countWaiting(scorer) {
  const db = await open();
  const rows = await waiting(db);
  db.close();
  return rows.filter((box) => box.scorer === scorer).reduce((sum, box) => sum + box.count, 0);
}

/**
 * Forgets the situations that were kept for a scorer; their entries and drafts stay until they sign
 * in again.
 * @param {string} scorer
 */
export async function forgetLives(scorer) {
  const db = await open();
  await transact(db, ["lives"], "readwrite", (store) => {
    store("lives").openCursor().onsuccess = (event) => {
      const cursor = event.target.result;
      if (!cursor) return;
      if (cursor.value.scorer === scorer) cursor.delete();
      cursor.continue();
    };
  });
  db.close();
}
