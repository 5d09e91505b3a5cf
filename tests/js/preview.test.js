/** What an entry would change is asked about one entry at a time. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { Preview } from "../../static/js/console/entry/preview.js";

const VIEW = { consequences: [] };
/** @type {AbortSignal[]} */
let signals;

const entry = (spot) => ({ step: null, playNumber: 1, bodies: [{ type: "run", spot }] });

beforeEach(() => {
  signals = [];
  globalThis.document = /** @type {any} */ ({ querySelector: () => null });
  globalThis.fetch = /** @type {any} */ (
    (_url, { signal }) =>
      new Promise((_, reject) => {
        signals.push(signal);
        signal.addEventListener("abort", () => reject(signal.reason));
      })
  );
});

afterEach(() => {
  for (const name of ["document", "fetch"]) delete globalThis[name];
});

test("a question that another entry overtakes is ended, and the same one is not asked twice", () => {
  const preview = new Preview({ eventUrl: "/console/g1/events" }, () => {});
  preview.shown(VIEW, entry("HRB 20"), 0);
  preview.shown(VIEW, entry("HRB 20"), 0);
  assert.equal(signals.length, 1);
  preview.shown(VIEW, entry("HRB 30"), 0);
  assert.deepEqual(
    signals.map((signal) => signal.aborted),
    [true, false],
  );
  preview.shown(VIEW, entry("HRB 30"), 1);
});

test("a question is ended by Enter, after which the entry waits to be sent", () => {
  const preview = new Preview({ eventUrl: "/console/g1/events" }, () => {});
  preview.shown(VIEW, entry("HRB 20"), 0);
  assert.equal(signals[0].aborted, false);
  preview.shown(VIEW, entry("HRB 20"), 1);
  assert.equal(signals[0].aborted, true);
});
