/**
 * The console without page and server, for the typist (tests/e2e/typist/headless.py): the same
 * modules behind the same keys, and a record in memory that accepts every entry. Commands come in as
 * lines of JSON, an answer a line goes out. Each entry is also written as a one-line entry, and read
 * again: both ways must give the same bodies.
 */
import { createInterface } from "node:readline";
import process from "node:process";

import { actionsOn } from "../../../static/js/console/actions/index.js";
import { JOINS } from "../../../static/js/console/actions/shared/opening.js";
import { Entry } from "../../../static/js/console/entry/entry.js";
import { nextPick } from "../../../static/js/console/entry/fields.js";
import { readyEntry } from "../../../static/js/console/entry/recording.js";
import { idleView, keyFault, viewOf } from "../../../static/js/console/panel/views.js";
import { LineControl } from "../../../static/js/console/line/control.js";
import { movementAfter } from "../../../static/js/console/line/opening.js";
import { Roster } from "../../../static/js/console/roster.js";
import { ballAfter } from "../../../static/js/console/rules/ball.js";
import { folded } from "../../../static/js/console/rules/fold.js";
import { lastBy, numbered, withUnsent } from "../../../static/js/console/situation.js";
import { sentenceOf } from "../../../static/js/console/entry/words.js";
import { BothWays } from "./both_ways.js";

const NOBODY = { passer: {}, runner: {}, place_kicker: {}, punter: {} };

class HeadlessConsole {
  entry = null;
  text = "";
  pick = null;
  said = "";
  tone = "plain";
  count = 0;
  /** @type {string[]} keys since the last entry was recorded */
  pressed = [];
  /** @type {Map<number, {play: number, body: object}>} each event in its last ruling */
  events = new Map();

  constructor({ clubs, roster, rulebook, types, keys, foulCodes, situation }) {
    this.actions = actionsOn(keys);
    const other = (club) => (club === clubs.home ? clubs.away : clubs.home);
    this.known = {
      clubs,
      rules: rulebook,
      types,
      keys,
      foulCodes,
      roster: new Roster(roster),
      other,
    };
    this.server = situation;
    this.bothWays = new BothWays(this.actions);
    this.lines = new LineControl({ oneLine: true, macros: [] }, this.actions);
  }

  context() {
    return { ...withUnsent(this.server, [], this.known), ...this.known };
  }

  press(key) {
    this.pressed.push(key);
    if (key === "Enter") return this.enter();
    if (key === "Escape") return this.back();
    if (key === "ArrowDown" || key === "ArrowUp") return this.move(key === "ArrowDown" ? 1 : -1);
    if (key === "Backspace") this.text = this.text.slice(0, -1);
    else this.text += key;
    return this.typed();
  }

  say(words, tone = "plain") {
    [this.said, this.tone] = [words, tone];
  }

  begin(key, text = "") {
    this.entry = new Entry(key, this.actions[key], this.context());
    [this.text, this.pick] = [text, null];
    this.say("");
  }

  typed() {
    const { entry, text } = this;
    this.pick = null;
    if (!entry) return this.idleKey(text.trim().slice(-1));
    if (text.trim() === JOINS && entry.toggleJoin()) return this.settle();
    if (!entry.step) return this.typedAtEnd(text.trim());
    const movement =
      entry.action.name === "snap" && movementAfter(text, this.actions, this.context());
    if (movement) {
      this.begin(movement.key);
      this.entry.answers.opensWith = movement.snap;
      this.entry.typed.snap = text.slice(0, -1);
      return undefined;
    }
    const left = entry.passOn(text.trim());
    if (left !== null) {
      this.text = left;
      return this.say("");
    }
    if (!entry.field().instant || !text.trim()) return undefined;
    this.text = "";
    const taken = entry.take(text.trim().slice(-1));
    return "error" in taken ? this.say(taken.error, "fault") : this.settle();
  }

  idleKey(key) {
    this.text = "";
    if (!key) return undefined;
    const action = this.actions[key];
    if (!action && /[\d:]/.test(key)) return this.begin(this.known.keys.snap, key);
    const fault = keyFault(key, action, this.context());
    return fault ? this.say(fault, "fault") : this.begin(key);
  }

  typedAtEnd(text) {
    this.text = "";
    if (!this.actions[text[0]]) return this.say("Enter records this sentence.", "fault");
    this.record();
    return this.begin(text[0]);
  }

  settle() {
    this.pick = null;
    this.text = this.entry.step ? (this.entry.drafts[this.entry.step.name] ?? "") : "";
    this.say("");
  }

  enter() {
    const { entry } = this;
    if (!entry) return undefined;
    if (!entry.step) return this.record();
    const isWhole = entry.action.direct || entry.isClosedBy(this.text);
    const taken = entry.take(this.text, this.pick);
    if ("error" in taken) return this.say(taken.error, "fault");
    if ("fetch" in taken) entry.answer(this.event(taken.fetch));
    return isWhole && !entry.step ? this.record() : this.settle();
  }

  /** Records a whole line, as main.js does. @returns {string} "" or why not */
  line(text) {
    const { entry, fault } = this.lines.read(text, this.context());
    if (fault) return fault.message;
    this.pressed = [...text];
    this.entry = entry;
    this.record();
    return this.tone === "fault" ? this.said : "";
  }

