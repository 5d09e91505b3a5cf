/**
 * The next play is opened by what moves the ball, with the snap that is likely; which play an entry
 * goes into is said.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { nextPick } from "../../static/js/console/entry/fields.js";
import { compared } from "../../static/js/console/queue/handover.js";
import { readyEntry } from "../../static/js/console/entry/recording.js";
import { warningsOf } from "../../static/js/console/entry/warnings.js";
import { ballAfter } from "../../static/js/console/rules/ball.js";
import { lastPlay, nextSnap } from "../../static/js/console/rules/situation.js";
import { viewOf } from "../../static/js/console/panel/views.js";
import { actionsOn } from "../../static/js/console/actions/index.js";
import { SNAP, generated, happened, recorded, situation, type } from "./typing.js";

const { rulebooks, examples } = JSON.parse(
  readFileSync(new URL("examples/situations.json", import.meta.url), "utf8"),
);
const rules = rulebooks["nfl 2019"];
const clubs = { home: "SF", away: "DAL" };
const RUSH = {
  type: "run",
  team: "SF",
  player: "sf-25",
  kind: "rush",
  start_yard: 30,
  end_yard: 34,
};
const THROWN = {
  type: "pass",
  team: "SF",
  passer: "sf-10",
  receiver: "sf-85",
  result: "intercepted",
  throw_yard: 30,
  reception_yard: 44,
};

/** The situation after a play of these events, by the rules. */
function after(snap, ...bodies) {
  const events = [snap, ...bodies].map((body, index) => ({
    ...happened(20 + index, body),
    play_number: 7,
  }));
  const suggestion = nextSnap(
    [{ play_number: 1, body: { type: "period", period: 1, phase: "start" } }, ...events],
    { ...clubs, book: rules },
  );
  const passed = bodies.find((body) => body.type === "pass") ?? null;
  return situation({
    rules,
    live: !bodies.length,
    snap,
    play_number: 7,
    play_events: events,
    suggestion,
    passed,
    ball: ballAfter(snap, bodies, { ...clubs, book: rules }),
  });
}

test("a movement of the ball after a dead play opens the next one with the suggested snap", () => {
  for (const [name, ...strokes] of [
    ["pass", "10", "i", "85"],
    ["run", "r", "25", "+2"],
    ["sack", "10", "-3"],
    ["kick", "p", "4", "t"],
    ["interception", "10", "85", "o44", "24", ""],
  ]) {
    const [snap, move] = recorded(name, after(SNAP, RUSH), ...strokes);
    assert.deepEqual(
      snap,
      {
        type: "snap",
        possession: "SF",
        spot: 34,
        period: 1,
        clock: 700,
        situation: "scrimmage",
        down: 3,
        distance: 4,
      },
      name,
    );
    assert.equal(move.throw_yard ?? move.start_yard, 34, name);
  }
});

test("which play the entry goes into is said, and = puts it into the play before", () => {
  const { entry } = type("pass", after(SNAP, RUSH), "10", "i");
  const view = viewOf(entry, "", entry.situation, "");
  assert.match(
    view.opens,
    /^Opens the next play: SF ball, 3rd & 4 at SF 34, 11:40 Q1\..* = adds this to play 7\.$/,
  );
  assert.ok(entry.toggleJoin());
  assert.match(
    viewOf(entry, "", entry.situation, "").opens,
    /^Added to play 7\. Press = to open the next play instead\.$/,
  );
  entry.takeRest();
  assert.deepEqual(
    entry.bodies.map((body) => [body.type, body.throw_yard]),
    [["pass", 30]],
  );
});

