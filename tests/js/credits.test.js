/**
 * Credits that follow from what happened, kicks brought back or muffed, and what is noticed late.
 */
import assert from "node:assert/strict";
import { test } from "node:test";

import { sentenceOf } from "../../static/js/console/entry/words.js";
import { SNAP, happened, recorded, situation, type } from "./typing.js";

const credits = (bodies) =>
  bodies.filter((body) => body.type === "credit").map(({ player, kind }) => [player, kind]);
const types = (bodies) => bodies.map((body) => body.type);

test("a sack is a hit on the passer and a tackle for loss; shared, or after a fumble, a hit", () => {
  const alone = recorded("sack", situation(), "", "-7", "54", "");
  assert.deepEqual(types(alone), ["sack", "tackle", "credit", "credit"]);
  assert.deepEqual(credits(alone), [
    ["dal-54", "qb_hit"],
    ["dal-54", "tackle_for_loss"],
  ]);
  assert.deepEqual(credits(recorded("sack", situation(), "", "-7", "54", "90", "")), [
    ["dal-54", "qb_hit"],
    ["dal-90", "qb_hit"],
  ]);
  assert.deepEqual(credits(recorded("sack", situation(), "", "-7", "54", "", "f")), [
    ["dal-54", "qb_hit"],
  ]);
  assert.deepEqual(credits(recorded("sack", situation(), "", "o30", "54", "")), [
    ["dal-54", "qb_hit"],
  ]);
  assert.deepEqual(credits(recorded("sack", situation(), "", "-7", "54", "", "t", "n")), []);
});

test("a run or a catch that is stopped behind the line is a tackle for loss of whoever made it", () => {
  assert.deepEqual(credits(recorded("run", situation(), "r", "25", "-2", "54", "")), [
    ["dal-54", "tackle_for_loss"],
  ]);
  assert.deepEqual(credits(recorded("run", situation(), "r", "25", "-2", "54", "90", "", "p")), [
    ["dal-54", "tackle_for_loss"],
  ]);
  assert.deepEqual(credits(recorded("run", situation(), "r", "25", "-2", "54", "90", "", "a")), []);
  assert.deepEqual(credits(recorded("run", situation(), "r", "25", "-2", "54", "", "n")), []);
  assert.deepEqual(credits(recorded("run", situation(), "r", "25", "+0", "54", "")), []);
  assert.deepEqual(credits(recorded("pass", situation(), "", "c", "85", "-4", "+1", "54", "")), [
    ["dal-54", "tackle_for_loss"],
  ]);
});

const PUNT = situation({ snap: { ...SNAP, down: 4 }, suggestion: { ...SNAP, down: 4 } });

test("a muffed punt is a return of no yards, a fumble and a recovery", () => {
  const bodies = recorded("kick", PUNT, "p", "", "m", "o28", "12", "h", "25", "", "");
  assert.deepEqual(bodies.slice(0, 4), [
    { type: "kick", team: "SF", kind: "punt", result: "returned", start_yard: 30, distance: 42 },
    {
      type: "run",
      team: "DAL",
      player: "dal-12",
      kind: "return",
      start_yard: 28,
      end_yard: 28,
      is_touchdown: false,
    },
    { type: "fumble", team: "DAL", player: "dal-12", yard: 28 },
    { type: "recovery", team: "SF", player: "sf-25", yard: 72, is_touchdown: false },
  ]);
});

test("the sentence of a muffed punt says so, and nobody returns it", () => {
  const bodies = recorded("kick", PUNT, "p", "", "m", "o28", "12", "h", "25", "", "");
  assert.equal(
    sentenceOf(bodies.slice(0, 3), PUNT),
    "An unnamed player of SF punts 42 yards: muffed by dal-12 at DAL 28.",
  );
});

test("a muff that goes out of bounds is the receivers' where it went out, and nobody's recovery (NFL 9-4)", () => {
  const bodies = recorded("kick", PUNT, "p", "", "m", "o28", "12", "o", "o31");
  assert.deepEqual(bodies.slice(1), [
    {
      type: "run",
      team: "DAL",
      player: "dal-12",
      kind: "return",
      start_yard: 28,
      end_yard: 28,
      is_touchdown: false,
    },
    { type: "fumble", team: "DAL", player: "dal-12", yard: 31, out_of_bounds: true },
  ]);
});

test("a kick that is muffed behind the goal line is entered as deep as it was, and may go out there: a touchback", () => {
  const [kick, run, muff] = recorded("kick", PUNT, "p", "", "m", "e2", "12", "o", "0");
  assert.deepEqual([kick.distance, run.end_yard, muff.yard, muff.out_of_bounds], [72, 0, 0, true]);
});

test("a kick that is down behind the goal line is a touchback by rule", () => {
  const KICKOFF = situation({
    snap: { ...SNAP, spot: 35, situation: "kickoff", down: null, distance: null },
  });
  const touchback = [
    {
      type: "kick",
      team: "SF",
      kind: "kickoff",
      result: "touchback",
      start_yard: 35,
      distance: 65,
    },
  ];
  assert.deepEqual(recorded("kick", KICKOFF, "k", "", "r", "e4", "12", "g"), touchback);
  assert.equal(recorded("kick", PUNT, "p", "", "d", "g")[0].result, "touchback");
  const back = recorded("kick", KICKOFF, "k", "", "r", "e4", "12", "o22", "25", "");
  assert.deepEqual([back[0].distance, back[1].start_yard, back[1].end_yard], [69, -4, 22]);
});

