/** Timeouts, penalties and reviews as keys enter them. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { timeoutsAfter } from "../../static/js/console/rules/timeouts.js";
import { warningsOf } from "../../static/js/console/entry/warnings.js";
import { recorded, situation, type } from "./typing.js";

const spent = (excess) => situation({ timeouts: { left: { SF: 0, DAL: 2 }, excess } });

test("a club without a timeout cannot call one, and the refusal says how many are left", () => {
  assert.match(type("timeout", spent(false), "h").fault, /SF has no timeout left \(0\)/);
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
    "SF has no timeout left: this one is in excess.",
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
