/** The spotter's line: what is typed, for which club, and what is wrong with it. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Roster } from "../../static/js/console/roster.js";
import { readLine, ROLES } from "../../static/js/spotter/line.js";
import { spotterView } from "../../static/js/spotter/view.js";

const player = (id, number, name = id) => ({
  id,
  club: id.split("-")[0].toUpperCase(),
  number,
  name,
  position: "",
});
const roster = new Roster([
  player("sf-25", 25),
  player("sf-80", 80),
  player("dal-54", 54),
  player("dal-59", 59),
  player("dal-7", 7, "A. Smith"),
  player("dal-07", 7, "B. Jones"),
]);
const slot = (event, role, club, players = []) => ({
  event,
  role,
  words: role,
  club,
  players,
  is_missing: !players.length,
});
const play = {
  number: 3,
  title: "",
  lines: [],
  state: "open",
  slots: [slot(11, "receiver", "SF"), slot(11, "passer", "SF", ["sf-25"])],
  given: [{ event: 12, role: "tackle", kind: "solo", player: "dal-59" }],
  missing: [],
  tackling: "DAL",
  defence: "DAL",
};
const read = (text) => readLine(text, play, roster);

test("numbers and letters stand in one line, with or without spaces", () => {
  for (const text of ["54t 59a 80r", "54t59a80r", "54T, 59A, 80R"]) {
    assert.deepEqual(read(text).credits, [
      { role: "tackle", player: "dal-54" },
      { role: "assist", player: "dal-59" },
      { role: "receiver", player: "sf-80", event: 11, was: null },
    ]);
    assert.equal(read(text).error, "");
  }
});

test("a name stands for whoever wears no number, and for one of two with the same", () => {
  assert.match(read("7t").error, /7 on DAL may be A\. Smith or B\. Jones/);
  assert.deepEqual(read("smith.t").credits, [{ role: "tackle", player: "dal-7" }]);
});

test("a minus takes back a credit and empties a name", () => {
  assert.deepEqual(
    read("-59a").credits,
    [{ role: "assist", event: 12, take_back: true }],
    "a tackle by either letter",
  );
  assert.deepEqual(read("-p").credits, [{ role: "passer", player: null, event: 11, was: "sf-25" }]);
  assert.match(read("-54t").error, /has no such credit/);
  assert.match(read("-t").error, /Whose tackle is removed/);
});

test("what cannot be read says what to type", () => {
  assert.match(read("99t").error, /Nobody on DAL wears 99/);
  assert.match(read("54q").error, /‘q’ is not a letter of the spotter’s line/);
  assert.match(read("54f").error, /has no forced to name/);
  assert.match(read("hello world").error, /can’t be read/);
  const open = read("54t 5");
  assert.deepEqual([open.open, open.credits.length], ["5", 1]);
});

test("every letter has a role and a title of its own", () => {
  const values = Object.values(ROLES);
  assert.equal(new Set(values.map((value) => value.role)).size, values.length);
  assert.equal(new Set(values.map((value) => value.title)).size, values.length);
});

test("the panel says who is missing, then what the line names", () => {
  const open = { ...play, lines: [[11, "A pass."]], missing: ["thrown to"] };
  const idle = spotterView({ play: open, newest: open });
  assert.deepEqual([idle.tone, idle.sentence], ["ready", "A pass. Who? thrown to"]);
  const reading = read("54t");
  const view = spotterView({ play: open, newest: { ...open, number: 4 }, isAimed: true, reading });
  assert.deepEqual([view.tone, view.sure], ["sure", true]);
  assert.equal(view.sentence, reading.words.join(" "));
  assert.match(view.label, /the newest play is 4/);
});

test("before the first play nothing can be entered", () => {
  const view = spotterView({ play: null, newest: null });
  assert.deepEqual([view.mode, view.tone, view.sure], ["No play yet", "ready", false]);
});
