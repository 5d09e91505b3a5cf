// The buttons beside the bid of an auction.
import assert from "node:assert/strict";
import test from "node:test";

import { raised } from "../../static/js/draft/bids.js";

test("a button adds to what is typed, or to the price if that is higher", () => {
  assert.equal(raised("12", 9, 5, 50), 17);
  assert.equal(raised("3", 9, 1, 50), 10);
  assert.equal(raised("", 9, 5, 50), 14);
  assert.equal(raised("a lot", 9, 1, 50), 10);
});

test("a bid never exceeds what the team can pay", () => {
  assert.equal(raised("48", 9, 5, 50), 50);
  assert.equal(raised("60", 9, 1, 50), 50);
});
