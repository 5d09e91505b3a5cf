/**
 * Kickoffs with a landing zone: NFL rule 6 of 2024 (touchback at the 30) and of 2025 (at the 35).
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { ballAfter } from "../../static/js/console/rules/ball.js";
import { nextSnap } from "../../static/js/console/rules/situation.js";
import { clubs, happened, recorded, situation, type } from "./typing.js";

const { rulebooks } = JSON.parse(
  readFileSync(new URL("examples/situations.json", import.meta.url), "utf8"),
);
const SNAP = {
  type: "snap",
  possession: "SF",
  spot: 35,
  period: 1,
  clock: 900,
  situation: "kickoff",
};

const before = (season) =>
  situation({
    rules: rulebooks[`nfl ${season}`],
    snap: SNAP,
    play_events: [happened(20, SNAP)],
    ball: ballAfter(SNAP, [], { ...clubs, book: rulebooks[`nfl ${season}`] }),
  });

/** Where DAL begins after the entry. */
function start(season, ...strokes) {
  const bodies = recorded("kick", before(season), "k", "4", ...strokes);
  const next = nextSnap(
    [happened(20, SNAP), ...bodies.map((body, index) => happened(21 + index, body))],
    { ...clubs, book: rulebooks[`nfl ${season}`] },
  );
  return [next.possession, next.spot];
}

test("a touchback is asked where it came down, the end zone being marked", () => {
  assert.deepEqual(
    [start(2024, "t"), start(2025, "t")],
    [
      ["DAL", 30],
      ["DAL", 35],
    ],
  );
  assert.deepEqual(
    [start(2024, "t", "l"), start(2025, "t", "l")],
    [
      ["DAL", 20],
      ["DAL", 20],
    ],
  );
  const { entry } = type("kick", before(2025), "k", "4", "t");
  assert.equal(entry.step.label, "Where did it come down first?");
  assert.equal(start(2019, "t")[1], 25);
});

test("one that is returned or downed behind the goal line is asked too", () => {
  assert.equal(start(2025, "r", "e3", "88", "g", "", "l")[1], 20);
  assert.equal(start(2025, "d", "g", "l")[1], 20);
});

test("short of the landing zone it is placed at the 40, with its foul", () => {
  assert.equal(start(2025, "s", "21")[1], 40);
  const [kick, foul] = recorded("kick", before(2025), "k", "4", "s", "21");
  assert.deepEqual([kick.result, kick.landed, kick.distance], ["downed", "short", 44]);
  assert.deepEqual(
    [foul.foul, foul.team, foul.player, foul.yards, foul.status],
    ["Kickoff Short of Landing Zone", "SF", "sf-4", 0, "accepted"],
  );
});

test("before 2024 nothing is asked, and no kick can be short", () => {
  const { entry } = type("kick", before(2019), "k", "4");
  assert.ok(entry.step.options.every((option) => option.value !== "short"));
  assert.deepEqual(
    recorded("kick", before(2019), "k", "4", "t").map((body) => [body.result, body.landed]),
    [["touchback", undefined]],
  );
});
