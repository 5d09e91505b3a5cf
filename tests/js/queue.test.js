// An entry is in the queue until its answer is known: the next snap is computed from both, at any
// moment between them.
import assert from "node:assert/strict";
import test from "node:test";

import { Queue } from "../../static/js/console/queue/queue.js";

globalThis.reportError = (error) => assert.ifError(error); // which browsers have
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A disk that takes several turns for everything, one thing after the other, as IndexedDB does. */
function slowStore(game) {
  let rows = [];
  let line = Promise.resolve();
  let last = 0;
  const later = (work) => {
    line = line.then(async () => {
      for (let turns = 0; turns < 5; turns += 1) await turn();
      return work();
    });
    return line;
  };
  return {
    box: { game, scorer: 1 },
    all: () => later(() => rows.map((row) => ({ ...row }))),
    add: (row) => later(() => void rows.push({ ...row, sequence: (last += 1) })),
    remove: (item, placed = []) =>
      later(() => {
        const made = new Map(placed.map((row) => [row.key, row.made]));
        rows = rows
          .filter((row) => row.key !== item.key)
          .map((row) => ({ ...row, made: made.get(row.key) ?? row.made }));
        return true;
      }),
    refuse: (item, state, fault) =>
      later(
        () => (rows = rows.map((row) => (row.key === item.key ? { ...row, state, fault } : row))),
      ),
    replace: (old, row) =>
      later(
        () =>
          (rows = rows.map((stored) =>
            stored.key === old.key ? { ...row, sequence: stored.sequence } : stored,
          )).length > 0,
      ),
    saveDraft: () => later(() => undefined),
  };
}

/** A queue whose entries are sent to `answer`, and what it told of them. */
function queued(game, answer) {
  const accepted = [];
  const on = {
    changed() {},
    accepted: (item) => accepted.push(item.words),
    refused() {},
    late() {},
  };
  const sources = { pack: (source) => source, unpack: (source) => source };
  const queue = new Queue(
    slowStore(game),
    async (item) => {
      await turn();
      return answer(item);
    },
    sources,
    on,
  );
  queue.leads = true;
  queue.channel.unref(); // it would keep the process waiting
  return { queue, accepted };
}

const entry = (words) => ({ entries: [], words, source: { words } });

/** Looks at every turn until `done`. */
async function watched(done, look) {
  for (let turns = 0; !done(); turns += 1) {
    assert.ok(turns < 5000, "it goes on for ever");
    look();
    await turn();
  }
}

test("an entry is in the queue at every moment until it is accepted", async () => {
  const { queue, accepted } = queued("g1", () => ({ ok: true, answer: {} }));
  const words = ["snap", "run", "snap again"];
  for (const word of words) queue.add(entry(word));
  await watched(
    () => accepted.length === 3 && !queue.items.length,
    () => {
      const known = new Set([...accepted, ...queue.items.map((item) => item.words)]);
      assert.deepEqual(
        words.filter((word) => !known.has(word)),
        [],
      );
    },
  );
  assert.deepEqual(accepted, words);
});

test("so is the one that takes the place of a refused one", async () => {
  const { queue, accepted } = queued("g2", (item) =>
    item.words === "wrong" ? { ok: false, refused: true, fault: "No." } : { ok: true, answer: {} },
  );
  queue.add(entry("wrong"));
  await watched(
    () => queue.refused,
    () => assert.equal(queue.items.length, 1),
  );
  queue.replaceRefused(entry("right"));
  await watched(
    () => accepted.length === 1 && !queue.items.length,
    () => {
      assert.ok(accepted.length || queue.items[0]?.words === "right");
    },
  );
});