test("nothing is said of a missing snap where none is missing: a live ball, what goes on in the play, an inserted play", () => {
  const caught = {
    type: "pass",
    team: "SF",
    passer: "sf-10",
    receiver: "sf-85",
    result: "complete",
    throw_yard: 30,
    reception_yard: 40,
  };
  const none = [
    type("pass", after(SNAP)).entry,
    type("run", after(SNAP, caught), "l").entry,
    type("run", after(SNAP, THROWN), "b").entry,
    type("fumble", after(SNAP, RUSH)).entry,
    type("recovery", after(SNAP, RUSH)).entry,
    type("interception", after(SNAP, THROWN)).entry,
  ];
  for (const entry of none) {
    assert.equal(viewOf(entry, "", entry.situation, "").opens, "");
    assert.ok(!entry.toggleJoin(), entry.action.name);
  }
  const s = { ...after(SNAP, RUSH), plays: [], last_play: 8 };
  const { entry } = type("plays", s, "i");
  entry.answer({
    number: 6,
    place: 6,
    next: 7,
    label: "play 6",
    events: [],
    suggestion: { ...SNAP },
  });
  for (const stroke of ["", "p", "10", "i", "85", "", ""]) entry.take(stroke);
  const view = viewOf(entry, "", s, "");
  assert.deepEqual([entry.step, view.opens, /snap/i.test(view.hint)], [null, "", false]);
});

test("a flag that made it no play ends the play, a declined one does not", () => {
  const flag = {
    type: "penalty",
    team: "SF",
    foul: "False Start",
    yards: 5,
    outcome: "nullify",
    enforcement_yard: 30,
  };
  const [snap] = recorded("run", after(SNAP, flag), "r", "25", "+2");
  assert.deepEqual([snap.down, snap.distance, snap.spot], [2, 13, 25]);
  const declined = { ...flag, status: "declined", outcome: "decline" };
  assert.equal(recorded("run", after(SNAP, declined), "r", "25", "+2")[0].type, "run");
});

const KEYS = generated("console-keys.json");
const PASS = actionsOn(KEYS)[KEYS.pass];
const PAUSES = ["timeout", "challenge", "roster", "coin_toss", "delay"];

for (const { case: name, book, home, away, events } of examples) {
  const game = { home, away, book: rulebooks[book] };
  const { snap, action } = lastPlay(events);
  const suggestion = nextSnap(events, game);
  if (!snap || suggestion.over || action.every(({ type }) => PAUSES.includes(type))) continue;
  test(`a movement without a clock opens the next play: ${name}`, () => {
    const opened = PASS.opened(
      {},
      situation({
        clubs: { home, away },
        rules: game.book,
        live: !suggestion.check && !action.length,
        snap,
        play_events: action.map((body, index) => happened(20 + index, body)),
        suggestion,
      }),
    );
    const { possession, spot, period, down, distance } = suggestion;
    assert.deepEqual(
      opened && [opened.possession, opened.spot, opened.period, opened.down, opened.distance],
      [possession, spot, period, down, distance],
    );
  });
}

test("a flag that is typed before what moved the ball does not end the play", () => {
  const flag = { type: "penalty", team: "DAL", foul: "Face Mask", yards: 15, outcome: "downfield" };
  const [first] = recorded("run", after(SNAP, flag), "r", "25", "+2");
  assert.equal(first.type, "run");
});

test("a snap that cannot follow is warned of, whatever is due (S4, S10)", () => {
  const due = (changes) => {
    const suggestion = { ...SNAP, check: false, why: "", choices: [], ...changes };
    return (changed) =>
      warningsOf([{ ...SNAP, ...changed }], situation({ live: false, suggestion }));
  };
  const noDown = { down: null, distance: null };
  const kick = { situation: "kickoff", possession: "DAL", spot: 35, ...noDown };
  assert.deepEqual(due(kick)({}), ["A kickoff by DAL is due."]);
  assert.deepEqual(due({ ...kick, situation: "free_kick", spot: 20 })({}), [
    "A free kick by DAL is due.",
  ]);
  assert.deepEqual(due({ situation: "try", spot: 85, ...noDown })({}), ["A try by SF is due."]);
  assert.deepEqual(due({})({ situation: "kickoff", ...noDown }), [
    "By the last play SF has the ball, 2nd & 8.",
  ]);
  assert.deepEqual(due({})({ distance: 3 }), ["By the last play it is 2nd & 8."]);
  assert.deepEqual(due({})({}), []);
  const guess = due({ check: true });
  assert.deepEqual(guess({ spot: 47 }), [], "its spot is a guess");
  assert.deepEqual(guess({ down: 3 }), ["By the last play it is likely 2nd down."]);
  assert.deepEqual(guess({ distance: 3 }), ["By the last play it is likely 2nd & 8."]);
  assert.deepEqual(guess({ spot: 47, distance: 3 }), [], "it is counted from another spot");
  assert.deepEqual(guess({ possession: "DAL" }), ["By the last play SF likely has the ball."]);
  assert.deepEqual(due({ check: true, by_toss: true })({ possession: "DAL" }), []);
  assert.deepEqual(due({ choices: [{ act: "free", ...kick }] })({ ...kick }), []);
});

