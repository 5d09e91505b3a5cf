/**
 * The console's wiring: keys in, prompts and sentences out, entries to the queue.
 *
 * What is where:
 * - actions/: one file for each action: its questions, the bodies that follow and their sentences
 *   (catalogue.js lists them, index.js puts them on the keys; actions/shared/ is what several need);
 * - entry/: one entry on its way to a sentence (entry.js, words.js), kinds of questions
 *   (fields.js), warnings, consequences, drafts;
 * - line/: a whole play in one line, read into the answers of the guided entry;
 * - panel/: where keys come in (keyboard.js), what each mode says (views.js), drawing (screen.js);
 * - queue/: entries that the server has not accepted (queue.js), kept in the browser's database
 *   (store.js), the lease of the game, hand-over and work without a network;
 * - rules/: the rules of the next snap, as the server has them;
 * - here: the page's data (page.js), its poll (poll.js), rosters and the situation; leave.js on
 *   every page of a scorer; sw.js, which keeps the console for a reload without a network.
 */
import { JOINS } from "./actions/shared/opening.js";
import { TypeAhead } from "./entry/ahead.js";
import { draftOf, KeptDraft, nameTab, openTabs, pack, unpack } from "./entry/draft.js";
import { Entry } from "./entry/entry.js";
import { followingOf } from "./entry/following.js";
import { nextSnapWords } from "./entry/next_snap.js";
import { Comparison, corrected, drawHandover, handoverView } from "./queue/handover.js";
import { listen } from "./panel/keyboard.js";
import { Lease } from "./queue/lease.js";
import { LineControl, SWITCH } from "./line/control.js";
import { movementAfter } from "./line/opening.js";
import { caretOf, lineView } from "./line/view.js";
import { nextPick } from "./entry/fields.js";
import { isKept, keepPage, Live } from "./queue/offline.js";
import { ACTIONS, cmd, fill, known, readJson, setup } from "./page.js";
import { answeredLater, listenToPolls } from "./poll.js";
import { Preview } from "./entry/preview.js";
import { Queue } from "./queue/queue.js";
import { readyEntry, whyImpossible } from "./entry/recording.js";
import {
  drawCaret,
  drawLease,
  drawLine,
  drawNotices,
  drawOffers,
  drawPrompt,
  drawStrip,
  drawUnsent,
  openHelp,
  say,
  sayHindrance,
  sayRecorded,
  sayRefused,
  sayTakenOut,
  unveil,
} from "./panel/screen.js";
import {
  applyView,
  drawSwitches,
  listenToFind,
  listenToSwitches,
  nextLight,
} from "./panel/switches.js";
import { sender } from "./queue/send.js";
import { Settings } from "./settings.js";
import { withUnsent } from "./situation.js";
import { Store } from "./queue/store.js";
import {
  keyFault,
  leaseView,
  lineOf,
  noticesOf,
  restingView,
  stripOf,
  viewOf,
} from "./panel/views.js";
import { droppedBy, othersRows, theirsView, toCompare, WaitingEntries } from "./queue/waiting.js";

let server = readJson("situation");
let situation = withUnsent(server, [], known);
let online = !isKept();
/** @type {Entry|null} */ let entry = null;
/** @type {{entry: Entry, text: string}|null} what was left with Esc */
let aside = null;
let pick = null; // the arrow keys' choice among the offers, or null
// the key of the refused entry that the one in hand corrects; empty: it corrects none
let correcting = "";
const settings = new Settings(setup.member);
const oneLine = new LineControl(settings, ACTIONS);
/** @type {object|null} the undo that waits for the answer to the last entry */
let undoing = null;
let elsewhere = []; // entries that wait in this browser for another game or another scorer

const store = new Store({ game: setup.game, scorer: setup.member, name: setup.name }, nameTab());
const live = new Live(store, setup.asOf, setup.release);
const sources = { pack, unpack: (saved) => unpack(saved, ACTIONS, known) };
const preview = new Preview(setup, () => draw());
const lease = new Lease(setup, learn);

const queue = new Queue(store, sender(setup, lease, learn), sources, {
  changed: () => {
    drawUnsent(queue.items);
    sayHindrance(queue.items[0], Boolean(entry));
    refresh();
  },
  accepted(item, answer) {
    online = true;
    sayRecorded(answer.accepted, item?.made?.changed);
    learn(answer.situation);
    live.learned(answer.situation);
    window.htmx?.trigger("#live", "refresh");
  },
  refused: sayRefused,
  late,
});

