/**
 * The spotter's page: names on the plays that the scorer enters. The line is read in line.js;
 * entries wait, go and are kept by the console's own queue and store, in a box of their own.
 */
import { nameTab, openTabs } from "../console/entry/draft.js";
import { listen } from "../console/panel/keyboard.js";
import { consoleId } from "../console/queue/lease.js";
import { isKept, keepPage, Live } from "../console/queue/offline.js";
import { listenToPolls } from "../console/poll.js";
import { Queue } from "../console/queue/queue.js";
import { Roster } from "../console/roster.js";
import {
  drawLine,
  drawNotices,
  drawOffers,
  drawUnsent,
  openHelp,
  say,
  sayHindrance,
  sayRecorded,
  sayTakenOut,
  unveil,
} from "../console/panel/screen.js";
import { hindrance, post } from "../console/queue/send.js";
import { Store } from "../console/queue/store.js";
import { lineOf, noticesOf } from "../console/panel/views.js";
import { readLine, ROLES } from "./line.js";
import { drawChosen, drawSpotter, spotterView, wearerOffers } from "./view.js";

const byId = (id) => document.getElementById(id);
const readJson = (id) => JSON.parse(byId(id).textContent);
const setup = readJson("setup");
const roster = new Roster(readJson("roster"));
const cmd = /** @type {HTMLInputElement} */ (byId("cmd"));

let server = readJson("situation");
let online = !isKept();
/** @type {number|null} the play that was chosen; null: always the newest */
let chosen = null;
/**
 * @type {number|null} the play that the line is typed for: a snap that comes meanwhile does not
 *   move it
 */
let target = null;
let correcting = ""; // the key of the refused entry that the line corrects
let elsewhere = []; // entries that wait in this browser for other games and other scorers
// the draft that was kept last; null until the one of before the reload is taken up
/** @type {string|null} */ let drafted = null;

const store = new Store(
  { game: `${setup.game} (spotter)`, scorer: setup.member, name: setup.name },
  nameTab(),
);
const live = new Live(store, setup.asOf, setup.release);
const same = (source) => source; // entries are made of plain data here

/**
 * Sends one entry; a play that is not entered yet, a dead line or an old sign-in mean ‘try again’.
 * @returns {Promise<import("../console/queue/send.js").Sent>}
 */
async function send({ key, entries }) {
  const [{ play_number, credits }] = entries;
  const { response, answer } = await post(setup.spotUrl, {
    key,
    play_number,
    credits,
    scorer: setup.member,
  });
  if (response?.ok && answer) return { ok: true, answer };
  if (response?.status === 422) return { ok: false, refused: true, fault: answer.error };
  if (response?.status === 409) return { ok: false, refused: false, fault: answer.error };
  return { ok: false, refused: false, fault: await hindrance(setup, response) };
}

const queue = new Queue(
  store,
  send,
  { pack: same, unpack: same },
  {
    changed() {
      drawUnsent(queue.items);
      sayHindrance(queue.items[0], Boolean(cmd.value));
      draw();
    },
    accepted(item, answer) {
      online = true;
      sayRecorded(answer.accepted);
      if (setup.isNewest) {
        learn(answer.situation);
        live.learned(answer.situation);
      }
      window.htmx?.trigger("#live", "refresh");
    },
    refused: (item) =>
      say(
        `Refused: ${item.fault} Press a to change it, z to drop it. Later entries wait.`,
        "fault",
      ),
    late: () =>
      say("Another tab changed or dropped the refused entry. This one was not sent.", "fault"),
  },
);

const plays = () => server.plays;
const current = () =>
  plays().find((play) => play.number === (target ?? chosen)) ?? plays()[0] ?? null;

function learn(fresh) {
  if (fresh.next_event >= server.next_event) server = fresh;
  draw();
}

function draw() {
  const play = current();
  const text = cmd.value.trim();
  const reading = play && text ? readLine(text, play, roster) : null;
  drawLine(lineOf(queue, online, server.line, live.time));
  drawNotices(noticesOf(queue, elsewhere, setup.member));
  drawOffers(reading?.open ? wearerOffers(reading.open, roster) : [], null);
  const [newest = null] = plays();
  drawSpotter(spotterView({ play, newest, isAimed: target !== null, reading }));
  drawChosen(play?.number);
  keepDraft();
}

