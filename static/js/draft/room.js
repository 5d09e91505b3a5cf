// A draft room, or its board alone: shows each new version, and sends what its member does through
// the forms of the page (htmx). Without this file the page shows the draft as it was when it was
// loaded, and the forms lead back to it.
import { raised } from "./bids.js";
import { Countdown } from "./countdown.js";
import { Feed } from "./stream.js";

const FEW_ROWS = 25; // a shorter list of players is filled again

const room = /** @type {HTMLElement | null} */ (document.getElementById("room"));

/** @type {(selector: string) => HTMLElement[]} */
const all = (selector) =>
  [...document.querySelectorAll(selector)].map((element) => /** @type {HTMLElement} */ (element));

/** @type {(id: string, html: string) => void} */
const fill = (id, html) => {
  const element = document.getElementById(id);
  if (element) element.innerHTML = html;
};

const newToken = () => crypto.randomUUID();

/** @param {HTMLElement} place  the room */
function showTab(place, key) {
  place.dataset.tab = key;
  for (const tab of all(".room-tab")) {
    tab.setAttribute("aria-pressed", String(tab.dataset.shows === key));
  }
}

class Room {
  /** @param {HTMLElement} place */
  constructor(place) {
    this.place = place;
    this.franchise = Number(place.dataset.franchise) || null;
    this.address = place.dataset.address;
    this.title = document.title;
    /** @type {string | undefined} the number of the sale for which the bid field is filled */
    this.lot = document.querySelector("#turn .turn-lot")?.getAttribute("data-number") ?? undefined;
    /** @type {HTMLElement | null} the round that the board shows */
    this.row = null;
    this.moveMark(place.dataset.slot ?? "");
    this.countdown = new Countdown(Number(place.dataset.now));
    this.log = document.getElementById("draft-log");
    this.note = document.getElementById("my-turn-note");
    this.list = document.getElementById("left");
    this.filter = document.getElementById("left-filter");
    this.mine = document.getElementById("mine");
    const version = Number(place.dataset.version);
    this.feed = new Feed(this.address, version, (update) => this.apply(update));
    this.feed.start();
  }

  /** @param {import("./stream.js").Update} update */
  apply(update) {
    if (this.isOutdated(update)) {
      location.reload();
      return;
    }
    fill("turn", update.turn);
    this.countdown.adjust(update.now);
    for (const [key, html] of Object.entries(update.cells)) fill(`cell-${key}`, html);
    for (const [franchise, html] of Object.entries(update.heads)) fill(`head-${franchise}`, html);
    this.moveMark(update.slot);
    this.removeTaken(update.taken);
    if (update.freed.length || (this.rows() < FEW_ROWS && update.taken.length)) this.refill();
    this.showTurn(update);
    if (this.log && update.say) this.log.textContent = update.say;
    if (this.franchise !== null && update.franchises.includes(this.franchise)) this.fetchMine();
  }

  /**
   * Whether the page is another one now: the lottery or another plan changes the columns of the
   * board, and a draft that is over leads on.
   * @param {import("./stream.js").Update} update
   */
  isOutdated(update) {
    const { status } = this.place.dataset;
    return status === "waiting" || (update.status === "completed" && status !== "completed");
  }

  /** @param {string} slot  the key of the place that is filled next */
  moveMark(slot) {
    document.querySelector(".draft-board .is-on")?.classList.remove("is-on");
    this.place.dataset.slot = slot;
    const cell = document.getElementById(`cell-${slot}`);
    cell?.classList.add("is-on");
    if (cell) this.showRow(cell);
  }

  /** Scrolls the board, not the page, to the round that is drafted. @param {HTMLElement} cell */
  showRow(cell) {
    const board = document.querySelector(".board-scroll");
    const row = cell.parentElement;
    if (!(board instanceof HTMLElement) || !row || row === this.row) return;
    this.row = row;
    board.scrollTop = row.offsetTop - board.clientHeight / 2;
  }

  /** @param {string[]} taken */
  removeTaken(taken) {
    for (const id of taken) {
      for (const row of all(`[data-footballer="${CSS.escape(id)}"]`)) row.remove();
    }
  }

