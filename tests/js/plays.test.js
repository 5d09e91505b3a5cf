/** Corrections of earlier plays, and the play list, as keys enter them. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Entry } from "../../static/js/console/entry/entry.js";
import { actionsOn } from "../../static/js/console/actions/index.js";
import { lean } from "../../static/js/console/actions/shared/parts.js";
import { SNAP, generated, happened, recorded, situation } from "./typing.js";

const keys = generated("console-keys.json");
const run = {
  type: "run",
  team: "SF",
  player: "sf-25",
  kind: "rush",
  start_yard: 30,
  end_yard: 34,
};
const thrown = {
  type: "pass",
  team: "SF",
  passer: "sf-10",
  receiver: "sf-85",
  result: "complete",
  throw_yard: 30,
  reception_yard: 40,
};
const tackle = { type: "tackle", team: "DAL", tackler: "dal-54", kind: "solo" };

/**
 * Answers `name`'s questions one after the other: text, or {answer} for what the server is asked
 * for.
 */
function typed(name, s, ...answers) {
  const entry = new Entry(keys[name], actionsOn(keys)[keys[name]], s);
  for (const answer of answers) {
    if (typeof answer === "object") entry.answer(answer.answer);
    else assert.deepEqual(entry.take(answer), { ok: true }, `${answer} at ${entry.step?.label}`);
  }
  entry.takeRest();
  assert.equal(entry.step, null, entry.step?.label);
  return { bodies: entry.bodies.map(lean), play: entry.playNumber };
}

test("an overturn of an earlier play strikes out what can no longer be true in that play, never in the current one", () => {
  const s = situation({
    play_events: [happened(90, SNAP), happened(91, run), happened(92, tackle)],
  });
  const earlier = {
    number: 77,
    label: "#77",
    play_number: 5,
    body: thrown,
    snap: SNAP,
    ball: s.ball,
    play_events: [happened(76, SNAP), happened(77, thrown), happened(78, tackle)],
  };
  const { bodies, play } = typed("overturn", s, { answer: earlier }, keys.pass, "10", "i");
  assert.equal(play, 5);
  assert.deepEqual(
    bodies.filter((body) => body.type === "nullify").map((body) => body.events),
    [[78]],
  );
  assert.equal(bodies[0].event, 77);
});

test("a part of a play that is entered anew keeps its place before what follows it", () => {
  const entry = {
    numbers: [91],
    words: "",
    correction: false,
    undone: false,
    room: [91, 93],
    play_number: 7,
    bodies: [thrown],
    undo: [{ type: "nullify", events: [91] }],
    snap: SNAP,
    ball: situation().ball,
  };
  const { bodies } = typed(
    "replace",
    situation({ recent: [entry] }),
    "",
    keys.pass,
    "10",
    "c",
    "85",
    "o42",
    "+0",
  );
  const [undone, anew, ...more] = bodies;
  assert.deepEqual(undone, entry.undo[0]);
  assert.equal(anew.place, 91);
  assert.ok(more.every((body) => body.place > 91 && body.place < 93));
});

test("undo takes back the last entry, an overturn too, and passes over what was undone", () => {
  const recent = (number, undone, correction) => ({
    numbers: [number],
    words: "",
    correction,
    undone,
    bodies: [run],
    undo: [{ type: "nullify", events: [number] }],
    play_number: 7,
  });
  const overturned = situation({ recent: [recent(12, false, true), recent(11, false, false)] });
  assert.deepEqual(recorded("undo", overturned)[0].events, [12]);
  const again = situation({ recent: [recent(13, true, true), recent(11, false, false)] });
  assert.deepEqual(recorded("undo", again)[0].events, [11]);
});

const play = (number, place, next) => ({
  number,
  place,
  next,
  words: "",
  label: `play ${number}`,
  snap: SNAP,
  ball: situation().ball,
  suggestion: { ...SNAP, down: 3, clock: 660 },
  events: [
    { ...happened(4, SNAP), place: 4, next: 5 },
    { ...happened(5, run), place: 5, next: 6 },
    { ...happened(6, tackle), place: 6, next: null },
  ],
});
const listed = () =>
  situation({
    rules: { ...generated("console-keys.json"), period: 900 },
    plays: [play(8, 8, null), play(7, 7, 8)],
    last_play: 8,
  });

test("a forgotten play is inserted between two plays, its snap proposed from the one before", () => {
  const { bodies, play: number } = typed(
    "plays",
    listed(),
    "i",
    { answer: play(7, 7, 8) },
    "",
    "r",
    "r",
    "25",
    "+5",
  );
  assert.equal(number, null);
  assert.equal(bodies[0].play_place, 7.5);
  assert.equal(bodies[0].down, 3);
  assert.equal(bodies[1].type, "run");
});

test("behind the last play there is room before the next number", () => {
  assert.equal(
    typed("plays", listed(), "i", { answer: play(8, 8, null) }, "", "r", "r", "25", "+5").bodies[0]
      .play_place,
    8.5,
  );
});

test("a play is moved by a new ruling of its snap", () => {
  const { bodies, play: number } = typed(
    "plays",
    listed(),
    "m",
    { answer: play(8, 8, null) },
    { answer: play(3, 3, 4) },
  );
  assert.deepEqual(
    [bodies[0].type, bodies[0].event, bodies[0].ruling.play_place, number],
    ["overturn", 4, 3.5, 8],
  );
});

test("a whole play is struck out", () => {
  assert.deepEqual(
    typed("plays", listed(), "x", { answer: play(7, 7, 8) }).bodies[0].events,
    [4, 5, 6],
  );
});

test("a play written anew keeps its snap's event and gives its moves and credits new ones", () => {
  const { bodies, play: number } = typed(
    "plays",
    listed(),
    "w",
    { answer: play(7, 7, 8) },
    "",
    "r",
    "r",
    "25",
    "+9",
  );
  assert.deepEqual(bodies.map((body) => body.type).slice(0, 3), ["overturn", "nullify", "run"]);
  assert.deepEqual([bodies[0].event, bodies[1].events, number], [4, [5, 6], 7]);
});

test("an event is added in the middle of an earlier play", () => {
  const { bodies, play: number } = typed(
    "plays",
    listed(),
    "e",
    { answer: play(7, 7, 8) },
    "5",
    keys.fumble,
  );
  assert.equal(number, 7);
  assert.ok(bodies.every((body) => body.place > 5 && body.place < 6));
  assert.equal(bodies[0].type, "fumble");
});
