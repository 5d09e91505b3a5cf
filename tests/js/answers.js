/**
 * Answers situations by the browser's rules: lines as `python -m tests.record.situation_examples
 * GAME...` prints them come in, a suggestion a line goes out (tests/record/test_same_rules.py).
 */
import { createInterface } from "node:readline";
import process from "node:process";

import { nextSnap } from "../../static/js/console/rules/situation.js";

let books = {};
let events = [];
for await (const line of createInterface({ input: process.stdin })) {
  const example = JSON.parse(line);
  if (example.rulebooks) {
    books = { ...books, ...example.rulebooks };
    continue;
  }
  events = [...events.slice(0, example.kept), ...example.events];
  const { home, away, book } = example;
  process.stdout.write(`${JSON.stringify(nextSnap(events, { home, away, book: books[book] }))}\n`);
}