const keptDraft = new KeptDraft((typing) => queue.saveDraft(typing));
const context = () => ({ ...situation, ...known });
const comparison = new Comparison(setup.sinceUrl, () => draw());
const waiting = new WaitingEntries(setup, queue, lease, learn);
const others = () => othersRows(server.waiting, lease);

/** Takes the server's situation, unless it is older than what is known. */
function learn(fresh) {
  if (fresh.next_event >= server.next_event) server = fresh;
  const wasOpen = lease.open;
  lease.see(fresh.lease);
  if (lease.open && !wasOpen) queue.pump();
  refresh();
}

/**
 * Recomputes the situation with the unsent entries on top, unless the lease is lost. A new entry
 * starts from the newest situation.
 */
function refresh() {
  known.roster.learn(
    server.people ?? [],
    queue.items.flatMap((item) => item.entries.map((event) => event.body)),
  );
  situation = withUnsent(server, ownItems(), known);
  if (entry && !entry.asked.length && !correcting) entry.situation = context();
  compare();
  draw();
}

/** Loads the record with which both sides' first entries are compared. */
function compare() {
  waiting.settle(server.waiting);
  comparison.ask(toCompare(queue.held, others()[0]), server.version);
}

function draw() {
  drawLease(leaseView(lease, queue.items.length));
  drawStrip(stripOf({ ...server, ...known }, context()));
  drawLine(lineOf(queue, online, server.line, live.time));
  drawNotices(noticesOf(queue, elsewhere, setup.member));
  drawOffers(entry ? entry.offers(cmd.value) : [], pick);
  const line = isLine() ? oneLine.read(cmd.value, context()) : null;
  drawCaret(line && caretOf(cmd.value, line.fault));
  drawHandover(
    handoverView(
      queue.held ? queue.items : [],
      comparison.found,
      droppedBy(server.waiting, lease.own),
    ),
    theirsView(others(), comparison.found),
  );
  const resting = {
    held: queue.held,
    lease,
    isRead: Boolean(comparison.found),
    aside: aside?.entry,
    isOneLine: oneLine.isOn,
  };
  if (line) drawPrompt(lineView(line, context(), nextWords(line.fault ? null : line.entry)));
  else if (entry) drawPrompt(entryView());
  else drawPrompt(restingView(context(), resting));
  applyView(settings);
  drawSwitches(settings);
  keptDraft.keep(draft());
}

/** What the entry in hand says, and what it would change. */
function entryView() {
  const view = viewOf(entry, cmd.value, context(), correcting, following());
  const isWhole = !entry.step || entry.isClosedBy(cmd.value);
  if (view.tone === "fault" && !entry.step && !correcting) return view;
  const next = isWhole && !correcting && !entry.action.corrects ? nextWords(entry) : "";
  return preview.shown({ ...view, next }, entry, queue.items.length);
}

/** The snap after an entry whose sentence is whole; "" for none. */
const nextWords = (whole) =>
  whole ? nextSnapWords(whole, { server, items: ownItems(), known }) : "";

/** Whether the command line is a one-line entry now. */
const isLine = () => !entry && !queue.held && lease.open && oneLine.takes(cmd.value);

const following = () =>
  entry.step
    ? null
    : followingOf(entry, {
        server,
        items: ownItems().filter((item) => item.key !== correcting),
        known,
      });

/** The entries that count before the server has answered: none of a lost lease. */
const ownItems = () => (queue.held || !lease.open ? [] : queue.items);

const draft = () => draftOf(entry, cmd.value, aside, correcting, isLine());
/** Offers again the text that was being typed when the page was left. */
function offerAgain(left) {
  keptDraft.start();
  const hand = sources.unpack(left?.hand);
  const laid = sources.unpack(left?.aside?.entry);
  if (laid) aside = { entry: laid, text: left.aside.text };
  if (hand) offerHand(hand, left);
  else if (left?.isLine && !entry) {
    oneLine.turned = !settings.oneLine;
    fill(left.text);
  }
  draw();
}

/**
 * Restores the entry in hand. A correction continues. Another entry is set aside, or continues if
 * one is set aside already.
 */
function offerHand(hand, { correcting: key, text }) {
  if (key && queue.refused?.key === key) {
    if (hand.step && text) hand.drafts[hand.step.name] = text;
    queue.resume(key, hand);
  } else if (aside && !entry) begin(hand, text);
  else aside = { entry: hand, text };
}

