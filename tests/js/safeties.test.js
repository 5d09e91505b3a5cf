/**
 * What the keys make of a ball behind a goal line: NFL rules 11-5-1 and 11-6-1 (safety, touchback),
 * 8-2-1 (grounding), 8-7-3 (fumbles out of bounds), 8-7-5 and 8-7-6 (who may advance a fumble).
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { ballAfter } from "../../static/js/console/rules/ball.js";
import { nextSnap } from "../../static/js/console/rules/situation.js";
import { SNAP, clubs, happened, recorded, situation, type } from "./typing.js";

const rules = JSON.parse(readFileSync(new URL("examples/situations.json", import.meta.url), "utf8"))
  .rulebooks["nfl 2019"];
const game = { ...clubs, book: rules };
const NEAR = { ...SNAP, spot: 3 };

/** After these bodies of a play from `snap`. */
function after(bodies, snap = NEAR) {
  const events = [happened(20, snap), ...bodies.map((body, index) => happened(21 + index, body))];
  const suggestion = nextSnap(events, game);
  return situation({
    rules,
    snap,
    live: !bodies.length,
    play_events: events,
    ball: ballAfter(snap, bodies, game),
    suggestion,
    passed: bodies.find((body) => body.type === "pass") ?? null,
  });
}

const safetyOf = (bodies) => bodies.find((body) => body.type === "safety");
const labels = (entry) =>
  entry.step.options.map(
    (option) => `${option.value === entry.step.default ? "*" : ""}${option.label}`,
  );
const SAFETY = { type: "safety", team: "DAL", points: 2 };

test("a sack behind the goal line is offered as a safety, credited to the sacker", () => {
  const { entry } = type("sack", after([]), "10", "g", "90", "", "", "");
  assert.equal(labels(entry)[0], "*yes: 2 points for DAL");
  const bodies = recorded("sack", after([]), "10", "g", "90");
  assert.deepEqual(safetyOf(bodies), { ...SAFETY, player: "dal-90" });
});

test("a run, a kneel, a catch and a run after it that end there are", () => {
  for (const [action, ...strokes] of [
    ["run", "r", "25", "0"],
    ["run", "k", "10", "0"],
    ["pass", "10", "c", "85", "2", "0"],
  ]) {
    assert.deepEqual(safetyOf(recorded(action, after([]), ...strokes)), SAFETY, strokes.join(" "));
  }
  assert.equal(safetyOf(recorded("run", after([]), "r", "25", "1")), undefined);
});

test("no safety: the ball was dead at the 1, or came loose", () => {
  const short = recorded("run", after([]), "r", "25", "0", "54", "", "", "n");
  assert.deepEqual([safetyOf(short), short[0].end_yard, short[1].yard], [undefined, 1, 1]);
  const loose = recorded("run", after([]), "r", "25", "0", "", "l");
  assert.deepEqual([safetyOf(loose), loose[0].end_yard], [undefined, 0]);
});

test("a fumble out of bounds in the end zone, or behind the goal line from the field, is a safety", () => {
  const sacked = after([{ type: "sack", team: "SF", player: "sf-10", start_yard: 3, end_yard: 0 }]);
  const [fumble, ...others] = recorded("fumble", sacked, "h", "10", "0", "", "o");
  assert.deepEqual([fumble.out_of_bounds, others], [true, [SAFETY]]);
  const carried = after([
    { type: "run", team: "SF", player: "sf-25", kind: "rush", start_yard: 3, end_yard: 4 },
  ]);
  assert.deepEqual(safetyOf(recorded("fumble", carried, "h", "25", "4", "", "s")), SAFETY);
  assert.equal(safetyOf(recorded("fumble", carried, "h", "25", "4", "", "o")), undefined);
});

test("a fumble recovered behind the goal line by the club that lost it is a safety, by the other a touchdown", () => {
  const carried = after([
    { type: "run", team: "SF", player: "sf-25", kind: "rush", start_yard: 3, end_yard: 4 },
  ]);
  assert.deepEqual(
    safetyOf(recorded("fumble", carried, "h", "25", "4", "", "v", "h", "85", "0")),
    SAFETY,
  );
  const lost = recorded("fumble", carried, "h", "25", "4", "", "v", "a", "54", "t");
  assert.deepEqual([safetyOf(lost), lost[1].is_touchdown], [undefined, true]);
});

