/**
 * Handles failed requests, for every htmx request and every form of every page.
 *
 * - No connection, or a server that is not ready: reads, saves marked `data-repeatable` (the same
 *   save twice is one save) and forms that were not sent yet are tried again until they are
 *   answered. All others say that they were not answered.
 * - Signed out meanwhile: the typed texts are kept, and the sign-in page leads back to them.
 * - A token of a former session of the same member: the request is made once more with a valid one.
 * - Any other refusal is shown with the sentence of the server.
 */
import { clear, say } from "./message.js";
import { checkSession, isBack, signIn, signInAddress } from "./session.js";
import { keepTyped, putBack } from "./typed.js";

const PAUSES_MS = [2000, 4000, 8000, 15_000];
const NOT_READY = [0, 502, 503, 504]; // 0: no answer
const RELOAD = { text: "Reload the page", href: "" };
const SIGN_IN = () => ({
  text: "Sign in",
  href: signInAddress(),
  go: () => signIn(() => keepAll([])),
});
const SENT_ANEW_MS = 5000; // a second click on a form under way is ignored

/**
 * @typedef {{elt: HTMLElement, target: HTMLElement, verb: string, path: string,
 *   triggeringEvent: Event}} Request  as htmx describes it
 */
/** @typedef {{send: () => void, words: string, isSave: boolean, roots: Element[]}} Unsent */

/** @type {Map<string, Unsent>} what will be tried again, the oldest first, by what it is */
const unsent = new Map();
/** @type {Set<string>} requests that were made once more with a new token */
const renewed = new Set();
let tries = 0;
let timer = 0;

/** @type {(request: Request) => string} */
const keyOf = ({ verb, path }) => `${verb} ${path}`;
const isPoll = (elt) => /\bevery\b/.test(elt.getAttribute("hx-trigger") ?? "");
const rootOf = (elt) => (elt instanceof HTMLButtonElement && elt.form) || elt;

/** @type {(request: Request) => void} */
function sendAgain(request) {
  const { elt, target, verb, path, triggeringEvent } = request;
  if (elt.isConnected) {
    // the events report the result
    window.htmx?.ajax(verb, path, { source: elt, target, event: triggeringEvent }).catch(() => {});
    return;
  }
  drop(keyOf(request)); // the page shows something else by now
  if (verb !== "get") say("save", "Your last change was not saved. Save again.");
}

function tryAgain() {
  window.clearTimeout(timer);
  const next = unsent.values().next().value;
  if (next) next.send();
}

/** @param {string} key @param {Unsent} what */
function later(key, what) {
  unsent.set(key, what);
  window.clearTimeout(timer);
  timer = window.setTimeout(tryAgain, PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)]);
  tries += 1;
  say("save", what.words, { closed: dropAll });
}

function dropAll() {
  window.clearTimeout(timer);
  unsent.clear();
}

/** @param {string} key */
function drop(key) {
  unsent.delete(key);
  if (!unsent.size) window.clearTimeout(timer);
}

/** @param {string} key @param {boolean} [isTaken]  false: the page's own words say what is wrong */
function answered(key, isTaken = true) {
  clear("poll");
  renewed.delete(key);
  const what = unsent.get(key);
  if (what) drop(key);
  if (what) tries = 0;
  if (what && unsent.size) tryAgain();
  else if (what?.isSave && isTaken)
    say("save", "You are connected again. Your changes are saved.", { passes: true });
  else if (what || (!key.startsWith("get ") && !unsent.size)) clear("save");
}

/**
 * The page's own text of a refusal, or a general one.
 * @param {XMLHttpRequest} xhr
 */
function refusal(xhr) {
  const isSentence = xhr.getResponseHeader("Content-Type")?.startsWith("text/plain");
  return isSentence
    ? xhr.responseText
    : `That didn't work (error ${xhr.status}). Reload the page and try again.`;
}

/** @param {Request} request @param {number} status */
function notReady(request, status) {
  const isRead = request.verb === "get";
  const why = status ? "A part of Pressbox is down." : "No connection to Pressbox.";
  if (isRead || request.elt.closest("[data-repeatable]")) {
    later(keyOf(request), {
      send: () => sendAgain(request),
      words: isRead
        ? `${why} Trying again.`
        : `${why} Not saved yet. We'll keep trying. Keep this page open.`,
      isSave: !isRead,
      roots: isRead ? [] : [request.elt],
    });
  } else
    say("save", `${why} We got no answer. Reload the page to check whether it worked.`, {
      way: RELOAD,
    });
}

/** Keeps the fields of these parts and of all unsent requests. @param {Element[]} roots */
function keepAll(roots) {
  const all = [...new Set([...roots, ...[...unsent.values()].flatMap((what) => what.roots)])];
  keepTyped(all, {
    saves: all.length > 0 && all.every((root) => root.hasAttribute("data-repeatable")),
  });
}