test("after a defensive touchdown the try belongs to the club that scored (NFL 11-3-1)", () => {
  const back = {
    type: "run",
    team: "DAL",
    player: "dal-24",
    kind: "return",
    start_yard: 56,
    end_yard: 100,
    is_touchdown: true,
  };
  const scored = after(
    SNAP,
    THROWN,
    { type: "interception", team: "DAL", player: "dal-24", yard: 56 },
    back,
  );
  const [snap, two] = recorded("conversion", scored, "p", "12", "88", "g");
  assert.deepEqual(
    [snap.possession, snap.situation, snap.spot, two.team, two.side],
    ["DAL", "try", 98, "DAL", "offence"],
  );
  const [at, kick] = recorded("kick", scored, "x", "6", "g");
  assert.deepEqual(
    [at.possession, at.situation, at.spot, kick.team, kick.kind],
    ["DAL", "try", 85, "DAL", "extra_point"],
  );
  const opens = (name) => {
    const { entry } = type(name, scored);
    return viewOf(entry, "", entry.situation, "").opens;
  };
  assert.deepEqual(
    ["kick", "conversion"].map((name) => /tries for one/.test(opens(name))),
    [true, false],
    "of another snap its reason is not said",
  );
  const returned = recorded("conversion", scored, "b", "25", "g")[1];
  assert.deepEqual([returned.team, returned.side], ["SF", "defence"]);
});

test("a try for two after a flagged touchdown is moved from where tries for two are snapped (NFL 11-3-1, 14-2-3)", () => {
  const scored = { ...RUSH, end_yard: 100, is_touchdown: true };
  const flag = (team) => ({
    type: "penalty",
    team,
    foul: "Unnecessary Roughness",
    yards: 15,
    outcome: "downfield",
  });
  assert.deepEqual(
    [
      recorded("conversion", after(SNAP, scored, flag("DAL")))[0].spot,
      recorded("conversion", after(SNAP, scored, flag("SF")))[0].spot,
    ],
    [98, 83],
  );
});

test("a safety after a touchdown is the one of the try: a point for the club that scored (NFL 11-3-2)", () => {
  const back = {
    type: "run",
    team: "DAL",
    player: "dal-24",
    kind: "return",
    start_yard: 56,
    end_yard: 100,
    is_touchdown: true,
  };
  const [snap, safety] = recorded(
    "safety",
    after(SNAP, THROWN, { type: "interception", team: "DAL", player: "dal-24", yard: 56 }, back),
  );
  assert.deepEqual(
    [snap.possession, snap.situation, safety.team, safety.points],
    ["DAL", "try", "DAL", 1],
  );
  const sacked = {
    type: "sack",
    team: "SF",
    player: "sf-10",
    start_yard: 30,
    end_yard: 0,
    by_team: "DAL",
    by: [],
  };
  assert.deepEqual(recorded("safety", after(SNAP, sacked)), [
    { type: "safety", team: "DAL", points: 2 },
  ]);
});

test("a try of unnamed players is said as a sentence", () => {
  const s = after(SNAP, { ...RUSH, end_yard: 100, is_touchdown: true });
  const { entry } = type("conversion", s, "r");
  assert.doesNotMatch(viewOf(entry, "", entry.situation, "").sentence, /,:|, to /);
});

/** What Enter says of an entry. */
const refusalOf = (entry) =>
  readyEntry(entry, {
    server: { next_event: 9, entered: [], standing: [] },
    situation: { ...entry.situation, next_event: 9 },
    context: entry.situation,
    correcting: "",
    own: [],
    held: null,
  }).fault ?? "";

