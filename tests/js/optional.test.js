/**
 * What is noted beside a movement by whoever has the time, who is proposed by position, the toss,
 * delays, challenges, empty plays.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Roster } from "../../static/js/console/roster.js";
import { nextSnap } from "../../static/js/console/rules/situation.js";
import { statusAfter } from "../../static/js/console/rules/state.js";
import { withUnsent } from "../../static/js/console/situation.js";
import { idleView, restingView, stripOf } from "../../static/js/console/panel/views.js";
import { warningsOf } from "../../static/js/console/entry/warnings.js";
import { SNAP, happened, recorded, roster, situation, type } from "./typing.js";

const rules = JSON.parse(readFileSync(new URL("examples/situations.json", import.meta.url), "utf8"))
  .rulebooks["nfl 2019"];
const clubs = { home: "SF", away: "DAL" };

test("one digit before the answer notes where a pass went, and why it fell is an answer of its own", () => {
  const [pass] = recorded("pass", situation(), "10", "4", "c", "85", "o44");
  assert.deepEqual(
    [pass.length, pass.location, pass.result, pass.reception_yard],
    ["deep", "left", "complete", 44],
  );
  const [dropped] = recorded("pass", situation(), "10", "3", "d", "85");
  assert.deepEqual(
    [dropped.length, dropped.location, dropped.result, dropped.incompletion, dropped.receiver],
    ["short", "right", "incomplete", "dropped", "sf-85"],
  );
  const [away, ...more] = recorded("pass", situation(), "10", "t");
  assert.deepEqual(
    [away.result, away.incompletion, away.receiver, more],
    ["incomplete", "thrown_away", undefined, []],
  );
  assert.equal(recorded("pass", situation(), "10", "i", "85")[0].location, undefined);
});

test("one letter before the answer notes the hole of a run", () => {
  const hole = (key) =>
    recorded("run", situation(), key, "r", "25", "+2").map(({ location, gap }) => [
      location,
      gap,
    ])[0];
  assert.deepEqual(
    [hole("q"), hole("e"), hole("m"), hole("i")],
    [
      ["left", "end"],
      ["left", "guard"],
      ["middle", undefined],
      ["right", "tackle"],
    ],
  );
  const { entry } = type("run", situation(), "o");
  assert.deepEqual(
    [entry.step.name, entry.trail],
    ["kind", [{ label: "Noted", value: "right end" }]],
  );
});

test("what was noted stays with a correction", () => {
  const run = {
    type: "run",
    team: "SF",
    player: "sf-25",
    kind: "rush",
    start_yard: 30,
    end_yard: 34,
    is_touchdown: false,
    location: "left",
    gap: "guard",
  };
  const pass = {
    type: "pass",
    team: "SF",
    passer: "sf-10",
    receiver: "sf-85",
    result: "incomplete",
    throw_yard: 30,
    is_touchdown: false,
    length: "deep",
    location: "middle",
    incompletion: "dropped",
  };
  for (const body of [run, pass]) {
    const s = situation({
      rules,
      live: false,
      play_events: [happened(20, SNAP), happened(21, body)],
    });
    assert.deepEqual(recorded("overturn", s, "21")[0].ruling, body);
  }
});

test("kicker, punter and passer are proposed by position until one of them did it, and a free kick proposes nobody", () => {
  const people = [
    ["sf-1", "K"],
    ["sf-2", "P"],
    ["sf-3", "QB"],
    ["sf-4", "QB"],
    ["sf-5", "WR"],
  ];
  const players = people.map(([id, position]) => ({
    id,
    club: "SF",
    number: Number(id.slice(3)),
    name: id,
    position,
  }));
  const s = (changes = {}) =>
    situation({
      roster: new Roster(players),
      recent_players: { passer: {}, runner: {}, punter: {}, place_kicker: {} },
      ...changes,
    });
  const likely = (name, at, ...strokes) => type(name, at, ...strokes).entry.step.default;
  assert.deepEqual(
    [likely("kick", s(), "p"), likely("kick", s(), "f"), likely("kick", s(), "k")],
    ["sf-2", "sf-1", "sf-1"],
  );
  assert.equal(likely("pass", s()), undefined, "two are equally likely");
  const offered = (at) =>
    type("pass", at)
      .entry.offers("")
      .map((offer) => [offer.value, offer.note]);
  assert.deepEqual(
    offered(s()),
    [
      [null, "Enter"],
      ["sf-3", undefined],
      ["sf-4", undefined],
    ],
    "both are there for the arrows",
  );
  const started = new Roster(
    players.map((player) => (player.id === "sf-4" ? { ...player, status: "starter" } : player)),
  );
  assert.deepEqual(
    [likely("pass", s({ roster: started })), likely("sack", s({ roster: started }))],
    ["sf-4", "sf-4"],
  );
  const out = new Roster(
    players.map((player) => (player.id === "sf-1" ? { ...player, status: "injured" } : player)),
  );
  assert.equal(likely("kick", s({ roster: out }), "f"), "sf-2");
  assert.equal(
    likely(
      "kick",
      s({ recent_players: { passer: {}, runner: {}, punter: { SF: "sf-5" }, place_kicker: {} } }),
      "p",
    ),
    "sf-5",
  );
});

const toss = { type: "coin_toss", winner: "DAL", choice: "receive", receiver: "DAL" };

test("the toss says who kicks off, before the game and an overtime (NFL 4-2-2, 16-1-2)", () => {
  assert.deepEqual(recorded("game", situation({ status: "scheduled" }), "t", "h", "d")[0], {
    type: "coin_toss",
    winner: "SF",
    choice: "defer",
    receiver: "DAL",
  });
  const started = [{ play_number: 0, body: { type: "period", period: 1, phase: "start" } }];
  const first = (...events) =>
    nextSnap([...started, ...events.map((body) => ({ play_number: 0, body }))], {
      ...clubs,
      book: rules,
    });
  assert.deepEqual([first().possession, first().by_toss, first().check], ["SF", true, true]);
  assert.deepEqual(
    [first(toss).possession, first(toss).by_toss, first(toss).check],
    ["SF", false, false],
  );
  assert.equal(first({ ...toss, receiver: "SF" }).possession, "DAL");
});

test("a delay leaves the game live, and play that resumes ends a suspension", () => {
  assert.deepEqual(recorded("game", situation(), "d", "Lightning")[0], {
    type: "delay",
    phase: "start",
    reason: "Lightning",
  });
  const resumed = recorded("game", situation({ status: "suspended" }), "", "")[0];
  assert.deepEqual(resumed, { type: "delay", phase: "end" });
  assert.deepEqual(
    ["live", "suspended", "postponed", "final"].map((status) => statusAfter(status, resumed)),
    ["live", "live", "scheduled", "final"],
  );
  assert.equal(statusAfter("live", { type: "delay", phase: "start" }), "live");
});

test("while play is delayed the game's key resumes it, and Enter ends no game that is not over", () => {
  const proposed = (changes) =>
    type("game", situation({ live: false, ...changes })).entry.step.default;
  assert.equal(proposed({ delayed: true }), "resume");
  assert.equal(proposed({ delayed: true, status: "ended" }), "final");
  assert.equal(proposed({}), undefined);
  assert.equal(proposed({ suggestion: { ...SNAP, over: true, why: "" } }), "end");
  const early = situation({ live: false });
  assert.deepEqual(warningsOf(recorded("game", early, "e"), early), [
    "The game doesn’t seem to be over: Q1, 11:40 on the clock.",
  ]);
  const ended = situation({ live: false, suggestion: { ...SNAP, over: true, why: "" } });
  assert.deepEqual(warningsOf(recorded("game", ended, "e"), ended), []);
});

test("a delay that waits to be sent holds until play resumes or a snap, and the screen says so", () => {
  const known = { clubs, other: (club) => (club === "SF" ? "DAL" : "SF"), rules, roster };
  const server = {
    ...situation({ rules }),
    delayed: false,
    standing: [[40, 7, SNAP]],
    entered: [],
    next_event: 41,
    play_number: 7,
    last_play: 7,
  };
  const after = (...bodies) =>
    withUnsent(
      server,
      [{ key: "k", entries: bodies.map((body) => ({ body, play_number: null })) }],
      known,
    );
  const [begins, ends] = ["start", "end"].map((phase) => ({ type: "delay", phase }));
  assert.deepEqual(
    [after(begins).delayed, after(begins, ends).delayed, after(begins, SNAP).delayed],
    [true, false, false],
  );
  assert.equal(stripOf(server, after(begins)).cells.status, "delayed");
  assert.match(
    idleView(situation({ live: false, delayed: true }), undefined).label,
    /^Play is delayed\. When it resumes: b, then Enter$/,
  );
});

test("in one-line mode too the keys of a hand-over and of watching are shown", () => {
  const s = situation({ live: false });
  const made = { epoch: 1, play: 4 };
  const item = { key: "k", words: "A run.", entries: [{ body: { type: "run" } }], made };
  const lease = (open) => ({ open, state: open ? "mine" : "lost", holder: "Ada", since: "17:36" });
  const question = (held, open) =>
    restingView(s, { held, lease: lease(open), isRead: true, aside: undefined, isOneLine: true })
      .question;
  assert.equal(question(item, true), "Shift+S sends it, z drops it, a changes it");
  assert.equal(question(item, false), "z drops it; Shift+T takes the game back to send it");
  assert.equal(question(null, false), "Shift+T takes the game over");
  assert.match(question(null, true), /^Type a play in one line/);
});

test("before the game has begun the console says what starts it, and the first snap too", () => {
  const hintOf = (status) => idleView(situation({ live: false, status }), undefined).hint;
  assert.equal(
    hintOf("scheduled"),
    "The game hasn’t started. Press b for the coin toss and the start, or enter the first snap.",
  );
  assert.match(hintOf("suspended"), /^The game is suspended\. Press b to resume it/);
  assert.equal(hintOf("live"), "");
  const unstarted = { ...situation({ status: "scheduled" }), snap: null, live: false };
  assert.deepEqual(warningsOf([SNAP], unstarted), [
    "The game hasn’t started. This snap starts it. Enter the coin toss with b.",
  ]);
});

test("a challenge that is lost costs a timeout (NFL 15-9-1), is counted, and costs nothing where none is left", () => {
  assert.deepEqual(recorded("review", situation(), "h", "s", "").slice(1), [
    { type: "timeout", team: "SF", reason: "Challenge lost" },
  ]);
  assert.equal(recorded("review", situation(), "h", "s", "", "n").length, 1);
  assert.equal(recorded("review", situation(), "b", "s", "").length, 1);
  assert.equal(recorded("review", situation(), "h", "o", "").length, 1);
  const spent = situation({
    timeouts: { left: { SF: 0, DAL: 3 }, excess: false },
    challenges: { SF: { used: 2, lost: 1 }, DAL: { used: 0, lost: 0 } },
  });
  assert.equal(recorded("review", spent, "h", "s", "").length, 1);
  assert.match(type("review", spent, "h", "s", "", "y").fault, /SF has no timeouts left/);
  assert.deepEqual(
    type("review", spent).entry.step.options.map((option) => option.label),
    ["SF (home): 2 used, 1 lost", "DAL (away)", "the booth"],
  );
});

test("a challenge that waits to be sent is counted once, by its ruling", () => {
  const known = { clubs, other: (club) => (club === "SF" ? "DAL" : "SF"), rules, roster };
  const pending = { type: "challenge", by: "DAL", ruling: "pending" };
  const run = {
    type: "run",
    team: "SF",
    player: "sf-25",
    kind: "rush",
    start_yard: 30,
    end_yard: 34,
  };
  const server = {
    ...situation({ rules }),
    standing: [
      [40, 7, SNAP],
      [41, 7, run],
      [42, 7, pending],
    ],
    entered: [],
    next_event: 43,
    play_number: 7,
    last_play: 7,
    challenges: { SF: { used: 0, lost: 0 }, DAL: { used: 1, lost: 0 } },
  };
  const item = {
    key: "k",
    entries: [
      { body: { ...pending, ruling: "stands" }, play_number: null },
      { body: { type: "timeout", team: "DAL", reason: "Challenge lost" }, play_number: null },
    ],
  };
  const after = withUnsent(server, [item], known);
  assert.deepEqual([after.challenges.DAL, after.timeouts.left.DAL], [{ used: 1, lost: 1 }, 2]);
});

test("neither a period nor the game ends on a play of which nothing is recorded", () => {
  const live = situation({ play_number: 7 });
  assert.match(type("period", live, "e").fault, /Play 7 has nothing but a snap/);
  assert.match(type("game", live, "e").fault, /Play 7 has nothing but a snap/);
  assert.equal(recorded("period", situation({ live: false }), "e")[0].phase, "end");
});

test("what was set aside can be dropped, and the screen says how", () => {
  const aside = type("penalty", situation(), "h").entry;
  assert.match(
    idleView(situation({ live: false }), aside).hint,
    /Set aside: penalty\. Press a to resume it, z to drop it\./,
  );
});

test("an earlier play is marked by what happened in it, not by a delay or a timeout after it", () => {
  const run = {
    type: "run",
    team: "SF",
    player: "sf-25",
    kind: "rush",
    start_yard: 30,
    end_yard: 34,
  };
  const of = (number, play_number, body) => ({
    numbers: [number],
    words: "",
    correction: false,
    play_number,
    bodies: [body],
  });
  const recent = [
    of(24, 8, SNAP),
    of(23, 7, { type: "delay", phase: "end" }),
    of(22, 7, { type: "timeout", team: "SF" }),
    of(21, 7, run),
  ];
  const { step } = type("earlier", situation({ live: false, play_number: 8, recent })).entry;
  assert.deepEqual(step.options[step.default].numbers, [21]);
});

test("an event of the list, of long ago or found by words is chosen", () => {
  const s = situation({ live: false, play_events: [happened(20, SNAP)], recent: [] });
  for (const name of ["overturn", "earlier"]) {
    const { entry } = type(name, s);
    assert.deepEqual(entry.take("q2 runner"), { fetch: "q2 runner", of: "events" });
    entry.answer({
      rows: [
        { number: 12, play_number: 3, words: "Q2 10:00: a run." },
        { number: 9, play_number: 2, words: "Q2 11:00: a run." },
      ],
      label: "‘q2 runner’",
    });
    assert.deepEqual(
      entry.offers("").map((offer) => offer.label),
      ["#12 Q2 10:00: a run.", "#9 Q2 11:00: a run."],
    );
    assert.deepEqual(entry.take("9"), { fetch: 9, of: "event" });
    entry.answer({
      number: 9,
      label: "#9",
      play_number: 2,
      body: { ...SNAP },
      snap: SNAP,
      ball: s.ball,
      play_events: [happened(9, SNAP)],
    });
    assert.equal(entry.playNumber, 2);
    assert.ok(["as", "what"].includes(entry.step.name));
  }
});
