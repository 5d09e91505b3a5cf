// A draft room, or its board alone: shows each new version, and sends what its member does through
// the forms of the page (htmx). Without this file the page shows the draft as it was when it was
// loaded, and the forms lead back to it.
import { raised } from "./bids.js";
import { Countdown } from "./countdown.js";
import { TurnSound } from "./sound.js";
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

/**
 * Whether the middle of the cell is seen on the board.
 * @param {HTMLElement} board
 * @param {HTMLElement} cell
 */
function isInView(board, cell) {
  const top = cell.offsetTop + cell.offsetHeight / 2 - board.scrollTop;
  const left = cell.offsetLeft + cell.offsetWidth / 2 - board.scrollLeft;
  return top > 0 && top < board.clientHeight && left > 0 && left < board.clientWidth;
}

class Room {
  /** @param {HTMLElement} place */
  constructor(place) {
    this.place = place;
    this.franchise = Number(place.dataset.franchise) || null;
    this.address = place.dataset.address;
    this.title = place.dataset.title ?? "";
    /** @type {string | undefined} the number of the sale for which the bid field is filled */
    this.lot = document.querySelector(".turn-lot")?.getAttribute("data-number") ?? undefined;
    this.strip = document.getElementById("strip");
    this.board = /** @type {HTMLElement | null} */ (document.querySelector(".board-scroll"));
    this.showNow();
    this.showSlot();
    this.countdown = new Countdown(Number(place.dataset.now));
    this.log = document.getElementById("draft-log");
    this.list = document.getElementById("left");
    this.filter = document.getElementById("left-filter");
    this.mine = document.getElementById("mine");
    const soundButton = document.getElementById("sound");
    this.sound = soundButton && new TurnSound(soundButton);
    soundButton?.parentElement?.removeAttribute("hidden");
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
    fill("strip", update.strip);
    this.showNow();
    this.countdown.adjust(update.now);
    for (const [key, html] of Object.entries(update.cells)) fill(`cell-${key}`, html);
    this.popPicks(Object.keys(update.cells));
    for (const [franchise, html] of Object.entries(update.heads)) fill(`head-${franchise}`, html);
    this.moveMark(update.slot);
    this.removeTaken(update.taken);
    if (update.freed.length || (this.rows() < FEW_ROWS && update.taken.length)) this.refill();
    this.showTurn(update);
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

  /** Scrolls the strip to the latest pick and whoever is on the clock. */
  showNow() {
    const now = this.strip?.querySelector(".is-latest, .is-now");
    if (this.strip && now instanceof HTMLElement) this.strip.scrollLeft = now.offsetLeft - 8;
  }

  /** The picks that were just made stand out until the next ones. @param {string[]} keys */
  popPicks(keys) {
    for (const cell of all(".draft-board .is-latest")) cell.classList.remove("is-latest");
    for (const key of keys) {
      const pick = document.querySelector(`#cell-${CSS.escape(key)} > .cell-pick`);
      pick?.classList.add("is-latest");
    }
  }

  /** @param {string} slot  the key of the place that is filled next */
  moveMark(slot) {
    const marked = document.querySelector(".draft-board .is-on");
    marked?.classList.remove("is-on");
    this.place.dataset.slot = slot;
    document.getElementById(`cell-${slot}`)?.classList.add("is-on");
    // A reader who has scrolled away stays there.
    const isFollowed = marked instanceof HTMLElement && this.board && isInView(this.board, marked);
    if (isFollowed) this.showSlot();
  }

  /** Scrolls the board, not the page, to the place that is filled next. */
  showSlot() {
    const cell = document.getElementById(`cell-${this.place.dataset.slot}`);
    if (!this.board || !cell || isInView(this.board, cell)) return;
    this.board.scrollTop = cell.offsetTop - this.board.clientHeight / 2;
    this.board.scrollLeft = cell.offsetLeft - this.board.clientWidth / 2;
  }

  /** @param {string[]} taken */
  removeTaken(taken) {
    for (const id of taken) {
      for (const row of all(`[data-footballer="${CSS.escape(id)}"]`)) row.remove();
    }
    // What the page says about an empty queue comes from the server.
    if (document.querySelector(".queue-list:not(:has(li))")) this.fetchMine();
  }

  rows() {
    return this.list ? this.list.querySelectorAll("[data-footballer]").length : FEW_ROWS;
  }

  refill() {
    this.filter?.dispatchEvent(new Event("refill"));
  }

  /** @param {import("./stream.js").Update} update */
  showTurn(update) {
    const lot = document.querySelector(".turn-lot");
    const isMine = this.canPick(update) && !lot;
    this.tell(update, isMine && this.place.dataset.myTurn !== "yes");
    this.place.dataset.status = update.status;
    this.place.dataset.lot = lot ? "open" : "none";
    this.place.dataset.myTurn = isMine ? "yes" : "no";
    for (const input of document.querySelectorAll("[data-expected]")) {
      /** @type {HTMLInputElement} */ (input).value = String(update.expected);
    }
    if (lot instanceof HTMLElement) this.offerBid(lot);
    document.title = isMine ? `Your pick · ${this.title}` : this.title;
  }

  /** @param {import("./stream.js").Update} update */
  canPick(update) {
    return (
      this.franchise !== null && update.on_turn === this.franchise && update.status === "running"
    );
  }

  /**
   * Shows what the member reads about the own next turn, and announces what happened.
   * @param {import("./stream.js").Update} update
   * @param {boolean} isNews  it is their turn, and was not before
   */
  tell(update, isNews) {
    const note = update.notes[String(this.franchise)] ?? "";
    fill("my-turn-note", note);
    const words = isNews ? `${update.say} ${note}.` : update.say;
    if (this.log && words) this.log.textContent = words;
    if (isNews) this.sound?.play();
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
  const menu = document.getElementById("room-menu");
  if (menu?.matches(":popover-open")) menu.hidePopover();
  for (const once of elt.querySelectorAll("[data-once]")) {
    /** @type {HTMLInputElement} */ (once).value = "";
  }
}

/** A double click is one act: its second click would undo another pick. @param {MouseEvent} event */
function ignoreSecondClick(event) {
  const button = event.target instanceof Element ? event.target.closest("button") : null;
  if (event.detail > 1 && button?.form?.hasAttribute("data-renew")) event.preventDefault();
}

/** The queue that was swapped in says which buttons of the list take a player out again. */
function markQueued() {
  const queued = new Set(
    all("#mine .queue-list [data-footballer]").map((row) => row.dataset.footballer),
  );
  for (const button of all("#left .queue-button")) {
    if (!(button instanceof HTMLButtonElement)) continue;
    const isQueued = queued.has(button.value);
    button.name = isQueued ? "remove" : "add";
    button.setAttribute("aria-pressed", String(isQueued));
    const mark = button.querySelector(".queue-mark");
    if (mark) mark.textContent = isQueued ? "✓" : "+";
  }
}

if (room) {
  const view = new Room(room);
  // A part that was not shown could not scroll.
  document.querySelector(".room-tabs")?.addEventListener("change", () => view.showSlot());
  document.getElementById("left-filter")?.addEventListener("input", () => {
    if (view.list) view.list.scrollTop = 0;
  });
  for (const button of all("[data-raise]")) {
    button.hidden = false;
    button.addEventListener("click", () => raiseBid(Number(button.dataset.raise)));
  }
  document.addEventListener("click", ignoreSecondClick);
  document.addEventListener("htmx:afterRequest", renewToken);
  document.addEventListener("htmx:responseError", ({ detail: { xhr } }) => {
    if (xhr.status !== 403) return;
    // Whoever has lost the office while the room was open keeps the sentence, not the buttons.
    for (const part of room.querySelectorAll(".for-commissioner")) part.remove();
  });
  document.addEventListener("htmx:afterSettle", markQueued);
}
