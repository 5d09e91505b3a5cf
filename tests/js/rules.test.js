/**
 * The browser's rules of the game, by the examples that the server answers too
 * (tests/record/test_situation_examples.py).
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { nextSnap } from "../../static/js/console/rules/situation.js";

const { rulebooks, examples } = JSON.parse(
  readFileSync(new URL("examples/situations.json", import.meta.url), "utf8"),
);
const lean = (body) =>
  Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== null && value !== false && value !== ""),
  );

for (const { case: name, book, home, away, events, suggestion } of examples) {
  test(`the next snap: ${name}`, () => {
    const game = { home, away, book: rulebooks[book] };
    assert.deepEqual(nextSnap(events, game), suggestion);
    // as the console sends them
    const typed = events.map((event) => ({ ...event, body: lean(event.body) }));
    assert.deepEqual(
      nextSnap(typed, game),
      suggestion,
      "with the fields that say nothing left out",
    );
  });
}
