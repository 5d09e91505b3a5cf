/**
 * The console's wiring: keys in, prompts and sentences out, entries to the queue.
 * Football is in actions/, questions in fields.js, state in entry.js, drawing in screen.js.
 */
import { actionsOn } from "./actions/index.js";
import { lean } from "./actions/parts.js";
import { advance } from "./ball.js";
import { draftOf, nameTab, openTabs, pack, unpack } from "./draft.js";
import { Entry } from "./entry.js";
import { listen } from "./keyboard.js";
import { Lease } from "./lease.js";
import { isKept, keepPage, Live } from "./offline.js";
import { Queue } from "./queue.js";
import { Roster } from "./roster.js";
import { drawLease, drawLine, drawNotices, drawOffers, drawPrompt, drawUnsent, openHelp, say, sayOutcome, unveil } from "./screen.js";
import { sendEntry } from "./send.js";
import { Store } from "./store.js";
import { idleView, leaseView, lineOf, noticesOf, viewOf, watchView } from "./views.js";
import { sentenceOf } from "./words.js";

const readJson = (id) => JSON.parse(document.getElementById(id).textContent);
const setup = readJson("setup");
const ACTIONS = actionsOn(setup.keys);
const roster = new Roster(readJson("roster"));
const other = (club) => (club === setup.clubs.home ? setup.clubs.away : setup.clubs.home);
const cmd = document.getElementById("cmd");

let server = readJson("situation");
let situation = server;
let online = !isKept();
/** @type {Entry|null} */
let entry = null;
/** @type {{entry: Entry, text: string}|null} what was left with Esc */
let aside = null;
/** the arrow keys' choice among the offers, or null */
let pick = null;
/** the key of the refused entry that the one in hand corrects; empty: it corrects none */
let correcting = "";
/** entries that wait in this browser for another game or another scorer */
let elsewhere = [];
/** which entry's hindrance was said last: said once, not at every try */
let told = "";
/** the draft that was kept last, as text; null until the one of before the reload is taken up */
let drafted = null;

const store = new Store({ game: setup.game, scorer: setup.member, name: setup.name }, nameTab());
const live = new Live(store, setup.asOf);
const sources = { pack, unpack: (kept) => unpack(kept, ACTIONS, { clubs: setup.clubs, keys: setup.keys, roster, other }) };
const lease = new Lease(setup, (fresh) => learn(fresh));

/** Sends while the game is ours; an entry of a lost lease waits here, and is never sent by itself. */
async function send(item) {
  const fault = await lease.hold();
  if (fault) return { ok: false, refused: false, fault: lease.open ? fault : leaseView(lease, 0).words };
  const sent = await sendEntry(setup, item, lease.id);
  if (sent.situation) learn(sent.situation);
  return sent;
}

const queue = new Queue(store, send, sources, {
  changed: () => {
    drawUnsent(queue.items);
    const first = queue.items[0];
    const hindered = first?.state === "retrying" ? `${first.key} ${first.fault}` : "";
    if (hindered && hindered !== told && !entry) say(`Not sent (${first.fault}): kept here and tried again every 2 seconds.`, "fault");
    if (!first || hindered) told = hindered;
    refresh();
  },
  accepted(item, answer) {
    online = true;
    const numbers = answer.accepted.map((one) => one.event_number);
    const range = numbers.length > 1 ? `#${numbers[0]} to #${numbers.at(-1)}` : `#${numbers[0]}`;
    say(`Recorded as ${range}, play ${answer.accepted.at(-1).play_number}.`, "good");
    learn(answer.situation);
    live.learned(answer.situation);
    window.htmx?.trigger("#live", "refresh");
  },
  refused: (item) => say(`Refused: ${item.fault} Press a to correct it, z to drop it. What came after it waits.`, "fault"),
  late,
});

const context = () => ({ ...situation, clubs: setup.clubs, keys: setup.keys, roster, other, unsent: queue.items.length });

/** Takes the server's situation, unless it is older than what is known. */
function learn(fresh) {
  if (fresh.next_event >= server.next_event) server = fresh;
  const wasOpen = lease.open;
  lease.see(fresh.lease);
  if (lease.open && !wasOpen) queue.pump();
  refresh();
}

/** The situation with the unsent entries on top; an entry that is not begun starts from the newest. */
function refresh() {
  const unsent = queue.items.flatMap((item) => item.entries.map((one) => one.body));
  situation = unsent.reduce((now, body) => advance(now, body, other), server);
  if (entry && !entry.asked.length && !correcting) entry.situation = context();
  draw();
}

function draw() {
  drawLease(leaseView(lease, queue.items.length));
  drawLine(lineOf(queue, online, server.line, live.time));
  drawNotices(noticesOf(queue, elsewhere, setup.member));
  drawOffers(entry ? entry.offers(cmd.value) : [], pick);
  const idle = lease.open ? idleView(context(), aside?.entry) : watchView(lease);
  drawPrompt(entry ? viewOf(entry, cmd.value, context(), correcting) : idle);
  keepDraft();
}

