/**
 * The page without a network: the worker that keeps it (sw.js), and the situation as the server
 * last showed it. `asOf` is by the server's clock.
 */

const SAVE_MS = 15_000;

/** @param {string} pageUrl  the console of this game */
export function keepPage(pageUrl) {
  const workers = navigator.serviceWorker;
  // without https, entries are still kept, but a reload needs the network
  if (!workers) return;
  workers.addEventListener("controllerchange", () =>
    workers.controller?.postMessage({ keep: pageUrl }),
  );
  workers
    .register("/console/sw.js")
    .catch((error) => console.warn("This page can’t be saved for offline use:", error));
  // asks the browser not to clear our entries when its disk runs low
  navigator.storage?.persist?.();
}

/** Whether this page came from the browser's own store because the server did not answer. */
export const isKept = () => document.documentElement.hasAttribute("data-kept");

/** The part of the page that is polled, as it was last seen. */
export class Live {
  #saved = 0;
  situation = null;

  /**
   * @param {import("./store.js").Store} store
   * @param {string} asOf  when the page was made, ISO
   * @param {string} release  the console's version: a situation that another one kept may have
   *   other fields
   */
  constructor(store, asOf, release) {
    this.store = store;
    this.release = release;
    this.asOf = Date.parse(asOf);
    this.html = document.getElementById("live").outerHTML;
  }

  /**
   * Notes an answer to a poll: the situation is as of now, and is kept for a reload without a
   * network.
   * @param {XMLHttpRequest} xhr
   */
  seen(xhr) {
    this.asOf = Date.parse(xhr.getResponseHeader("Date")) || this.asOf;
    if (xhr.status !== 200 && this.asOf - this.#saved < SAVE_MS) return;
    this.#saved = this.asOf;
    if (xhr.status === 200) this.html = xhr.responseText;
    this.#save();
  }

  /** Notes the situation after an acceptance, which no poll has shown yet. */
  learned(situation) {
    this.situation = situation;
    this.#save();
  }

  #save() {
    const last = {
      html: this.html,
      at: this.asOf,
      situation: this.situation,
      release: this.release,
    };
    // Only warned about, because it matters more that entries are kept, and the queue reports that.
    this.store
      .saveLive(last)
      .catch((error) => console.warn("The situation can’t be saved:", error));
  }

  /** Shows the kept state if it is newer than the page, and returns the kept situations. */
  async restore() {
    const last = await this.store.live();
    if (last?.release !== this.release) return [];
    this.situation = last.situation;
    if (last.at > this.asOf) {
      this.html = last.html;
      this.asOf = last.at;
      document.getElementById("live").outerHTML = last.html;
      window.htmx?.process(document.getElementById("live"));
    }
    const situation = JSON.parse(document.getElementById("situation").textContent);
    return last.situation ? [situation, last.situation] : [situation];
  }

  /** `19:42`, by this browser's clock; `Sun 19:42` on another day. */
  get time() {
    const at = new Date(this.asOf);
    const clock = at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
    return at.toDateString() === new Date().toDateString()
      ? clock
      : `${at.toLocaleDateString("en-GB", { weekday: "short" })} ${clock}`;
  }
}