// the strokes of each action, guided, and whether a play of each situation can have it
const ACTS = [
  [["pass", "10", "i", "85"], ["scrimmage"]],
  [["run", "r", "25", "+2"], ["scrimmage"]],
  [["sack", "10", "-3"], ["scrimmage"]],
  [["kick", "p", "3", "t"], ["scrimmage"]],
  [
    ["kick", "f", "3", "g"],
    ["scrimmage", "free_kick"],
  ],
  [["kick", "x", "3", "g"], ["try"]],
  [["kick", "k", "3", "t"], ["kickoff"]],
  [["conversion", "r", "25", "g"], ["try"]],
];

test("what a play cannot have is warned of, and nothing is recorded", () => {
  const due = {
    scrimmage: after(SNAP, { ...RUSH, end_yard: 35 }),
    try: after(SNAP, { ...RUSH, end_yard: 100, is_touchdown: true }),
    kickoff: after(
      { ...SNAP, situation: "try", spot: 85 },
      {
        type: "kick",
        team: "SF",
        kind: "extra_point",
        result: "good",
      },
    ),
    free_kick: after(SNAP, { ...RUSH, end_yard: 0 }, { type: "safety", team: "DAL", points: 2 }),
  };
  for (const [name, s] of Object.entries(due)) {
    assert.equal(s.suggestion.situation, name);
    for (const [[action, ...strokes], fit] of ACTS) {
      const { entry } = type(action, s, ...strokes);
      entry.takeRest();
      const action_in = `${[action, ...strokes].join(" ")} in ${name}: ${JSON.stringify(entry.bodies)}`;
      const { warnings, sure, question } = viewOf(entry, "", entry.situation, "");
      assert.equal(sure, fit.includes(name), action_in);
      assert.equal(/Enter records/.test(question), fit.includes(name), action_in);
      const expected = fit.includes(name) ? /^$/ : /cannot be in .*Nothing is recorded/;
      assert.match(refusalOf(entry), expected, action_in);
      assert.equal(/cannot be in/.test(warnings.join(" ")), !fit.includes(name), action_in);
    }
  }
});

test("what to enter instead is said with its key", () => {
  const scored = after(SNAP, { ...RUSH, end_yard: 100, is_touchdown: true });
  const { entry } = type("run", scored, "r", "25", "+2");
  entry.takeRest();
  assert.equal(
    refusalOf(entry),
    "A run cannot be in a try: enter an extra point (k), or a try for two points (c). Nothing is recorded.",
  );
});

test("a choice that is none says the keys that are", () => {
  const { entry } = type("game", situation({ status: "scheduled" }), "t");
  assert.equal(entry.take("x").error, "‘x’ is none of these. Type h or a.");
});

test("a second snap of a play without a result is odd, an opened one is not", () => {
  const empty = type("snap", after(SNAP)).entry;
  assert.match(
    viewOf(empty, "", empty.situation, "").warnings.join(" "),
    /Play 7 has nothing but a snap/,
  );
  const { entry } = type("run", after(SNAP, RUSH), "r", "25", "+2", "");
  assert.deepEqual(viewOf(entry, "", entry.situation, "").warnings, []);
});

test("an opened play that waited for a hand-over stays a play of its own", () => {
  const entries = [
    { body: SNAP, play_number: null },
    { body: RUSH, play_number: null },
  ];
  const { entries: placed } = compared(
    { entries, words: "", source: null },
    { epoch: 1, play: 7 },
    { lease: { epoch: 3, live: false, console: "b" }, play_number: 9 },
    "a",
  );
  assert.deepEqual(
    placed.map((event) => event.play_number),
    [null, null],
  );
});

test("the first arrow marks the first of two wearers, or what follows the one that Enter takes", () => {
  const offers = (note) => [
    { label: "12 A", note, value: "a" },
    { label: "12 B", value: "b" },
    { label: "12 C", value: "c" },
  ];
  assert.deepEqual(
    [nextPick(offers(""), null, 1), nextPick(offers(""), null, -1), nextPick(offers(""), 0, 1)],
    [0, 2, 1],
  );
  assert.deepEqual(
    [nextPick(offers("Enter"), null, 1), nextPick(offers("Enter"), null, -1)],
    [1, 2],
  );
});