function keepDraft() {
  const draft = cmd.value.trim()
    ? { text: cmd.value, play: current()?.number ?? null, correcting }
    : null;
  const text = JSON.stringify(draft);
  if (drafted === null || text === drafted) return;
  drafted = text;
  queue.saveDraft(draft);
}

function typed() {
  const text = cmd.value.trim().toLowerCase();
  if (text === "?") {
    clear();
    return openHelp();
  }
  if (queue.refused && !correcting && (text === "z" || text === "a")) {
    clear();
    return text === "z" ? drop() : change();
  }
  target = text ? (target ?? current()?.number ?? null) : null;
  return draw();
}

function clear() {
  cmd.value = correcting = "";
  target = null;
  draw();
}

/** Takes the refused entry out for good. */
function drop() {
  const { gone: isOut } = queue.dropRefused();
  sayTakenOut("Dropping it …", isOut, "Dropped.", () => {});
}

/** Puts the refused entry into the line again. */
function change() {
  const { key, source, fault } = queue.refused;
  correcting = key;
  cmd.value = source.text;
  target = source.play;
  say(fault, "fault");
  draw();
}

function enter() {
  const text = cmd.value.trim();
  const jump = /^#(\d+)$/.exec(text);
  if (jump) {
    clear();
    return choose(Number(jump[1]));
  }
  if (!text) return undefined;
  const play = current();
  if (!play) return say("There are no plays yet.", "fault");
  const reading = readLine(text, play, roster);
  if (reading.error) return say(reading.error, "fault");
  const entry = {
    entries: [{ play_number: play.number, credits: reading.credits }],
    words: `Play ${play.number}: ${reading.words.join(" ")}`,
    source: { text, play: play.number },
    made: undefined,
  };
  const corrects = correcting;
  cmd.value = correcting = drafted = "";
  target = null;
  say("Sending …");
  if (corrects && queue.refused?.key === corrects) queue.replaceRefused(entry);
  else queue.add(entry);
  return draw();
}

function choose(number) {
  const play = plays().find((candidate) => candidate.number === number);
  if (!play)
    return say(`Play ${number} is not in this list. Choose another page of plays.`, "fault");
  chosen = play === plays()[0] && setup.isNewest ? null : number;
  if (cmd.value.trim()) target = number;
  say("");
  draw();
  document.querySelector(`[data-play="${number}"]`)?.scrollIntoView({ block: "nearest" });
  return undefined;
}

listen(cmd, {
  typed,
  enter,
  back() {
    const text = cmd.value.trim();
    clear();
    say(text ? `Not entered: ${text}` : "Ready.");
  },
  move(step) {
    const at = plays().indexOf(current());
    const next = plays()[at + step];
    if (next) choose(next.number);
  },
  choose: () => {},
});

document.addEventListener("click", (event) => {
  const button = /** @type {HTMLElement} */ (
    /** @type {Element} */ (event.target).closest("[data-pick]")
  );
  if (!button) return;
  choose(Number(button.dataset.pick));
  cmd.focus();
});

listenToPolls(consoleId(), {
  shown: () => learn(readJson("situation")),
  answered(ok, xhr) {
    const was = online;
    online = ok;
    if (online) live.seen(xhr);
    if (online && !was) queue.pump();
    if (online !== was) draw();
  },
});
window.addEventListener("online", () => queue.pump());
window.addEventListener("beforeunload", (event) => {
  if (queue.risky) event.preventDefault();
});

unveil(ROLES, (key) => {
  cmd.value += key;
  typed();
  cmd.focus();
});
draw();
cmd.focus();

keepPage(setup.pageUrl);
await queue.open();
try {
  if (isKept()) for (const answer of await live.restore()) learn(answer);
  elsewhere = await store.elsewhere();
  const left = await store.takeDraft(await openTabs());
  drafted = "";
  if (left && !cmd.value) {
    cmd.value = left.text;
    target = left.play;
    correcting = queue.refused?.key === left.correcting ? left.correcting : "";
  }
  draw();
} catch (error) {
  // the queue has shown it on the line
  console.warn("This browser’s storage can’t be read:", error);
}