const draft = () => draftOf(entry, cmd.value, aside, correcting);

/** Keeps what is being typed, when it changed. */
function keepDraft() {
  const text = JSON.stringify(draft());
  if (drafted === null || text === drafted) return;
  drafted = text;
  queue.saveDraft(draft());
}

/** Offers again what was being typed when the page was left. */
function offerAgain(left) {
  drafted = "";
  const hand = sources.unpack(left?.hand);
  const laid = sources.unpack(left?.aside?.entry);
  if (laid) aside = { entry: laid, text: left.aside.text };
  if (hand && left.correcting && queue.refused?.key === left.correcting) {
    if (hand.step && left.text) hand.drafts[hand.step.name] = left.text;
    queue.resume(left.correcting, hand);
  } else if (hand && aside && !entry) begin(hand, left.text);
  else if (hand) aside = { entry: hand, text: left.text };
  draw();
}

/** A correction that another tab was faster with: nothing is sent, nothing is lost. */
function late(made) {
  if (made.source) aside = { entry: made.source, text: "" };
  say("Another tab corrected or dropped the refused entry. This one was not sent: press a to enter it as a new one.", "fault");
}

/** Takes the game, from another scorer too: one deliberate key, which the other one sees. */
async function takeOver() {
  const { ok, fault } = await lease.take(true);
  if (ok) say("The game is yours.", "good");
  else if (fault) say(`The game cannot be taken: ${fault}${fault.endsWith(".") ? "" : "."}`, "fault");
}

/** A key while nothing is being entered. */
function press(typed) {
  if (typed === "?") return openHelp();
  if (!lease.open) {
    if (typed === "T") return takeOver();
    return say(`${leaseView(lease, queue.items.length).words} ‘${typed}’ does nothing while you watch: Shift+T takes the game over.`, "fault");
  }
  const key = typed.toLowerCase();
  if (entry) return undefined;
  if (key === "a") return takeUp();
  if (key === "z" && queue.refused) {
    const after = queue.refused.source ? " Press a to take it up again as a new entry." : "";
    return layAside(queue.dropRefused(), "Dropping it …", `Dropped.${after}`);
  }
  const action = ACTIONS[key];
  if (!action) return say(`Nothing is on the key ‘${key}’. Press ? for all keys.`, "fault");
  if (action.needsBall && !situation.ball) return say(`Nothing was snapped yet: press ${setup.keys.snap} for the first snap, ${setup.keys.game} for the start of the game.`, "fault");
  if (action.name === "undo" && queue.items.length) return takeBackUnsent();
  if (["undo", "replace"].includes(action.name) && !situation.recent.length) return say("There is nothing to take back.", "fault");
  begin(new Entry(key, action, context()));
  return undefined;
}

/** Undo of an entry that the server has not seen: it is simply not sent. */
function takeBackUnsent() {
  const taken = queue.takeBackLast();
  if (!taken) return say("The last entry is on its way and may be recorded already: undo it when the line is back.", "fault");
  return layAside(taken, "Taking it back …", "Taken back before it was sent. Press a to take it up again.");
}

/** What was taken out of the queue can be taken up again. It is said to be out when the disk has forgotten it. */
function layAside({ item, gone }, underWay, done) {
  if (item.source) aside = { entry: item.source, text: "" };
  return sayOutcome(underWay, gone.then((out) => {
    if (out) return { text: done, tone: "plain" };
    if (aside?.entry === item.source) aside = null;
    draw();
    return { text: "The last entry was not taken out: this browser does not forget it, or another tab was faster. It is among the unsent, or recorded.", tone: "fault" };
  }));
}

function begin(next, text = "") {
  lease.hold();
  entry = next;
  fill(text);
  pick = null;
  say("");
  draw();
  cmd.focus();
}

/** Puts back what was typed once, selected: Enter takes it, typing replaces it. */
function fill(text) {
  cmd.value = text;
  if (text) cmd.select();
}

/** Goes on with the entry that the server refused, or with the one that was set aside. */
function takeUp() {
  if (queue.refused) {
    const { key, source, fault } = queue.refused;
    if (!source) return say("This entry comes from another version of the console and cannot be changed: press z to drop it, then enter it anew.", "fault");
    correcting = key;
    begin(source, source.drafts[source.step?.name] ?? "");
    return say(fault, "fault");
  }
  if (!aside) return say("Nothing was set aside.", "fault");
  const { entry: left, text } = aside;
  aside = null;
  begin(left, text);
  return undefined;
}

function enter(all) {
  if (!entry) return undefined; // a second Enter after recording: there is nothing left that could double
  if (all && entry.step) {
    entry.takeRest();
    return settle();
  }
  if (!entry.step) return record();
  const taken = entry.take(cmd.value, pick);
  if ("error" in taken) return say(taken.error, "fault");
  if ("fetch" in taken) return fetchEvent(taken.fetch);
  if (entry.action.direct && !entry.step) return record();
  return settle();
}