  back() {
    const { entry } = this;
    if (entry && entry.back(this.text)) return this.settle();
    this.entry = null;
    this.text = "";
    return this.say("Ready.");
  }

  move(step) {
    const offers = this.entry?.offers(this.text) ?? [];
    if (offers.length) this.pick = nextPick(offers, this.pick, step);
  }

  /** An event as the server gives it to a correction. */
  event(number) {
    const { play, body } = this.events.get(number);
    const playEvents = this.server.standing
      .filter(([, of]) => of === play)
      .map(([n, of, each]) => ({
        number: n,
        play_number: of,
        type: each.type,
        words: sentenceOf([each], this.known),
        body: each,
      }));
    const before = playEvents.filter((row) => row.number < number).map((row) => row.body);
    const snap = before.findLast((row) => row.type === "snap") ?? null;
    const moves = before.filter((row) => row.type !== "snap");
    const game = { ...this.known.clubs, book: this.known.rules };
    return {
      number,
      play_number: play,
      body,
      play_events: playEvents,
      snap,
      ball: snap && ballAfter(snap, moves, game),
      label: `#${number}`,
      numbers: [number],
    };
  }

  record() {
    const { entry, server, known } = this;
    const situation = this.context();
    const { made, fault } = readyEntry(entry, {
      server,
      situation,
      context: situation,
      correcting: "",
      own: "",
      held: null,
    });
    if (fault) return this.say(fault, "fault");
    this.bothWays.recorded(entry, made.entries, this.pressed);
    this.pressed = [];
    this.count += 1;
    this.accept({ key: `k${this.count}`, entries: made.entries }, known);
    this.entry = null;
    this.text = "";
    return undefined;
  }

  accept(item, known) {
    const first = this.server.next_event;
    const { events } = numbered([item], this.server);
    const { standing } = folded(this.server.standing, events);
    for (const { event_number: number, play_number: play, body } of events) {
      this.events.set(number, { play, body });
      if (body.ruling)
        this.events.set(body.event, { ...this.events.get(body.event), body: body.ruling });
    }
    this.server = {
      ...withUnsent(this.server, [item], known),
      // as the server finds them: a play that was taken back has no runner
      recent_players: standing.reduce((recent, { body }) => lastBy(recent, body), NOBODY),
      standing: standing.map((event) => [event.event_number, event.play_number, event.body]),
      entered: [],
      recent: [],
    };
    const last = this.server.next_event - 1;
    const range = last > first ? `#${first} to #${last}` : `#${first}`;
    this.say(`Recorded as ${range}, play ${events.at(-1).play_number}.`, "good");
  }

  /** What stands on the screen, as tests/e2e/typist/screen.py reads it. */
  screen() {
    const s = this.context();
    const { entry } = this;
    const view = entry ? viewOf(entry, this.text, s, "") : idleView(s, undefined);
    const offers = entry?.offers(this.text) ?? [];
    return {
      mode: view.mode,
      question: view.question,
      hint: view.hint,
      opens: view.opens,
      typed: this.text,
      sentence: view.sentence,
      label: view.label,
      said: this.said,
      tone: this.tone,
      warnings: view.warnings,
      unsent: 0,
      offers: offers.map((offer, index) => ({
        label: offer.label,
        key: offer.key ?? "",
        proposed: this.pick === index || (this.pick === null && offer.note === "Enter"),
      })),
    };
  }
}

const withoutClock = (name, value) => (name === "clock" ? undefined : value);
const plain = (standing) => standing.map((event) => JSON.stringify(event, withoutClock));

let desk = null;
/** @type {{server: any, events: Map<number, any>}[]} how the record stood after each play */
let plays = [];
const COMMANDS = {
  begin(game) {
    desk = new HeadlessConsole(game);
    plays = [];
    return {};
  },
  /** The same game from its beginning; what came of it the first time is kept. */
  again(game) {
    desk = new HeadlessConsole(game);
    return {};
  },
  /** What differs, but for clocks, from the first time after this play; goes on from that, then. */
  differs(number) {
    const { server, events } = plays[number];
    const [then, now] = [plain(server.standing), plain(desk.server.standing)];
    const other = now.filter((event) => !then.includes(event));
    const lost = then.filter((event) => !now.includes(event));
    if (other.length + lost.length) [desk.server, desk.events] = [server, new Map(events)];
    return other.length + lost.length ? `${other.join(" ")} in place of ${lost.join(" ")}` : "";
  },
  press(keys) {
    for (const key of keys) desk.press(key);
    return {};
  },
  line: (text) => desk.line(text),
  suggestion: () => desk.server.suggestion,
  screen: () => desk.screen(),
  play() {
    plays.push({ server: desk.server, events: new Map(desk.events) });
    return desk.bothWays.play();
  },
  standing: () => desk.server.standing,
};

for await (const line of createInterface({ input: process.stdin })) {
  const [[name, argument]] = Object.entries(JSON.parse(line));
  process.stdout.write(`${JSON.stringify(COMMANDS[name](argument))}\n`);
}
