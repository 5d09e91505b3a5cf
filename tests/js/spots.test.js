/** Spots that a scorer types: the goal lines, and a kick that came down behind one. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { parseSpot, spotWords } from "../../static/js/console/entry/spots.js";
import { recorded, situation, SNAP, type } from "./typing.js";

const on = { team: "SF", other: "DAL", from: 90 };

test("the opponents' goal line is a touchdown, but for d0", () => {
  for (const text of ["t", "td", "100", "+10", "d0!"])
    assert.deepEqual(parseSpot(text, on), { yard: 100, touchdown: true }, text);
  assert.deepEqual(parseSpot("d0", on), { yard: 100, touchdown: false });
  const [pass] = recorded("pass", situation(), "", "i", "85", "d0");
  assert.equal(pass.reception_yard, 100);
});

test("a kick can be fielded behind the goal line and brought out, nothing else ends there", () => {
  assert.deepEqual(parseSpot("e5", { ...on, deep: true }), { yard: -5, touchdown: false });
  assert.match(parseSpot("e5", on).error, /is not a spot/);
  assert.match(parseSpot("e11", { ...on, deep: true }).error, /beyond a goal line/);
  assert.equal(spotWords("SF", -5, "DAL"), "5 yards deep in SF’s end zone");
  const s = situation({ snap: { ...SNAP, spot: 35, situation: "kickoff" } });
  const [kick, run] = recorded("kick", s, "", "sf-4", "r", "e5", "dal-88", "20", "sf-25");
  assert.equal(kick.distance, 70);
  assert.deepEqual([run.start_yard, run.end_yard], [-5, 20]);
  assert.match(type("kick", s, "", "sf-4", "d", "e5").fault, /is not a spot/);
});

test("a field goal is as long as its snap from the line, the holder's 8 yards and the end zone", () => {
  const { entry } = type("kick", situation({ snap: { ...SNAP, spot: 75 } }), "f", "sf-4", "g");
  assert.equal(entry.step.default, 43);
});
