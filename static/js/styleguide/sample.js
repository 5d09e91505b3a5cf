/** The made-up game, entries typed into it, and the panel at rest. */
import { Entry } from "../console/entry/entry.js";
import { nextSnapWords } from "../console/entry/next_snap.js";
import { readyEntry } from "../console/entry/recording.js";
import { ACTIONS, cmd, known, readJson, setup } from "../console/page.js";
import { drawHandover, handoverView } from "../console/queue/handover.js";
import {
  drawCaret,
  drawLease,
  drawLine,
  drawNotices,
  drawOffers,
  drawPrompt,
  drawStrip,
  drawUnsent,
  say,
} from "../console/panel/screen.js";
import { drawSwitches } from "../console/panel/switches.js";
import { idleView, leaseView, stripOf, viewOf } from "../console/panel/views.js";
import { withUnsent } from "../console/situation.js";

export { known, setup };
const situations = readJson("situations");
/** The server's words on the record, from clear to practice. @type {{state: string, words: string}[]} */
export const lines = readJson("lines");
const CONSOLE = `${setup.member}:sample`;
export const MINE = /** @type {any} */ ({ state: "mine", own: CONSOLE });

/** The situation, as the server has it. @param {string} name  of the situation */
export const serverIn = (name) => situations[name];

/**
 * The situation as the prompts know it.
 * @param {string} name @param {any[]} items  not accepted yet
 */
export const contextIn = (name, items = []) => ({
  ...withUnsent(situations[name], items, known),
  ...known,
});

/**
 * An entry with these answers.
 * @param {string} name  of the situation @param {string} action @param {string[]} answers
 */
export function entryIn(name, action, ...answers) {
  const key = setup.keys[action];
  const entry = new Entry(key, ACTIONS[key], contextIn(name));
  for (const answer of answers) {
    const taken = /** @type {any} */ (entry.take(answer));
    if (taken.error) throw new Error(`${action}, ${answer}: ${taken.error}`);
    if (taken.fetch)
      entry.answer({
        ...situations[name].recent.find(({ numbers }) => numbers.includes(taken.fetch)),
        label: `#${taken.fetch}`,
      });
  }
  return entry;
}

/** Draws an entry in hand, with this text on the line. */
export function drawEntry(name, entry, text = "", { correcting = "", moved = [] } = {}) {
  const view = viewOf(entry, text, contextIn(name), correcting);
  const isWhole = !entry.step && !entry.action.corrects;
  const next = isWhole ? nextSnapWords(entry, { server: situations[name], items: [], known }) : "";
  cmd.value = text;
  drawPrompt({ ...view, next, consequences: [...view.consequences, ...moved] });
  drawOffers(entry.offers(text), null);
}

/**
 * A recorded entry that the server has not accepted yet.
 * @param {string} key @param {string} state @param {Entry} entry @param {any} more
 */
export function unsentItem(key, state, entry, more = {}) {
  const { situation } = entry;
  const { made } = readyEntry(entry, {
    server: situation,
    situation,
    context: situation,
    correcting: "",
    own: CONSOLE,
    held: null,
  });
  return /** @type {any} */ ({ ...made, key, state, fault: "", ...more });
}

/** A queue of the browser. @param {any[]} items @param {any} more */
export const queueOf = (items, more = {}) =>
  /** @type {any} */ ({
    items,
    leaving: 0,
    keeps: true,
    leads: true,
    refused: items.find(({ state }) => ["refused", "held"].includes(state)) ?? null,
    held: items.find(({ state }) => state === "held") ?? null,
    ...more,
  });

/** Draws the console at rest. */
export function drawRest() {
  const s = contextIn("between");
  cmd.value = "";
  drawSwitches({ light: "auto", oneLine: false });
  drawLease(leaseView(MINE, 0));
  drawLine(lines[0]);
  drawStrip(stripOf({ ...serverIn("between"), ...known }, s));
  drawNotices([]);
  drawOffers([], null);
  drawCaret(null);
  drawHandover(handoverView([], null), []);
  drawUnsent([]);
  drawPrompt(idleView(s, undefined));
  say("");
}
