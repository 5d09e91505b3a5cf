/**
 * The roster key: somebody of another club found by name, and who a player made by hand really was.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Roster } from "../../static/js/console/roster.js";
import { warningsOf } from "../../static/js/console/entry/warnings.js";
import { sentenceOf } from "../../static/js/console/entry/words.js";
import { recorded, roster, situation, type } from "./typing.js";

const otto = { id: "00-1", name: "Otto Other", club: "LAR", position: "WR", number: 18 };
const olga = { id: "00-2", name: "Olga Other", club: "", position: "", number: null };
const page = (number, rows, more) => ({
  name: "other",
  page: number,
  label: `‘other’, page ${number}`,
  rows,
  more,
});

/**
 * Answers that are typed, and as `{ answer }` those that the server gives; what was looked up last
 * is in `lookedUp`.
 */
function answered(s, ...answers) {
  const { entry } = type("roster", s);
  let lookedUp = null;
  for (const answer of answers) {
    if (typeof answer !== "string") entry.answer(answer.answer);
    else {
      const taken = entry.take(answer);
      assert.ok(!("error" in taken), JSON.stringify(taken));
      if ("fetch" in taken) lookedUp = taken;
    }
  }
  return { entry, lookedUp };
}

test("a footballer of another club is found by name and joins with a number", () => {
  const { entry, lookedUp } = answered(situation(), "f", "h", "other");
  assert.deepEqual(lookedUp, { fetch: { name: "other", page: 1 }, of: "footballers" });
  entry.answer(page(1, [otto], true));
  assert.deepEqual(
    entry.offers("").map((offer) => offer.label),
    ["Otto Other, WR, LAR 18", "more …"],
  );
  assert.deepEqual(entry.take("", 1), { fetch: { name: "other", page: 2 }, of: "footballers" });
  entry.answer(page(2, [olga], false));
  assert.deepEqual(
    entry.offers("").map((offer) => offer.label),
    ["Olga Other, no position, no club"],
  );
  assert.ok(entry.back(""), "one page back");
  entry.take("");
  assert.equal(entry.step?.name, "number");
  entry.take("84");
  const [body] = entry.bodies;
  assert.deepEqual(body, {
    type: "roster",
    team: "SF",
    player: "00-1",
    name: "Otto Other",
    position: "WR",
    number: 84,
  });
  assert.equal(sentenceOf([body], situation()), "SF: number 84, Otto Other (WR) joins the roster.");
});

test("the number that they wear at their club is what Enter takes, and nobody is found without a name", () => {
  const { entry } = answered(
    situation(),
    "f",
    "h",
    "other",
    { answer: page(1, [otto], false) },
    "",
  );
  assert.deepEqual(
    entry.offers("").map((offer) => offer.value),
    [18],
  );
  assert.equal(type("roster", situation(), "f", "h", "").fault, "Type a part of the name.");
});

test("somebody who is on the other roster of the game is said to be moved", () => {
  const s = situation();
  const body = { type: "roster", team: "SF", player: "dal-54", name: "dal-54", number: 54 };
  assert.deepEqual(warningsOf([body], s), ["54 dal-54 was on DAL’s roster in this game."]);
  assert.deepEqual(warningsOf([{ ...body, team: "DAL" }], s), [
    "54 dal-54 is already on DAL’s roster.",
  ]);
});

const fact = {
  type: "roster",
  team: "SF",
  player: "made-1",
  name: "Nan New",
  number: 84,
  position: "WR",
};
const withMade = () => {
  const players = new Roster([...roster.registered]);
  players.learn([], [fact]);
  return situation({ roster: players });
};
const run = (number) => ({
  number,
  play_number: number,
  body: { type: "run", team: "SF", player: "made-1", start_yard: 30, end_yard: 34 },
});
const naming = (count) => ({
  id: "made-1",
  club: "SF",
  number: 84,
  label: "84 Nan New of SF",
  count,
  events: [...Array(Math.min(40, count - 1)).keys()]
    .map((n) => run(n + 10))
    .concat({ number: 5, play_number: 1, body: fact })
    .slice(0, 40),
});

test("all that names a player made by hand goes to a footballer of the roster", () => {
  const { entry, lookedUp } = answered(withMade(), "m", "84");
  assert.equal(lookedUp?.of, "naming");
  entry.answer(naming(3));
  entry.take("");
  assert.ok("error" in entry.take("84"), "not themselves");
  entry.take("85");
  const reason = "84 Nan New of SF identified";
  assert.deepEqual(entry.bodies, [
    { type: "stat_correction", event: 10, ruling: { ...run(10).body, player: "sf-85" }, reason },
    { type: "stat_correction", event: 11, ruling: { ...run(11).body, player: "sf-85" }, reason },
    {
      type: "stat_correction",
      event: 5,
      ruling: { type: "roster", team: "SF", player: "sf-85", number: 84 },
      reason,
    },
  ]);
  assert.deepEqual(
    entry.bodies.map((body) => entry.playNumberOf(body)),
    [10, 11, 1],
  );
});

test("a footballer of another club joins first, and what is beyond one entry is said to be left", () => {
  const { entry } = answered(
    withMade(),
    "m",
    "84",
    { answer: naming(45) },
    "f",
    "other",
    { answer: page(1, [otto], false) },
    "",
  );
  assert.equal(entry.step, null);
  assert.equal(entry.bodies.length, 40);
  assert.deepEqual(entry.bodies[0], {
    type: "roster",
    team: "SF",
    player: "00-1",
    name: "Otto Other",
    position: "WR",
    number: 84,
  });
  assert.equal(entry.bodies[1].reason, "84 Nan New of SF identified; 6 more events to follow");
});

test("without a player made by hand there is nobody to identify", () => {
  assert.equal(
    type("roster", situation(), "m", "").fault,
    "No player on these rosters was added by hand.",
  );
  assert.throws(() => recorded("roster", situation(), "m"));
});