  rows() {
    return this.list ? this.list.querySelectorAll("[data-footballer]").length : FEW_ROWS;
  }

  refill() {
    this.filter?.dispatchEvent(new Event("refill"));
  }

  /** @param {import("./stream.js").Update} update */
  showTurn(update) {
    const lot = document.querySelector("#turn .turn-lot");
    const isMine = this.franchise !== null && update.on_turn === this.franchise && !lot;
    const wasMine = this.place.dataset.myTurn === "yes";
    this.place.dataset.status = update.status;
    this.place.dataset.lot = lot ? "open" : "none";
    this.place.dataset.myTurn = isMine ? "yes" : "no";
    for (const input of document.querySelectorAll("[data-expected]")) {
      /** @type {HTMLInputElement} */ (input).value = String(update.expected);
    }
    if (lot instanceof HTMLElement) this.offerBid(lot);
    if (isMine !== wasMine) document.title = isMine ? `Your turn · ${this.title}` : this.title;
    if (isMine !== wasMine && this.note) {
      this.note.textContent = isMine ? "You're on the clock: choose a player." : "";
    }
  }

  /** @param {HTMLElement} lot */
  offerBid(lot) {
    const field = /** @type {HTMLInputElement | null} */ (document.getElementById("maximum"));
    const least = Number(lot.dataset.price) + 1;
    // What somebody types for this player stays, unless it would be refused.
    const isNew = this.lot !== lot.dataset.number;
    this.lot = lot.dataset.number;
    const isTooLow = Number(field?.value) < least && Number(lot.dataset.leader) !== this.franchise;
    if (field && (isNew || isTooLow)) field.value = String(least);
  }

  fetchMine() {
    if (!this.mine) return;
    window.htmx?.ajax("get", `${this.address}/mine`, { target: "#mine", swap: "innerHTML" }).catch(
      () => {}, // requests/main.js says that there is no connection
    );
  }
}

/** Put a higher bid into the field; nothing is sent. @param {number} step */
function raiseBid(step) {
  const field = document.getElementById("maximum");
  if (!(field instanceof HTMLInputElement)) return;
  const price = Number(document.querySelector(".turn-lot")?.getAttribute("data-price") ?? 0);
  const most = document.querySelector("#mine [data-most]")?.getAttribute("data-most");
  field.value = String(raised(field.value, price, step, most ? Number(most) : Infinity));
}

/** After an answer, the next press of the form is another act. @param {CustomEvent} event */
function renewToken({ detail: { elt, xhr } }) {
  if (!(elt instanceof HTMLFormElement) || !elt.hasAttribute("data-renew")) return;
  if (xhr.status !== 204 && xhr.status !== 409) return;
  const token = elt.querySelector("[name=token]");
  if (token instanceof HTMLInputElement) token.value = newToken();
  if (xhr.status !== 204) return;
  for (const once of elt.querySelectorAll("[data-once]")) {
    /** @type {HTMLInputElement} */ (once).value = "";
  }
}

/** The queue that was swapped in says which buttons of the list are used. */
function markQueued() {
  const queued = new Set(
    all("#mine .queue-list [data-footballer]").map((row) => row.dataset.footballer),
  );
  for (const button of all("#left .queue-button")) {
    if (!(button instanceof HTMLButtonElement)) continue;
    const isQueued = queued.has(button.value);
    button.disabled = isQueued;
    const mark = button.querySelector(".queue-mark");
    if (mark) mark.textContent = isQueued ? "✓" : "+";
  }
}

if (room) {
  new Room(room);
  showTab(room, "players");
  for (const tab of all(".room-tab")) {
    tab.addEventListener("click", () => showTab(room, tab.dataset.shows));
  }
  for (const button of all("[data-raise]")) {
    button.addEventListener("click", () => raiseBid(Number(button.dataset.raise)));
  }
  document.addEventListener("htmx:afterRequest", renewToken);
  document.addEventListener("htmx:responseError", ({ detail: { xhr } }) => {
    if (xhr.status !== 403) return;
    // Whoever has lost the office while the room was open keeps the sentence, not the buttons.
    for (const part of room.querySelectorAll("#commissioner, .assign-button")) part.remove();
  });
  document.addEventListener("htmx:afterSettle", markQueued);
}
