// Keys that are pressed while a number is looked up.
import assert from "node:assert/strict";
import test from "node:test";

import { TypeAhead } from "../../static/js/console/entry/ahead.js";
import { corrected } from "../../static/js/console/queue/handover.js";

/** A command line as far as it is used, and a protocol of what the keys did. */
function desk(value) {
  const done = [];
  const cmd = {
    value,
    selectionStart: value.length,
    selectionEnd: value.length,
    setRangeText(text) {
      this.value += text;
    },
  };
  const put = (name) => (detail) =>
    void done.push(
      name === "typed" ? cmd.value : detail === undefined ? name : `${name} ${detail}`,
    );
  const ahead = new TypeAhead(cmd, {
    typed: put("typed"),
    enter: put("enter"),
    back: put("back"),
    move: put("move"),
    choose: put("choose"),
  });
  const type = (text) => {
    cmd.value += text;
    ahead.handlers.typed();
  };
  return { ahead, cmd, done, type };
}

/** A look-up whose answer comes when `answer` is called. */
function lookUp({ ahead, cmd }) {
  let answer;
  const asked = new Promise((resolve) => (answer = resolve));
  const untyped = ahead.during(async () => {
    const isFound = await asked;
    if (isFound) cmd.value = "";
    return isFound;
  });
  return { answer, untyped };
}

test("what is typed while a number is looked up is typed once the answer is there", async () => {
  const d = desk("12");
  const { answer, untyped } = lookUp(d);
  d.type("r");
  d.type("25");
  d.ahead.handlers.enter(false);
  assert.deepEqual([d.cmd.value, d.done], ["12", []]);
  answer(true);
  assert.equal(await untyped, "");
  assert.deepEqual(d.done, ["r", "r2", "r25", "enter false"]);
  d.ahead.handlers.enter(true);
  assert.equal(d.done.at(-1), "enter true");
});

test("a character can be rubbed out, and nothing of it is lost in the number", async () => {
  const d = desk("12");
  const { answer, untyped } = lookUp(d);
  d.type("rs");
  d.cmd.value = "1";
  d.ahead.handlers.typed();
  answer(true);
  await untyped;
  assert.deepEqual(d.done, ["r"]);
});

test("without an answer nothing is pressed, and what was typed is said", async () => {
  const d = desk("99");
  const { answer, untyped } = lookUp(d);
  d.type("r");
  d.ahead.handlers.enter(false);
  answer(false);
  assert.equal(await untyped, "r Enter");
  assert.deepEqual(d.done, []);
});

test("Esc gives the look-up up, with what was typed ahead", async () => {
  const d = desk("12");
  const { answer, untyped } = lookUp(d);
  d.type("r");
  d.ahead.handlers.back();
  d.type("s");
  answer(true);
  await untyped;
  assert.deepEqual(d.done, ["back", "12s"]);
});

test("an entry that its scorer changed keeps its key", () => {
  const item = { entries: [], words: "", source: null, made: { epoch: 3, play: 2 } };
  assert.deepEqual(corrected(item, "k"), {
    ...item,
    key: "k",
    made: { epoch: 3, play: 2, changed: true },
  });
});
