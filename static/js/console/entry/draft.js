/**
 * An entry as plain data and back, and what is being typed in this tab, so that a reload or a crash
 * costs nothing. Roster, clubs, rules, event types and keys are not kept with it: they come from
 * the page.
 */
import { Entry } from "./entry.js";

/** @param {Entry|null} entry */
export function pack(entry) {
  if (!entry) return null;
  const {
    roster: _roster,
    other: _other,
    clubs: _clubs,
    types: _types,
    keys: _keys,
    rules: _rules,
    foulCodes: _foulCodes,
    ...situation
  } = entry.situation;
  const { answers, preset, drafts, typed, asked, kept } = entry;
  return structuredClone({
    name: entry.action.name,
    answers,
    preset,
    drafts,
    typed,
    asked,
    kept,
    situation,
  });
}

/**
 * The live entry again; null if this console no longer has its action (it can still be sent or
 * dropped).
 * @param {object|null} draft
 * @param {Record<string, object>} actions  by the scorer's keys, which may have changed since: an
 *   action is known by its name
 * @param {{roster: object, other: Function, clubs: object, rules: object, types: object, keys:
 *   object}} page
 */
export function unpack(draft, actions, page) {
  const [key, action] =
    Object.entries(actions).find(([, candidate]) => candidate.name === draft?.name) ?? [];
  if (!action) return null;
  const { name: _name, situation, ...state } = draft;
  try {
    const entry = Object.assign(new Entry(key, action, { ...situation, ...page }), state);
    // an action that asks other questions than it did may not understand its old answers
    return entry.trail && entry;
  } catch (error) {
    console.warn(`This console can’t read the saved ${action.title.toLowerCase()}:`, error);
    return null;
  }
}

/**
 * What is being typed and what was set aside, as a draft; null if there is nothing to lose.
 * @param {Entry|null} entry @param {string} text @param {{entry: Entry, text: string}|null} aside
 * @param {string} correcting  the key of the refused entry that the one in hand corrects
 * @param {boolean} isLine  the text is a one-line entry
 */
export function draftOf(entry, text, aside, correcting, isLine = false) {
  const begun = entry?.isBegun(text) ? entry : null;
  if (!begun && !aside && !isLine) return null;
  return {
    ...(isLine ? { isLine } : {}),
    hand: pack(begun),
    text,
    correcting,
    aside: aside && { entry: pack(aside.entry), text: aside.text },
  };
}

/**
 * The last draft. It is saved again only if it has changed, and only after the draft from before
 * the reload was restored.
 */
export class KeptDraft {
  /** @type {string|null} */
  #text = null;

  /** @param {(draft: object|null) => void} save */
  constructor(save) {
    this.save = save;
  }

  /** Starts saving drafts. */
  start() {
    this.#text = "";
  }

  /** @param {object|null} draft  what is being typed; null: nothing */
  keep(draft) {
    const text = JSON.stringify(draft);
    if (this.#text === null || text === this.#text) return;
    this.#text = text;
    this.save(draft);
  }
}

/** This tab's id, for its draft. A reload keeps it; a duplicated tab gets a new one. */
export async function nameTab() {
  const name = sessionStorage.getItem("console-tab") ?? newName();
  return (await claim(name)) ? name : newName();
}

function newName() {
  const name = `${Date.now()}-${Math.random().toString(36).slice(2)}`;
  sessionStorage.setItem("console-tab", name);
  claim(name);
  return name;
}

const WAIT_MS = 500; // a page that is left by a reload releases its lock within this time

/** Holds the tab's name as long as the tab lives; false if another tab has it. */
function claim(name) {
  if (!navigator.locks) return Promise.resolve(true);
  return new Promise((resolve) => {
    const hold = () => {
      resolve(true);
      return new Promise(() => {});
    };
    navigator.locks
      .request(`console-tab:${name}`, { signal: AbortSignal.timeout(WAIT_MS) }, hold)
      .catch(() => resolve(false));
  });
}

/** The tabs that are open now, as a test for `Store.takeDraft`. */
export async function openTabs() {
  if (!navigator.locks) return () => false;
  const { held: locks } = await navigator.locks.query();
  const names = new Set(locks.map((lock) => lock.name));
  return (tab) => names.has(`console-tab:${tab}`);
}