test("holding enforced from the spot of the foul behind the goal line is offered as a safety, and strikes the pass out", () => {
  const s = after([
    { type: "pass", team: "SF", passer: "sf-10", result: "incomplete", throw_yard: 3 },
  ]);
  const { entry } = type("penalty", s, "h", "offensive holding", "", "", "a", "f", "0", "");
  assert.deepEqual(labels(entry)[0], "*a safety: SF free kick at SF 20");
  const [flag, struck, safety] = recorded(
    "penalty",
    s,
    "h",
    "offensive holding",
    "",
    "",
    "a",
    "f",
    "0",
  );
  assert.deepEqual(
    [flag.yards ?? 0, flag.outcome, flag.enforcement_yard, struck.events, safety],
    [0, "nullify", 0, [21], SAFETY],
  );
  assert.deepEqual(
    safetyOf(recorded("penalty", s, "h", "offensive holding", "", "", "a", "g")),
    SAFETY,
  );
});

test("grounding from the end zone is a safety, and the pass stands as incomplete", () => {
  const s = after([
    { type: "pass", team: "SF", passer: "sf-10", result: "incomplete", throw_yard: 3 },
  ]);
  const bodies = recorded("penalty", s, "h", "intentional grounding", "", "", "a", "g");
  assert.deepEqual(
    bodies.map((body) => body.type),
    ["penalty", "safety"],
  );
  assert.equal(bodies[0].outcome, "change_down");
});

test("an interception seven deep is entered, and brought out", () => {
  const far = { ...SNAP, spot: 60 };
  const bodies = recorded("interception", after([], far), "10", "85", "d0", "24", "e7", "31", "");
  const [, caught, back] = bodies;
  assert.deepEqual([caught.yard, back.start_yard, back.end_yard], [-7, -7, 31]);
  const downed = recorded("interception", after([], far), "10", "85", "d0", "24", "e7", "");
  assert.deepEqual(
    downed.map((body) => body.type),
    ["pass", "interception"],
  );
});

test("an interceptor who goes down behind his goal line: momentum is likely near it, a safety from further out", () => {
  const far = { ...SNAP, spot: 60 };
  const near = type("interception", after([], far), "10", "85", "d3", "24", "3", "0", "").entry;
  assert.equal(near.step.label, "A safety?");
  assert.match(
    labels(near).find((label) => label.startsWith("*")),
    /momentum, DAL ball at DAL 3/,
  );
  const momentum = recorded("interception", after([], far), "10", "85", "d3", "24", "3", "0");
  assert.deepEqual(
    [safetyOf(momentum), momentum.map((body) => body.type)],
    [undefined, ["pass", "interception"]],
  );
  assert.equal(
    safetyOf(recorded("interception", after([], far), "10", "85", "d12", "24", "12", "0")).team,
    "SF",
  );
});

test("a blocked punt that goes out of the end zone is a safety, one out of bounds before it the kickers' spot", () => {
  const fourth = { ...NEAR, down: 4 };
  const out = recorded("kick", after([], fourth), "p", "4", "b", "90", "o", "0");
  assert.deepEqual(out.slice(1), [{ ...SAFETY, player: "dal-90" }]);
  const [, ball] = recorded("kick", after([], fourth), "p", "4", "b", "90", "o", "1");
  assert.deepEqual([ball.type, ball.team, ball.yard], ["recovery", "SF", 1]);
});

test("a team-mate's recovery on fourth down is asked for its spot, not for how far it was brought", () => {
  const s = after(
    [{ type: "run", team: "SF", player: "sf-25", kind: "rush", start_yard: 24, end_yard: 25 }],
    { ...SNAP, spot: 24, down: 4, distance: 3 },
  );
  const asked = (who) =>
    type("fumble", s, "h", "25", "25", "", "v", "h", who, "29").entry.step.label;
  assert.match(asked("85"), /^Tackled by/);
  assert.match(asked("25"), /^Brought to/);
  const bodies = recorded("fumble", s, "h", "25", "25", "", "v", "h", "85", "29");
  const next = nextSnap(
    [...s.play_events, ...bodies.map((body, index) => happened(30 + index, body))],
    game,
  );
  assert.deepEqual([next.possession, next.spot, next.down], ["DAL", 75, 1]);
});

test("the kickers may not advance a muff of theirs, and score no touchdown by it", () => {
  const s = after([], { ...SNAP, down: 4 });
  const { entry } = type("kick", s, "p", "4", "m", "25", "88", "h", "85", "d25");
  assert.match(entry.step.label, /^Tackled by/);
  assert.match(
    type("kick", s, "p", "4", "m", "25", "88", "h", "85", "t").fault,
    /touchdown can’t be scored here/,
  );
});