/** Another tab was faster with this correction. */
function late(item) {
  if (item.source) aside = { entry: item.source, text: "" };
  say(
    "Another tab corrected or dropped the refused entry. This one was not sent: press a to enter it as a new one.",
    "fault",
  );
}

/** Handles a key while nothing is being entered. @param {string} pressed */
function press(pressed) {
  const ofView = entry ? undefined : VIEW_KEYS[pressed];
  return ofView ? ofView() : pressOfGame(pressed);
}

/** @param {string} pressed */
function pressOfGame(pressed) {
  if (pressed === "?") return openHelp();
  if (pressed === "T" && lease.state !== "mine") return lease.takeOver(say);
  if (!entry && queue.held && "zS".includes(pressed))
    return pressed === "z" ? drop() : sendCompared();
  if (!lease.open)
    return say(
      `${leaseView(lease, queue.items.length).words} ‘${pressed}’ does nothing while you watch. Shift+T takes the game over.`,
      "fault",
    );
  if (entry) return undefined;
  if ("AZ".includes(pressed) && others().length)
    return waiting.take(others()[0], pressed === "Z", Boolean(comparison.found));
  return pressWhileScoring(pressed.toLowerCase());
}

/** Handles a key of the scorer who has the game. @param {string} key */
function pressWhileScoring(key) {
  if (key === SWITCH) return turnWay();
  if (key === "a") return takeUp();
  if (key === "z" && (queue.refused ?? aside)) return drop();
  const action = ACTIONS[key];
  if (!action && BEGINS_SNAP.test(key)) return beginSnap(key);
  if (action?.name === "undo" && queue.items.length) return takeBackUnsent();
  const fault = keyFault(key, action, context());
  if (fault) return say(fault, "fault");
  begin(new Entry(key, action, context()));
  return undefined;
}

/** Keys of the view, which work while nothing is being entered. */
const VIEW_KEYS = {
  L: () => setWay(),
  D: () => setLight(),
  "+": () => resize(1),
  "-": () => resize(-1),
  "/": () => document.getElementById("find").focus(),
};

function setLight() {
  settings.set({ light: nextLight(settings.light) });
  draw();
}

/** @param {number} steps  bigger or smaller */
function resize(steps) {
  settings.resize(steps);
  draw();
}

const BEGINS_SNAP = /[\d:]/;

/** A digit begins the snap with its clock. */
function beginSnap(digit) {
  const key = setup.keys.snap;
  begin(new Entry(key, ACTIONS[key], context()));
  cmd.value = digit;
  draw();
}

/** Sets how entries are made from now on: in one line, or question by question. */
function setWay() {
  oneLine.turned = false;
  settings.set({ oneLine: !settings.oneLine });
  say(
    settings.oneLine
      ? "One-line entry is on. Shift+L goes back to questions."
      : "One-line entry is off. Plays are asked question by question.",
  );
  draw();
}

/** One entry the other way: in one line, or question by question. */
function turnWay() {
  oneLine.turned = !oneLine.turned;
  say(oneLine.isOn ? "In one line. Esc goes back." : "Question by question: press its key.");
  draw();
}

/**
 * Drops the refused entry that holds up the others, else what was set aside.
 */
function drop() {
  const { refused } = queue;
  if (refused)
    return layAside(
      queue.dropRefused(),
      "Dropping it …",
      `Dropped.${refused.source ? " Press a to resume it as a new entry." : ""}`,
    );
  say(`Dropped: ${aside.entry.action.title.toLowerCase()}.`);
  aside = null;
  return draw();
}

/** Sends the entry that was compared with the record. */
function sendCompared() {
  const { entry: item, fault } = comparison.release(queue.held, server, lease);
  say(fault ?? "Sending …", fault ? "fault" : "plain");
  if (item) queue.replaceRefused(item, draft());
}

/** Takes back an entry that the server has not seen, by not sending it. */
function takeBackUnsent() {
  const taken = queue.takeBackLast();
  if (taken)
    return layAside(taken, "Undoing …", "Undone before it was sent. Press a to resume it.");
  return undoOnceRecorded();
}