/**
 * @param {Element} root  the form or part that was to be sent
 * @param {import("./session.js").State} state  of the session; not "same"
 */
function cannotSend(root, state) {
  if (state === "signed out") signIn(() => keepAll([root]));
  else
    say("save", "This browser is now signed in as someone else. What you typed was not sent.", {
      way: RELOAD,
    });
}

/** @param {Request} request @param {XMLHttpRequest} xhr */
async function refused(request, xhr) {
  const key = keyOf(request);
  const isSave = request.verb !== "get";
  drop(key);
  if ([400, 401, 403, 404].includes(xhr.status)) {
    const state = await checkSession();
    if (state === "no connection") return notReady(request, 0);
    if (state === "signed out" && !isSave)
      return say("save", "You were signed out.", { way: SIGN_IN() });
    if (state !== "same") return cannotSend(rootOf(request.elt), state);
    if (xhr.status === 400 && isSave && !renewed.has(key)) {
      renewed.add(key);
      return sendAgain(request);
    }
  }
  renewed.delete(key);
  return say("save", refusal(xhr));
}

let askedForPoll = false;

/**
 * A poll repeats by itself, so only say why it shows nothing new.
 * @param {XMLHttpRequest} xhr
 */
async function pollFailed(xhr) {
  if (NOT_READY.includes(xhr.status) || xhr.status >= 500)
    return say("poll", "Connection lost. Trying again.");
  if (xhr.status === 429)
    return say("poll", "Too many requests. This page will resume in a moment.");
  if (askedForPoll) return undefined;
  askedForPoll = true;
  const state = await checkSession();
  askedForPoll = state !== "no connection";
  if (state === "signed out") say("poll", "You were signed out.", { way: SIGN_IN() });
  else if (state !== "no connection") say("poll", refusal(xhr), { way: RELOAD });
  return undefined;
}

/** @param {CustomEvent} event */
function failed({ detail: { xhr, requestConfig } }) {
  if (isPoll(requestConfig.elt)) pollFailed(xhr);
  else if (NOT_READY.includes(xhr.status)) notReady(requestConfig, xhr.status);
  else refused(requestConfig, xhr);
}

document.addEventListener("htmx:sendError", failed);
document.addEventListener("htmx:timeout", failed);
document.addEventListener("htmx:responseError", failed);
document.addEventListener("htmx:afterRequest", ({ detail: { xhr, requestConfig } }) => {
  if (xhr.status === 0 || (xhr.status >= 400 && xhr.status !== 422)) return;
  askedForPoll = false;
  answered(keyOf(requestConfig), xhr.status !== 422);
});
window.addEventListener("online", tryAgain);

// A whole page must not be swapped in as a part of this one.
document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr, requestConfig, select } = event.detail;
  const selects = select ?? requestConfig.elt.closest("[hx-select]");
  if (
    selects ||
    !event.detail.shouldSwap ||
    !/^\s*(<!--[^]*?-->\s*)*<!doctype/i.test(xhr.responseText)
  )
    return;
  event.detail.shouldSwap = false;
  location.assign(xhr.responseURL || location.href);
});

/** @type {WeakSet<HTMLFormElement>} forms that would be taken: the browser sends them itself */
const checked = new WeakSet();
/** @type {WeakSet<HTMLFormElement>} */
let underWay = new WeakSet();

/**
 * Checks whether the form would be accepted before the browser leaves the page for it.
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} submitter
 */
async function sendForm(form, submitter) {
  const key = `form ${form.getAttribute("action")}`;
  const state = await checkSession();
  if (state === "same") {
    drop(key);
    clear("save");
    keepTyped([form], { isSent: true });
    checked.add(form);
    form.requestSubmit(submitter?.isConnected ? submitter : null);
    window.setTimeout(() => underWay.delete(form), SENT_ANEW_MS);
    return;
  }
  underWay.delete(form);
  if (state !== "no connection") {
    drop(key);
    cannotSend(form, state);
    return;
  }
  const words =
    "No connection to Pressbox. We'll send this when you reconnect, unless you close this message.";
  later(key, { send: () => sendForm(form, submitter), words, isSave: true, roots: [form] });
}

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  const submitter = /** @type {HTMLButtonElement | null} */ (event.submitter);
  const method = submitter?.getAttribute("formmethod") ?? form.getAttribute("method");
  if (event.defaultPrevented || method?.toLowerCase() !== "post" || checked.delete(form)) return;
  event.preventDefault();
  if (underWay.has(form)) return;
  underWay.add(form);
  sendForm(form, submitter);
});
window.addEventListener("pageshow", () => {
  underWay = new WeakSet();
});

const typed = putBack();
if (isBack()) {
  say(
    "save",
    typed === "saves itself"
      ? "You are signed in again. What you typed is saved now."
      : "You are signed in again. Your changes are here, but not saved yet.",
  );
} else if (typed === "put back") say("save", "We restored what you typed. It is not saved yet.");