/** After an answer: the next question, with what was once typed there. */
function settle() {
  pick = null;
  fill(entry.step ? (entry.drafts[entry.step.name] ?? "") : "");
  say("");
  draw();
}

function record() {
  const bodies = entry.bodies.map(lean);
  const made = {
    entries: bodies.map((body) => ({ body, play_number: entry.playNumber })),
    words: sentenceOf(bodies, context()),
    source: entry,
  };
  const corrects = correcting;
  entry = null;
  correcting = "";
  cmd.value = "";
  pick = null;
  say("Sending …");
  if (!corrects) queue.add(made, draft());
  else if (queue.refused?.key === corrects) queue.replaceRefused(made, draft());
  else late(made);
}

function back() {
  if (!entry) return say("Ready.");
  const text = cmd.value;
  const drafted = entry.step?.name;
  if (entry.back(text)) {
    pick = null;
    fill(entry.step && entry.step.name !== drafted ? (entry.drafts[entry.step.name] ?? "") : "");
    say("");
    return draw();
  }
  const left = { entry, text };
  entry = null;
  cmd.value = "";
  pick = null;
  if (correcting) say("The refused entry still waits: a corrects it, z drops it.", "fault");
  else if (left.entry.isBegun(text)) {
    aside = left;
    say("Set aside, nothing is lost: a takes it up again.");
  } else say("Ready.");
  correcting = "";
  return draw();
}

/** An event that is older than the list: asked for by its number. */
async function fetchEvent(number) {
  const asking = entry;
  try {
    const response = await fetch(`${setup.eventUrl}/${number}`);
    if (!response.ok) return say(response.status === 404 ? `There is no event ${number} in this game.` : `The server answered ${response.status}.`, "fault");
    const found = await response.json();
    if (entry !== asking || !entry.step) return undefined;
    const label = `#${number}`;
    if (entry.step.fetch === "entry" && !found.stands) return say(`Event ${number} is struck out already: ${setup.keys.overturn} brings it back with a new ruling.`, "fault");
    entry.answer({ ...found, label, numbers: [number], undo: [{ type: "nullify", events: [number], reason: "taken back by the scorer" }] });
    return settle();
  } catch {
    return say(`Event ${number} cannot be read while the line is down; the last ones are in the list.`, "fault");
  }
}

function move(step) {
  const count = entry ? entry.offers(cmd.value).length : 0;
  if (!count) return;
  const offers = entry.offers(cmd.value);
  const from = pick ?? Math.max(0, offers.findIndex((offer) => offer.note === "Enter"));
  pick = (from + step + count) % count;
  draw();
  document.getElementById(`offer-${pick}`)?.scrollIntoView({ block: "nearest" });
}

/** Text changed: a key while ready, an answer where one key is enough, else what is offered. */
function typed() {
  const text = cmd.value;
  pick = null;
  if (!entry) {
    cmd.value = "";
    const key = text.trim().slice(-1);
    return key ? press(key) : undefined;
  }
  if (text.trim() === "?") {
    cmd.value = "";
    return openHelp();
  }
  if (!entry.step) {
    cmd.value = "";
    return say("Enter records this sentence, Esc goes back to change it.", "fault");
  }
  if (entry.field().instant && text.trim()) {
    cmd.value = "";
    const taken = entry.take(text.trim().slice(-1));
    return "error" in taken ? say(taken.error, "fault") : settle();
  }
  return draw();
}

listen(cmd, {
  typed,
  enter,
  back,
  move,
  choose(index) {
    if (!entry) return;
    pick = index;
    enter(false);
  },
});

document.body.addEventListener("htmx:configRequest", (event) => {
  if (event.detail.elt.id === "live") event.detail.headers["X-Console"] = lease.id;
});
document.body.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target.id === "live" || event.target.id === "live") learn(readJson("situation"));
});
document.body.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.elt.id !== "live") return;
  const was = online;
  online = event.detail.xhr.status >= 200 && event.detail.xhr.status < 400;
  if (online) live.seen(event.detail.xhr);
  if (online && !was) queue.pump();
  if (online !== was) draw();
});
window.addEventListener("online", () => queue.pump());
window.addEventListener("beforeunload", (event) => {
  if (queue.risky || (!queue.keeps && entry?.isBegun(cmd.value))) event.preventDefault(); // what is kept needs no warning
});

unveil(ACTIONS, (key) => { press(key); cmd.focus(); });
document.getElementById("take").addEventListener("click", () => { takeOver(); cmd.focus(); });
lease.see(server.lease);
draw();
cmd.focus();

keepPage(setup.pageUrl);
await queue.open();
try {
  if (isKept()) for (const seen of await live.restore()) learn(seen);
  elsewhere = await store.elsewhere();
  offerAgain(await store.takeDraft(await openTabs()));
} catch (error) {
  console.warn("Nothing could be read from this browser's store:", error); // the queue has said so on the line
}
