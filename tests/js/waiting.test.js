// What the console shows of entries that wait in another scorer's browser.
import assert from "node:assert/strict";
import test from "node:test";

globalThis.document = { getElementById: () => null };
const { droppedBy, othersRows, theirsView, toCompare } = await import(
  "../../static/js/console/queue/waiting.js"
);
const { handoverView } = await import("../../static/js/console/queue/handover.js");

const row = (key, more = {}) => ({
  key,
  console: "1:a",
  holder: "Sal",
  words: key,
  bodies: [{ type: "timeout", team: "SF" }],
  made_under: 3,
  dropped_by: null,
  is_recorded: false,
  ...more,
});
const since = {
  earlier: 0,
  entries: [
    {
      numbers: [7],
      play_number: 2,
      words: "",
      by: "Tom",
      stands: true,
      bodies: [{ type: "timeout", team: "SF" }],
    },
  ],
};

test("only what waits elsewhere, and only for whoever has the game", () => {
  const rows = [
    row("a"),
    row("b", { is_recorded: true }),
    row("c", { dropped_by: "Tom" }),
    row("d", { console: "2:b" }),
  ];
  assert.deepEqual(
    othersRows(rows, { state: "mine", own: "2:b" }).map((row) => row.key),
    ["a"],
  );
  assert.deepEqual(othersRows(rows, { state: "theirs", own: "2:b" }), []);
  assert.deepEqual([...droppedBy(rows, "1:a")], [["c", "Tom"]]);
});

test("each is shown with whose it is and what of the record looks like it", () => {
  const [first, second] = theirsView([row("a"), row("b", { bodies: [{ type: "snap" }] })], since);
  assert.deepEqual(first, {
    words: "a",
    by: "Sal",
    hint: "Looks the same as #7: Shift+Z drops it.",
    now: true,
  });
  assert.equal(second.hint, "Nothing similar was recorded since.");
});

test("the record is read since the earlier of both sides' first entries was made", () => {
  assert.equal(toCompare(null, undefined), null);
  assert.equal(toCompare({ key: "k", made: { epoch: 2 } }, row("a")).made.epoch, 2);
  assert.equal(toCompare(null, row("a")).made.epoch, 3);
});

test("an entry of the other browser that cannot be read is shown, and is like nothing", () => {
  const row = {
    key: "k",
    console: "2:b",
    holder: "Sal",
    words: "Cannot be read: …",
    bodies: [],
    made_under: 1,
    dropped_by: null,
    is_recorded: false,
  };
  const since = {
    entries: [
      {
        numbers: [3],
        play_number: 1,
        words: "",
        by: "",
        stands: true,
        bodies: [{ type: "timeout" }],
      },
    ],
    earlier: 0,
  };
  assert.deepEqual(
    theirsView([row], since).map((view) => [view.words, view.hint]),
    [["Cannot be read: …", "Shift+Z drops it here; its own scorer can correct it."]],
  );
});

const snap = { type: "snap", possession: "SF", down: 2, distance: 8, spot: 30 };
const run = { type: "run", team: "SF", player: "22", end_yard: 37 };
const pass = { type: "pass", team: "SF", passer: "12", result: "incomplete" };
const tackle = { type: "tackle", team: "CHI", tackler: "54" };

/** The record since, an entry for each list of bodies, with events numbered from 7. */
function recorded(...entries) {
  let next = 7;
  return {
    earlier: 0,
    entries: entries.map((bodies) => ({
      numbers: bodies.map(() => next++),
      play_number: 2,
      words: "",
      by: "Tom",
      stands: true,
      bodies,
    })),
  };
}

const hintOf = (bodies, since) => theirsView([row("a", { bodies })], since)[0].hint;

test("another play behind the same snap is not the same", () => {
  assert.equal(hintOf([snap, run], recorded([snap, pass])), "Not the same as #7 to #8.");
  assert.equal(hintOf([snap, run, tackle], recorded([snap, run])), "Not the same as #7 to #8.");
});

test("the same play is found, however its events were put into entries", () => {
  const same = (numbers) => `Looks the same as ${numbers}: Shift+Z drops it.`;
  assert.equal(hintOf([snap, run, tackle], recorded([snap, run, tackle])), same("#7 to #9"));
  assert.equal(hintOf([snap, run, tackle], recorded([snap], [run, tackle])), same("#7 to #9"));
  assert.equal(hintOf([run, tackle], recorded([snap, run, tackle])), same("#8 to #9"));
});

test("the panel marks each recorded entry that the first waiting one was entered as", () => {
  const item = { key: "k", words: "", entries: [snap, run].map((body) => ({ body })) };
  const likes = (since) => handoverView([item], since).record.map(({ like }) => like);
  assert.deepEqual(likes(recorded([pass], [snap], [run, tackle])), ["", "same", "same"]);
  assert.deepEqual(likes(recorded([snap, pass], [run])), ["alike", ""]);
});