test("one that was compared goes under its own key: who adopted it meanwhile adopted the same entry", async () => {
  const keys = [];
  const { queue, accepted } = queued("g3", (item) => {
    keys.push(item.key);
    return item.words === "compared"
      ? { ok: true, answer: {} }
      : { ok: false, refused: false, held: true, fault: "Tom had it." };
  });
  queue.add(entry("waits"));
  await watched(
    () => queue.held,
    () => assert.equal(queue.items.length, 1),
  );
  queue.replaceRefused({ ...entry("compared"), key: queue.held.key });
  await watched(
    () => accepted.length === 1 && !queue.items.length,
    () => assert.ok(accepted.length || queue.items.length === 1),
  );
  assert.equal(new Set(keys).size, 1);
});

test("one that another browser's scorer adopted goes out, and the next one is tried", async () => {
  let line = false;
  const { queue, accepted } = queued("g4", () =>
    line
      ? { ok: true, answer: {} }
      : { ok: false, refused: false, held: true, fault: "Tom had it." },
  );
  queue.add(entry("adopted"));
  queue.add(entry("next"));
  await watched(
    () => queue.held && queue.items.length === 2,
    () => {},
  );
  line = true;
  queue.forget(queue.held.key);
  await watched(
    () => accepted.length === 1 && !queue.items.length,
    () => {},
  );
  assert.deepEqual(accepted, ["next"]);
});

test("who waits for the answer to the entries hears whether they are recorded", async () => {
  const { queue, accepted } = queued("g5", () => ({ ok: true, answer: {} }));
  assert.equal(await queue.answered(), true); // nothing is on its way
  queue.add(entry("run"));
  assert.equal(await queue.answered(), true);
  assert.deepEqual([accepted, queue.items], [["run"], []]);
});

test("a refused entry, or a dead line, is no record", async () => {
  for (const [game, outcome] of Object.entries({
    g6: { ok: false, refused: true, held: false, fault: "No." },
    g7: { ok: false, refused: false, held: false, fault: "The line is dead." },
  })) {
    const { queue } = queued(game, () => outcome);
    queue.add(entry("run"));
    assert.equal(await queue.answered(), false);
    assert.equal(queue.items.length, 1);
    outcome.ok = true; // the next try ends this test
    outcome.answer = {};
    if (outcome.refused) queue.dropRefused();
    await new Promise((resolve) => {
      const look = () => (queue.items.length ? setTimeout(look, 100) : resolve(undefined));
      look();
    });
  }
});

test("what was typed while its snap waited belongs to the play that the snap opened", async () => {
  let isOpen = true;
  const isKept = () => queue.items.length === 5 && queue.items.every((item) => item.sequence);
  const typed = (type, play = null) => ({
    ...entry(type),
    entries: [{ body: { type }, play_number: null }],
    made: { epoch: 1, play },
  });
  const { queue, accepted } = queued("g9", async (item) => {
    if (!isOpen) return { ok: false, refused: false, held: true, fault: "Tom has it." };
    await watched(isKept, () => {});
    isOpen = item.words !== "snap";
    return { ok: true, answer: { accepted: [{ event_number: 9, play_number: 7 }] } };
  });
  for (const type of ["snap", "run", "tackle"]) queue.add(typed(type));
  queue.add(typed("snap"));
  queue.add(typed("pass"));
  await watched(
    () => queue.held,
    () => {},
  );
  assert.deepEqual(accepted, ["snap"]);
  assert.deepEqual(
    queue.items.map(({ words, made }) => [words, made.play]),
    [
      ["run", 7],
      ["tackle", 7],
      ["snap", null],
      ["pass", null],
    ],
  );
});

test("a spotter's credits, which have no body, leave the queue once they are accepted", async () => {
  const { queue, accepted } = queued("g8", async () => ({
    ok: true,
    answer: { accepted: [{ event_number: 9, play_number: 7 }] },
  }));
  for (const words of ["tackle", "assist"])
    queue.add({ ...entry(words), entries: [{ role: words, player: "dal-54" }] });
  await watched(
    () => queue.items.length === 0,
    () => {},
  );
  assert.deepEqual(accepted, ["tackle", "assist"]);
});
