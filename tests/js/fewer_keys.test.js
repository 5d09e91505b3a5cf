/** What a scorer need not type in the guided entry. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { actionsOn } from "../../static/js/console/actions/index.js";
import { movementAfter } from "../../static/js/console/line/opening.js";
import { viewOf } from "../../static/js/console/panel/views.js";
import { SNAP, generated, recorded, situation, type } from "./typing.js";

const rules = JSON.parse(readFileSync(new URL("examples/situations.json", import.meta.url), "utf8"))
  .rulebooks["nfl 2019"];

test("a jersey number at the kind of run takes the rush, c81 at the passer the usual one", () => {
  const run = type("run", situation()).entry;
  assert.equal(run.passOn("2"), "2");
  assert.deepEqual([run.answers.kind, run.step.name], ["rush", "player"]);
  const pass = type("pass", situation()).entry;
  assert.equal(pass.passOn("c"), null, "somebody's name may begin so");
  assert.equal(pass.passOn("c8"), "8");
  assert.deepEqual(
    [pass.answers.passer, pass.answers.result, pass.step.name],
    ["sf-10", "complete", "receiver"],
  );
  assert.equal(type("run", situation()).entry.passOn("k"), null, "an answer stays one");
});

test("Enter behind the last tackler records the sentence, which is whole by then", () => {
  const { entry } = type("run", situation(), "", "25", "+2", "54");
  assert.ok(entry.isClosedBy(""));
  assert.ok(!entry.isClosedBy("9"));
  const view = viewOf(entry, "", entry.situation, "");
  assert.deepEqual([view.sure, view.label], [true, "Enter records"]);
  assert.ok(!type("run", situation(), "", "25", "-2", "54").entry.isClosedBy(""), "asks on");
});

test("two spots and several tacklers are typed at once", () => {
  assert.deepEqual(
    recorded("pass", situation(), "10", "c", "85", "+3+5", "54,90"),
    recorded("pass", situation(), "10", "c", "85", "+3", "+5", "54", "90", "", "a"),
  );
  assert.deepEqual(
    recorded("run", situation(), "", "25", "+2", "54+90"),
    recorded("run", situation(), "", "25", "+2", "54", "90", "", "p"),
  );
  assert.match(type("run", situation(), "", "25", "+2", "54,54").fault, /already named/);
});

test("the key of a movement behind the snap's words opens the play with that snap", () => {
  const actions = actionsOn(generated("console-keys.json"));
  const dead = situation({ rules, live: false });
  const movement = movementAfter("31r", actions, dead);
  assert.deepEqual([movement.action.name, movement.snap.clock], ["run", 691]);
  for (const text of ["31t", "31 k", "r", "99r"])
    assert.equal(movementAfter(text, actions, dead), null, text);
  assert.equal(movementAfter("31r", actions, situation({ rules })), null, "snapped already");
  assert.equal(SNAP.clock, 700);
});
