/**
 * What is not recorded yet, on top of what the server showed last: what cannot be known, and what
 * the strip says.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { madeIn } from "../../static/js/console/queue/handover.js";
import { entriesOf, otherByNow, withUnsent } from "../../static/js/console/situation.js";
import { idleView, stripOf } from "../../static/js/console/panel/views.js";
import { roster } from "./typing.js";

const { rulebooks } = JSON.parse(
  readFileSync(new URL("examples/situations.json", import.meta.url), "utf8"),
);
const known = {
  clubs: { home: "SF", away: "DAL" },
  other: (club) => (club === "SF" ? "DAL" : "SF"),
  rules: rulebooks["nfl 2019"],
  roster,
};
const snap = {
  type: "snap",
  possession: "SF",
  spot: 30,
  period: 1,
  clock: 700,
  down: 1,
  distance: 10,
};
const server = {
  standing: [
    [40, 9, { type: "period", period: 1, phase: "start" }],
    [41, 12, snap],
  ],
  entered: ["before"],
  next_event: 42,
  play_number: 12,
  last_play: 12,
  status: "live",
  score: { SF: 0, DAL: 3 },
  suggestion: { ...snap, situation: "scrimmage", check: false, why: "", choices: [] },
  snap,
  ball: null,
  passed: null,
  live: true,
  period: { period: 1, running: true, seconds: 900 },
  timeouts: { left: { SF: 3, DAL: 3 }, excess: false },
  recent_players: { passer: {}, runner: {}, punter: {}, place_kicker: {} },
  play_events: [],
};
const items = (...bodies) =>
  bodies.map((body, index) => ({ key: `k${index}`, entries: [{ body, play_number: null }] }));
const run = {
  type: "run",
  team: "SF",
  kind: "rush",
  player: "sf-25",
  start_yard: 30,
  end_yard: 33,
};

test("a run that waits moves the next snap, and the strip says which part is not recorded", () => {
  const expected = withUnsent(server, items(run), known);
  assert.deepEqual(
    [expected.suggestion.down, expected.suggestion.distance, expected.suggestion.spot],
    [2, 7, 33],
  );
  const strip = stripOf({ ...server, ...known }, { ...expected, ...known });
  assert.deepEqual(strip.changed, ["down", "spot", "event"]);
  assert.equal(
    strip.note,
    "Not recorded yet: down, spot. The record stands at 1st & 10 at SF 30, Q1 11:40, DAL 3, SF 0.",
  );
  assert.equal(
    stripOf({ ...server, ...known }, { ...withUnsent(server, [], known), ...known }).note,
    "",
  );
});

test("an entry after a snap that is recorded is of its play, though the snap has not left the queue yet", () => {
  const queued = [{ key: "s", entries: [{ body: { ...snap, down: 2 }, play_number: null }] }];
  const made = (shown) => madeIn({ ...withUnsent(shown, queued, known), lease: null }, "a");
  assert.equal(made(server).play, null);
  const answered = { ...server, entered: ["s"], next_event: 43, play_number: 13, last_play: 13 };
  assert.equal(made(answered).play, 13);
});

test("the strip and the panel say that the game is over, and which key says so", () => {
  const why = "Time is up: the game is over, DAL wins 3 to 0.";
  const ended = {
    ...withUnsent(server, [], known),
    ...known,
    keys: { snap: "s", game: "g" },
    live: false,
    suggestion: { ...server.suggestion, over: true, check: true, why },
  };
  assert.equal(stripOf(ended, ended).mode, "Game over");
  const { label, sentence } = idleView(ended, undefined);
  assert.deepEqual([label, sentence], ["Likely next: g, then Enter", why]);
});

test("a correction of a play that this browser does not have is said to be unknown until it is recorded", () => {
  const expected = withUnsent(server, items(run, { type: "nullify", events: [7] }), known);
  assert.ok(expected.suggestion.check);
  assert.match(
    expected.suggestion.why,
    /The effect of the unsent correction of #7 is known once it is recorded/,
  );
  assert.equal(expected.suggestion.down, 2);
});

test("a touchdown that waits is on the board, and taken back it is not", () => {
  const touchdown = { ...run, end_yard: 100, is_touchdown: true };
  assert.deepEqual(withUnsent(server, items(touchdown), known).score, { SF: 6, DAL: 3 });
  const back = withUnsent(server, items(touchdown, { type: "nullify", events: [42] }), known);
  assert.deepEqual([back.score, back.suggestion.down, back.live], [{ SF: 0, DAL: 3 }, 1, true]);
});

test("a correction of what waits says which event it must become; others do not", () => {
  const numbers = { first: 44, recorded: 42 };
  const [flag, wiped] = entriesOf(
    [
      { type: "penalty", team: "SF" },
      { type: "nullify", events: [43] },
    ],
    () => null,
    numbers,
  );
  assert.deepEqual([flag.number, wiped.number], [undefined, 45]);
  assert.equal(
    entriesOf([{ type: "nullify", events: [41] }], () => null, numbers)[0].number,
    undefined,
  );
});

test("a correction that was begun before its events had numbers notices when they got others", () => {
  const then = withUnsent(server, items(run), known);
  const wiped = [{ type: "nullify", events: [42] }];
  assert.deepEqual(otherByNow(wiped, then, then), []);
  const answered = {
    ...server,
    next_event: 43,
    play_events: [{ number: 42, play_number: 12, type: "run", words: "", body: { ...run } }],
  };
  assert.deepEqual(otherByNow(wiped, then, withUnsent(answered, [], known)), []);
  const another = {
    ...answered,
    play_events: [{ ...answered.play_events[0], body: { ...run, end_yard: 39 } }],
  };
  assert.deepEqual(otherByNow(wiped, then, withUnsent(another, [], known)), [42]);
});