/** Begins the undo when the last entry is recorded; what is typed meanwhile waits for it. */
async function undoOnceRecorded() {
  const asked = {};
  undoing = asked;
  say("The last entry is being sent. The undo starts once it is recorded.");
  await ahead.during(async () => {
    const isRecorded = await queue.answered();
    if (undoing !== asked) return false;
    undoing = null;
    if (isRecorded) pressWhileScoring(setup.keys.undo);
    else
      say(
        "The last entry is being sent and may already be recorded. Undo it when you are back online.",
        "fault",
      );
    return isRecorded;
  });
}

/** Sets aside an entry from the queue, and says so once it is off the disk. */
function layAside({ item, gone: isOut }, underWay, done) {
  if (item.source) aside = { entry: item.source, text: "" };
  return sayTakenOut(underWay, isOut, done, () => {
    if (aside?.entry === item.source) aside = null;
    draw();
  });
}

function begin(next, text = "") {
  lease.hold();
  oneLine.turned = false;
  entry = next;
  fill(text);
  pick = null;
  say("");
  draw();
  cmd.focus();
}

/** Resumes the entry that the server refused, or the one that was set aside. */
function takeUp() {
  if (queue.refused) {
    const { key, source, fault } = queue.refused;
    if (!source)
      return say(
        "This entry comes from another version of the console and can’t be changed. Press z to drop it, then enter it again.",
        "fault",
      );
    correcting = key;
    begin(source, source.drafts[source.step?.name] ?? "");
    return say(fault, "fault");
  }
  if (!aside) return say("Nothing is set aside.", "fault");
  const { entry: left, text } = aside;
  aside = null;
  begin(left, text);
  return undefined;
}

function enter(all) {
  if (isLine()) return enterLine();
  // a second Enter after recording cannot record anything twice
  if (!entry) return undefined;
  if (!entry.step) return record();
  const isWhole = entry.action.direct || entry.isClosedBy(cmd.value);
  const taken = all ? entry.takeAll(cmd.value, pick) : entry.take(cmd.value, pick);
  if ("error" in taken) return say(taken.error, "fault");
  if ("fetch" in taken) return lookUp(taken, all);
  if (all) return settle();
  return isWhole && !entry.step ? record() : settle();
}

/** Records a whole line. One that only goes on is asked for, question by question. */
function enterLine() {
  const text = cmd.value;
  const { entry: read, fault } = oneLine.read(text, context());
  if (fault && !fault.isOpen) return say(`${fault.message} Nothing is recorded.`, "fault");
  if (!read) return say(fault.message, "fault");
  const cannotBe = fault ? "" : whyImpossible(read, context());
  if (cannotBe) return say(`${cannotBe} Nothing is recorded.`, "fault");
  oneLine.end(text);
  begin(read);
  return fault ? undefined : record();
}

/** After an answer: shows the next question, with the text once typed there. */
function settle() {
  pick = null;
  fill(entry.step ? (entry.drafts[entry.step.name] ?? "") : "");
  say("");
  draw();
}

/** Ends the entry in hand. */
function putDown() {
  entry = null;
  pick = null;
  cmd.value = "";
}

function record() {
  const corrects = correcting;
  const { made: item, fault } = readyEntry(entry, {
    server,
    situation,
    context: context(),
    correcting,
    own: lease.own,
    held: queue.held,
  });
  if (fault) return say(fault, "fault");
  putDown();
  correcting = "";
  say("Sending …");
  if (!corrects) queue.add(item, draft());
  else if (queue.refused?.key === corrects)
    queue.replaceRefused(corrected(item, corrects), draft());
  else late(item);
  return undefined;
}

function back() {
  undoing = null;
  if (isLine() || oneLine.turned) return clearLine();
  if (!entry) return say("Ready.");
  const text = cmd.value;
  const question = entry.step?.name;
  if (entry.back(text)) {
    pick = null;
    fill(entry.step && entry.step.name !== question ? (entry.drafts[entry.step.name] ?? "") : "");
    say("");
    return draw();
  }
  const left = { entry, text };
  putDown();
  if (correcting)
    say(
      queue.held
        ? "It is still waiting. Shift+S sends it, z drops it, a changes it."
        : "The refused entry is still waiting. a corrects it, z drops it.",
      "fault",
    );
  else if (left.entry.isBegun(text)) {
    aside = left;
    say("Set aside. Press a to resume it.");
  } else say("Ready.");
  correcting = "";
  return draw();
}

function clearLine() {
  oneLine.end(cmd.value);
  cmd.value = "";
  say("Cleared. ↑ brings the line back.");
  return draw();
}

