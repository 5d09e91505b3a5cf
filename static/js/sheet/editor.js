// The scripted parts of the team sheet editor: on a phone the market opens over the team, the
// remaining time counts down by the server's clock, and what locks looks locked at that second. The
// server does everything else.
const LOOK_AGAIN_MS = 5000;
const phone = window.matchMedia("(max-width: 57.99rem)");

let shownAddress = location.href; // of the draft, as last given by the server
const market = () => /** @type {HTMLDialogElement} */ (document.getElementById("market"));

// The open market is an entry of the browser's history: Back closes it and stays on the page.
let isInHistory = false;
let returnTo = ""; // the address to show once the market's history entry is gone

function noteOpen() {
  if (isInHistory) return;
  isInHistory = true;
  history.pushState({ market: true }, "", location.href);
}

/**
 * Removes the market's history entry after it was closed by its own button or with a pick. The
 * draft's address stays.
 */
function noteClosed() {
  if (!isInHistory) return;
  isInHistory = false;
  returnTo = location.href;
  history.back();
}

window.addEventListener("popstate", (event) => {
  if (!isInHistory && !returnTo) return;
  event.stopImmediatePropagation(); // keeps htmx from loading the page again
  history.replaceState(null, "", returnTo || shownAddress);
  returnTo = "";
  if (isInHistory) closeMarket();
  isInHistory = false;
});

/** What is asked next is not for the place that the closed market was for. */
function closeMarket() {
  market()?.close();
  const choose = /** @type {HTMLInputElement|null} */ (document.querySelector("[name=choose]"));
  if (choose) choose.value = "0";
}

function openMarket() {
  const dialog = market();
  if (!dialog) return;
  const isOverlay = phone.matches && dialog.dataset.place !== "0";
  if (dialog.open && isOverlay && !dialog.matches(":modal")) {
    dialog.close();
    dialog.showModal();
    noteOpen();
  }
  shownAddress = location.href;
  if (!dialog.matches(":modal")) noteClosed();
}

function words(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds <= 0) return "no time";
  const many = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
  const days = Math.floor(seconds / 86400);
  const hours = Math.floor((seconds % 86400) / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  if (days) return `${many(days, "day")} ${many(hours, "hour")}`;
  if (hours) return `${many(hours, "hour")} ${many(minutes, "minute")}`;
  return minutes
    ? `${many(minutes, "minute")} ${many(seconds % 60, "second")}`
    : many(seconds, "second");
}

/**
 * When the page last asked what is locked. By the server's clock that may have been too early, so
 * it asks again.
 */
let lookedAt = 0;

/**
 * How far the server's clock is ahead of this one, in milliseconds. An answer is late, never early:
 * of all estimates the highest is the best.
 */
let ahead = -Infinity;

/** @param {number} lateMs  how long ago the server may have written the page */
function setClock(lateMs) {
  const written = Number(document.getElementById("editor")?.dataset.now);
  if (written) ahead = Math.max(ahead, written - (Date.now() - lateMs));
}

/** @returns {number} */
const serverNow = () => Date.now() + (Number.isFinite(ahead) ? ahead : 0);

/** How long ago the answer with this page began to arrive. */
function pageAge() {
  const [page] = /** @type {PerformanceNavigationTiming[]} */ (
    performance.getEntriesByType("navigation")
  );
  const age = page ? performance.now() - page.responseStart : 0;
  return Number.isFinite(age) ? Math.max(0, age) : 0;
}

/**
 * When the sheet, or with a lock for each game a footballer on it, locks next.
 * @returns {number}
 */
function nextLock() {
  const left = /** @type {HTMLTimeElement|null} */ (document.getElementById("time-left"));
  if (!left) return Infinity;
  const places = /** @type {NodeListOf<HTMLElement>} */ (
    document.querySelectorAll("#editor[data-locks-each] .place[data-kickoff]:not(.is-locked)")
  );
  const kickoffs = [...places].map((place) => place.dataset.kickoff ?? "");
  return Math.min(...[left.dateTime, ...kickoffs].map((time) => Date.parse(time)));
}

/** Shows a place or the whole team as locked, before the server has said so. */
function showLocks() {
  const now = serverNow();
  const left = /** @type {HTMLTimeElement|null} */ (document.getElementById("time-left"));
  const isOver = Boolean(left) && Date.parse(left?.dateTime ?? "") <= now;
  const locksEach = document.querySelector("#editor[data-locks-each]") !== null;
  const locked = /** @type {HTMLElement[]} */ ([
    ...document.querySelectorAll("#editor .place:not(.is-locked)"),
  ]).filter((place) => {
    const { kickoff } = place.dataset;
    return isOver || (locksEach && kickoff && Date.parse(kickoff) <= now);
  });
  for (const place of locked) {
    place.classList.add("is-locked");
    delete place.dataset.swaps;
    place.querySelector("button")?.toggleAttribute("disabled", true);
    const word = document.createElement("span");
    word.className = "visually-hidden";
    word.textContent = "Locked";
    place.querySelector(".name")?.after(" ", word);
  }
  if (!locked.length) return;
  const names = locked.map((place) =>
    place.querySelector(".name")?.textContent?.replace(/\s+/g, " ").trim(),
  );
  const announcement = document.getElementById("lock-said");
  if (announcement)
    announcement.textContent = isOver ? "Your team is locked." : `Locked: ${names.join(", ")}.`;
  if (isOver) document.getElementById("save")?.toggleAttribute("disabled", true);
}

function countDown() {
  const now = serverNow();
  const left = /** @type {HTMLTimeElement} */ (document.getElementById("time-left"));
  if (left) left.textContent = words(Date.parse(left.dateTime) - now);
  if (nextLock() > now) return;
  showLocks();
  if (Date.now() - lookedAt < LOOK_AGAIN_MS) return;
  lookedAt = Date.now();
  window.htmx?.trigger("#look-again", "click");
}

function settle() {
  openMarket();
  countDown();
}

document.addEventListener(
  "click",
  (event) => {
    const dialog = market();
    if (!dialog?.matches(":modal") || !(event.target instanceof Element)) return;
    const isAbove = event.clientY < dialog.getBoundingClientRect().top; // on what it covers
    if (!event.target.closest("[data-close]") && !(event.target === dialog && isAbove)) return;
    event.preventDefault();
    event.stopImmediatePropagation(); // there is nothing to ask the server for
    closeMarket();
    noteClosed();
  },
  true,
);

document.addEventListener(
  "cancel", // Escape
  (event) => {
    if (event.target !== market()) return;
    closeMarket();
    noteClosed();
  },
  true,
);

document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target.id !== "editor") return;
  setClock(0);
  settle();
  const target = /** @type {HTMLElement} */ (document.querySelector("#editor [data-focus]"));
  if (target) {
    target.focus({ preventScroll: true });
    window.scrollTo({ top: 0 });
  }
});

setClock(pageAge());
settle();
setInterval(countDown, 1000);
