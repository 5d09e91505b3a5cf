/** Timeouts, penalties and reviews as keys enter them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { timeoutsAfter } from "../../static/js/console/rules/timeouts.js";
import { warningsOf } from "../../static/js/console/entry/warnings.js";
import { recorded, situation, SNAP, type } from "./typing.js";

const spent = (excess) => situation({ timeouts: { left: { SF: 0, DAL: 2 }, excess } });

test("a club without a timeout cannot call one, and the refusal says how many are left", () => {
  assert.match(type("timeout", spent(false), "h").fault, /SF has no timeouts left/);
  assert.deepEqual(recorded("timeout", spent(false), "a"), [{ type: "timeout", team: "DAL" }]);
  assert.deepEqual(recorded("timeout", spent(false)), [{ type: "timeout" }]);
  const labels = type("timeout", spent(false))
    .entry.offers("")
    .map((offer) => offer.label);
  assert.deepEqual(labels, ["SF (home): 0 left", "DAL (away): 2 left", "the officials"]);
});

test("late in a half an injury or a lost challenge costs one in excess, with a warning", () => {
  const bodies = recorded("timeout", spent(true), "h", "c");
  assert.deepEqual(bodies, [
    { type: "timeout", team: "SF", reason: "Challenge lost, no timeout left" },
  ]);
  assert.deepEqual(warningsOf(bodies, spent(true)), [
    "SF has no timeouts left, so this one is in excess.",
  ]);
  assert.deepEqual(recorded("timeout", spent(true), "h"), [
    { type: "timeout", team: "SF", reason: "Injury, no timeout left" },
  ]);
});

test("a timeout that is not sent yet is counted, and they are renewed with the third quarter", () => {
  const book = { timeouts: 3, period: 900, overtime: 600, excess_timeout_clock: 120 };
  const full = { left: { SF: 3, DAL: 3 }, excess: false };
  const happen = (...bodies) =>
    bodies.map((body, index) => ({ event_number: index + 1, play_number: 1, body }));
  const after = (...bodies) =>
    timeoutsAfter(full, { period: 2, clock: 100 }, happen(...bodies), book);
  assert.deepEqual(after({ type: "timeout", team: "SF" }, { type: "timeout" }), {
    left: { SF: 2, DAL: 3 },
    excess: true,
  });
  assert.deepEqual(
    after({ type: "timeout", team: "SF" }, { type: "period", period: 3, phase: "start" }),
    full,
  );
});

test("a final score warns of a play that is still under review", () => {
  const final = { type: "final", home_score: 0, away_score: 0 };
  assert.match(
    warningsOf([final], situation({ under_review: [12] }))[0],
    /Still under review: play 12/,
  );
  assert.deepEqual(warningsOf([final], situation({ under_review: [] })), []);
});

const whys = (bodies, s) => warningsOf(bodies, s).join(" ");
const LATE = { ...SNAP, period: 2, clock: 40 };
const falseStart = {
  type: "penalty",
  team: "SF",
  foul: "False Start",
  yards: 5,
  status: "accepted",
  outcome: "nullify",
};

test("a foul of the offence in the last minute of a half reminds of the ten seconds (NFL 4-7-1)", () => {
  const { rulebooks } = JSON.parse(
    readFileSync(new URL("examples/situations.json", import.meta.url), "utf8"),
  );
  const on = (snap, book = "nfl 2019") => situation({ snap, rules: rulebooks[book] });
  assert.match(whys([falseStart], on(LATE)), /ten seconds run off/);
  for (const s of [on({ ...LATE, clock: 61 }), on({ ...LATE, period: 3 }), on(LATE, "nfhs 2019")])
    assert.doesNotMatch(whys([falseStart], s), /ten seconds/);
  const byDefence = { ...falseStart, team: "DAL", foul: "Encroachment" };
  assert.doesNotMatch(whys([byDefence], on(LATE)), /ten seconds/);
});

test("a quarter that ends minutes after its last snap is asked about", () => {
  const end = { type: "period", period: 1, phase: "end" };
  assert.match(whys([end], situation()), /The last snap was at 11:40/);
  assert.equal(whys([end], situation({ snap: { ...SNAP, clock: 20 } })), "");
});

test("nobody defers in overtime, and a series is begun with offence or defence (NCAA 3-1-3)", () => {
  const offered = (rule) => {
    const s = situation({
      status: "live",
      period: { period: 5, running: false, seconds: 600 },
      rules: { overtime_rule: rule },
    });
    const { entry } = type("game", s, "t", "h");
    return entry.step.options.map(({ value, label }) => `${value}: ${label}`);
  };
  assert.deepEqual(offered("modified"), [
    "receive: receives",
    "kick: kicks",
    "defend: chooses a goal",
  ]);
  assert.deepEqual(offered("series").slice(0, 2), [
    "receive: offense: has the ball first",
    "kick: defense: the other club has the ball first",
  ]);
});