/** @param {boolean} all  whether the likeliest answer of every question after it is taken */
async function lookUp(taken, all) {
  const [asking, step] = [entry, entry.step];
  const fault = await answeredLater(ahead, setup, taken, step, {
    isAsked: () => entry === asking && entry.step?.name === step.name,
    take(answer) {
      entry.answer(answer);
      if (all) entry.takeRest();
      settle();
    },
  });
  if (fault) say(fault, "fault");
}

function move(step) {
  if (!entry && oneLine.isOn && step < 0) {
    cmd.value = oneLine.previous() || cmd.value;
    return draw();
  }
  const offers = entry?.offers(cmd.value) ?? [];
  if (!offers.length) return;
  pick = nextPick(offers, pick, step);
  draw();
  document.getElementById(`offer-${pick}`)?.scrollIntoView({ block: "nearest" });
}

/**
 * The text changed: it may be a key while ready, an answer where one key is enough, or a filter of
 * the offers.
 */
function typed() {
  const text = cmd.value;
  pick = null;
  if (isLine()) {
    lease.hold();
    return draw();
  }
  if (!entry || text.trim() === "?") {
    cmd.value = "";
    const key = text.trim().slice(-1);
    return key ? press(key) : draw();
  }
  if (text.trim() === JOINS && entry.toggleJoin()) return settle();
  if (!entry.step) return typedAtEnd(text.trim());
  if (goesOn(text)) return undefined;
  if (entry.field().instant && text.trim()) {
    cmd.value = "";
    const taken = entry.take(text.trim().slice(-1));
    return "error" in taken ? say(taken.error, "fault") : settle();
  }
  return draw();
}

/** Whether the text goes on at another question, or behind the snap: then it does. */
function goesOn(text) {
  if (entry.action.name === "snap") return goesOnBehind(text);
  const left = entry.passOn(text.trim());
  if (left === null) return false;
  say("");
  cmd.value = left;
  draw();
  return true;
}

/** Opens a play with the snap that is typed, if the key of a movement follows it. */
function goesOnBehind(text) {
  const movement = movementAfter(text, ACTIONS, context());
  if (!movement || correcting) return false;
  const opened = new Entry(movement.key, movement.action, context());
  opened.answers.opensWith = movement.snap;
  begin(opened);
  return true;
}

/** A key at a complete sentence: the key of an action records it and begins the next entry. */
function typedAtEnd(text) {
  cmd.value = "";
  if (!text) return undefined;
  if (!ACTIONS[text[0].toLowerCase()])
    return say("Enter records this sentence, Esc goes back to change it.", "fault");
  record();
  if (entry) return undefined;
  if (!oneLine.takes(text[0])) return press(text[0]);
  cmd.value = text[0];
  return typed();
}

function choose(index) {
  if (entry) pick = index;
  enter(false);
}

const ahead = new TypeAhead(cmd, { typed, enter, back, move, choose });
listen(cmd, ahead.handlers);

listenToFind(cmd);
listenToSwitches({
  setWay: () => fromButton(setWay),
  resize: (steps) => fromButton(() => resize(steps)),
  setLight: () => fromButton(setLight),
});

/** The command line has the focus again. @param {() => void} act */
function fromButton(act) {
  act();
  cmd.focus();
}

listenToPolls(lease.id, {
  shown: () => learn(readJson("situation")),
  answered(ok, xhr) {
    const was = online;
    online = ok;
    if (online) live.seen(xhr);
    if (online && !was) queue.pump();
    if (online !== was) draw();
    compare();
  },
});
window.addEventListener("online", () => queue.pump());
window.addEventListener("beforeunload", (event) => {
  // saved drafts need no warning
  if (queue.risky || (!queue.keeps && (isLine() || entry?.isBegun(cmd.value))))
    event.preventDefault();
});

unveil(ACTIONS, (key) => {
  press(key);
  cmd.focus();
});
document.getElementById("take").addEventListener("click", () => {
  lease.takeOver(say);
  cmd.focus();
});
lease.see(server.lease);
draw();
cmd.focus();

keepPage(setup.pageUrl);
await queue.open();
try {
  if (isKept()) for (const answer of await live.restore()) learn(answer);
  elsewhere = await store.elsewhere();
  offerAgain(await store.takeDraft(await openTabs()));
} catch (error) {
  // the queue has shown it on the line
  console.warn("This browser’s storage can’t be read:", error);
}
