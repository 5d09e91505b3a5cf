/**
 * The message at the top of the page: what became of a request. A message about a save stays until
 * that is settled or the reader closes it; one about a poll goes with the next answer and never
 * takes the place of the other.
 */

/** @typedef {"poll" | "save"} Kind */
/**
 * @typedef {{text: string, href: string, go?: () => void}} Way  a link that leads on; `go`: what a
 *   script does instead
 */

const GONE_AFTER_MS = 8000;

/** @type {(id: string) => HTMLElement} */
const part = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @type {Kind | ""} */
let shownKind = "";
let timer = 0;
/** @type {(() => void) | undefined} */
let onClose;
/** @type {(() => void) | undefined} */
let onGo;

/**
 * @param {Kind} kind
 * @param {string} words
 * @param {{way?: Way, closed?: () => void, passes?: boolean}} [more]  `passes`: it goes by itself
 *   after a while
 */
export function say(kind, words, { way: remedy, closed, passes = false } = {}) {
  const message = part("message");
  if (!message || (kind === "poll" && shownKind === "save")) return;
  window.clearTimeout(timer);
  shownKind = kind;
  onClose = closed;
  onGo = remedy?.go;
  message.dataset.kind = kind;
  if (part("message-text").textContent !== words) part("message-text").textContent = words;
  const link = /** @type {HTMLAnchorElement} */ (part("message-way"));
  link.hidden = !remedy;
  if (remedy) {
    link.textContent = remedy.text;
    link.href = remedy.href;
  }
  part("message-close").hidden = kind === "poll";
  message.hidden = false;
  if (!message.matches(":popover-open")) message.showPopover(); // above an open dialog
  if (passes) timer = window.setTimeout(() => clear(kind), GONE_AFTER_MS);
}

/** @param {Kind} kind */
export function clear(kind) {
  if (shownKind !== kind) return;
  shownKind = "";
  onClose = undefined;
  const message = part("message");
  if (message.matches(":popover-open")) message.hidePopover();
  message.hidden = true;
}

part("message-close")?.addEventListener("click", () => {
  onClose?.();
  clear("save");
});
part("message-way")?.addEventListener("click", (event) => {
  if (!onGo) return;
  event.preventDefault();
  onGo();
});
