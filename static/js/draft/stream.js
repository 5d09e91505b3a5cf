/**
 * The updates of a draft room: by server-sent events, and by polling while there is no stream. A page
 * that sleeps or loses its connection asks for everything since the version that it shows.
 */

const POLL_MS = 2000;
const QUIET_MS = 40_000; // the server sends at least a comment every 15 s, which browsers hide
const STREAM_AGAIN_MS = 10_000;
const NOT_ALLOWED = [401, 403, 404]; // signed out, or not of this draft any more: the page says so

/**
 * @typedef {{version: number, since: number, now: number, status: string, on_turn: number | null,
 *   expected: number, slot: string, turn: string, strip: string, notes: Record<string, string>,
 *   cells: Record<string, string>, heads: Record<string, string>, taken: string[],
 *   freed: string[], franchises: number[], say: string}} Update
 */

export class Feed {
  /**
   * @param {string} address  of the room
   * @param {number} version  that the page shows
   * @param {(update: Update) => void} apply
   */
  constructor(address, version, apply) {
    this.address = address;
    this.version = version;
    this.apply = apply;
    /** @type {EventSource | null} */
    this.source = null;
    this.poll = 0;
    this.again = 0;
    this.isAsking = false;
  }

  start() {
    this.open();
    // After a sleep or a lost connection the stream may look open and be dead.
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.ask();
    });
    window.addEventListener("online", () => this.ask());
    window.setInterval(() => this.ask(), QUIET_MS);
  }

  open() {
    window.clearTimeout(this.again);
    this.source?.close();
    const source = new EventSource(`${this.address}/stream?version=${this.version}`);
    this.source = source;
    source.addEventListener("open", () => this.stopPolling());
    source.addEventListener("draft", (event) => this.take(JSON.parse(event.data)));
    source.addEventListener("error", () => {
      this.startPolling();
      if (source.readyState !== EventSource.CLOSED) return; // it connects again by itself
      this.again = window.setTimeout(() => this.open(), STREAM_AGAIN_MS);
    });
  }

  /** @param {Update} update */
  take(update) {
    if (update.version <= this.version && update.since !== this.version) return;
    if (update.since !== this.version) {
      this.ask();
      return;
    }
    this.version = update.version;
    this.apply(update);
  }

  startPolling() {
    if (!this.poll) this.poll = window.setInterval(() => this.ask(), POLL_MS);
  }

  stopPolling() {
    window.clearInterval(this.poll);
    this.poll = 0;
  }

  /** Asks once for everything since the version that is shown. */
  async ask() {
    if (this.isAsking) return;
    this.isAsking = true;
    try {
      const response = await fetch(`${this.address}/updates?version=${this.version}`, {
        headers: { Accept: "application/json" },
        signal: AbortSignal.timeout(10_000),
      });
      if (response.redirected || NOT_ALLOWED.includes(response.status)) location.reload();
      else if (response.status === 200) this.take(await response.json());
    } catch {
      this.startPolling(); // no connection: the next poll tries again
    } finally {
      this.isAsking = false;
    }
  }
}