test("a missed field goal is brought back from where it was caught, also from inside the end zone", () => {
  const TRIED = situation({ snap: { ...SNAP, spot: 48, down: 4 } });
  const bodies = recorded("kick", TRIED, "f", "4", "r", "", "e8", "12", "d30", "25", "");
  assert.deepEqual(types(bodies), ["kick", "run", "tackle"]);
  assert.deepEqual(
    [bodies[0].result, bodies[1].team, bodies[1].start_yard, bodies[1].end_yard],
    ["missed", "DAL", -8, 70],
  );
});

const RUSH = {
  type: "run",
  team: "SF",
  player: "sf-25",
  kind: "rush",
  start_yard: 30,
  end_yard: 41,
};
const entry = (numbers, play, ...bodies) => ({
  numbers,
  play_number: play,
  correction: false,
  words: "what happened",
  bodies,
  undo: [],
  snap: SNAP,
  ball: null,
});
const later = situation({
  play_number: 9,
  live: false,
  recent: [
    entry([40], 9, SNAP),
    entry([31, 32], 8, RUSH, {
      type: "tackle",
      team: "DAL",
      tackler: "dal-54",
      tackled: "sf-25",
      kind: "primary",
      yard: 41,
    }),
    entry([30], 8, SNAP),
  ],
});

test("an assist, a hit, a flag and a review reach an earlier play", () => {
  const { entry: assist } = type("earlier", later, "", "", "", "90", "");
  assist.takeRest();
  assert.equal(assist.playNumber, 8);
  assert.deepEqual(assist.bodies, [
    { type: "tackle", team: "DAL", tackler: "dal-90", tackled: "sf-25", kind: "assist", yard: 41 },
  ]);
  assert.deepEqual(recorded("earlier", later, "31", "d", "h", "a", "90"), [
    { type: "credit", team: "DAL", player: "dal-90", kind: "qb_hit" },
  ]);
  assert.deepEqual(recorded("earlier", later, "31", "g"), [
    { type: "challenge", ruling: "pending" },
  ]);
  const flag = recorded("earlier", later, "31", "n", "a", "face mask", "", "", "", "e");
  assert.deepEqual(types(flag), ["penalty"]);
  assert.equal(flag[0].enforcement_yard, 59);
  const times = type("earlier", later, "31", "n", "a", "false start")
    .entry.offers("")
    .map((offer) => offer.value);
  // a snap of its own would be a play after all others
  assert.deepEqual(times, ["during", "after"]);
});

test("an event of long ago is asked for by its number", () => {
  const asked = type("earlier", later).entry;
  assert.deepEqual(asked.take("7"), { fetch: 7 });
  asked.answer({ ...happened(7, RUSH), play_number: 2, label: "#7", numbers: [7] });
  for (const stroke of ["d", "h", "a", "90"]) asked.take(stroke);
  assert.deepEqual([asked.playNumber, asked.bodies[0].player], [2, "dal-90"]);
});

test("who is added to the tackle of others assists, unless the scorer says otherwise", () => {
  const alone = recorded(
    "earlier",
    { ...later, recent: later.recent.slice(2) },
    "",
    "t",
    "a",
    "90",
    "",
  );
  assert.equal(alone[0].kind, "solo");
  assert.equal(recorded("earlier", later, "", "t", "a", "90", "", "p")[0].kind, "primary");
});

test("a fumble was forced by somebody, by whom was not seen, or not at all", () => {
  const forced = (stroke) =>
    recorded("fumble", situation(), "h", "25", "o33", stroke, "l").map(
      ({ forced_by, forced_by_team }) => [forced_by, forced_by_team],
    )[0];
  assert.deepEqual(forced("54"), ["dal-54", "DAL"]);
  assert.deepEqual(forced("+"), [undefined, "DAL"]);
  assert.deepEqual(forced("-"), [undefined, undefined]);
  const was = {
    type: "fumble",
    team: "SF",
    player: "sf-25",
    yard: 33,
    forced_by: null,
    forced_by_team: "DAL",
  };
  const { entry } = type("fumble", situation({ was }), "h");
  entry.takeRest();
  assert.deepEqual(entry.bodies[0].forced_by_team, "DAL");
});

test("a fumble out of bounds says where it went out, and the sentence too", () => {
  const [fumble, ...others] = recorded("fumble", situation(), "h", "25", "o33", "", "o", "-4");
  assert.deepEqual(
    [fumble, others],
    [
      { type: "fumble", team: "SF", player: "sf-25", yard: 33, out_of_bounds: true, out_yard: 29 },
      [],
    ],
  );
  assert.equal(
    sentenceOf([fumble], situation()),
    "Sf-25 fumbles at SF 33, out of bounds at SF 29.",
  );
  const { entry } = type("fumble", situation({ was: fumble }), "h");
  entry.takeRest();
  assert.equal(entry.bodies[0].out_yard, 29);
  assert.equal(
    recorded("fumble", situation(), "h", "25", "o33", "", "o", "")[0].out_yard,
    undefined,
  );
});

test("a fumble that is lost in the field of play and goes out behind either goal line", () => {
  const at = (where) => recorded("fumble", situation(), "h", "25", "o97", "", "o", where);
  assert.deepEqual(at("d0").slice(1), [
    { type: "recovery", team: "DAL", yard: 0, is_touchdown: false },
  ]);
  const behind = recorded("fumble", situation(), "h", "25", "o3", "", "o", "0");
  assert.deepEqual(
    behind.map((body) => body.type),
    ["fumble", "safety"],
  );
});

test("a fumble through the far end zone is lost, and a touchback", () => {
  const bodies = recorded("fumble", situation(), "h", "25", "o98", "", "e");
  assert.deepEqual(bodies, [
    { type: "fumble", team: "SF", player: "sf-25", yard: 98, out_of_bounds: true },
    { type: "recovery", team: "DAL", yard: 0, is_touchdown: false },
  ]);
  const { entry } = type("fumble", situation(), "h", "25", "d0", "");
  assert.equal(entry.step.default, "through");
});
