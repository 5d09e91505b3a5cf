/**
 * Rules that stand in Python and in the browser, by the examples that
 * tests/record/test_shared_examples.py reads too.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { actionsOn } from "../../static/js/console/actions/index.js";
import { consequencesOf } from "../../static/js/console/entry/consequences.js";
import { ballAfter } from "../../static/js/console/rules/ball.js";
import { Roster } from "../../static/js/console/roster.js";
import { parseSnap } from "../../static/js/console/entry/snaptext.js";
import { clockWords, periodWords, spotWords } from "../../static/js/console/entry/spots.js";
import { warningsOf } from "../../static/js/console/entry/warnings.js";
import { sentenceOf } from "../../static/js/console/entry/words.js";

const examples = (name) =>
  JSON.parse(readFileSync(new URL(`examples/${name}.json`, import.meta.url), "utf8"));
const rules = {
  kickoff: 35,
  free_kick: 20,
  kickoff_touchback: 25,
  touchback: 20,
  kickoff_out_of_bounds: 25,
  try_spot: 85,
  two_point_spot: 98,
  missed_field_goal: "kick",
};
const clubs = { home: "SF", away: "DAL" };
const other = (club) => (club === "SF" ? "DAL" : "SF");
/** What `pressbox docs` writes from the Python side. */
const generated = (name) =>
  JSON.parse(readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8"));
const types = generated("schema/event-types.json");
const names = [...new Set(examples("bodies").flatMap((example) => example.players))];
const roster = new Roster(
  names.map((id) => ({
    id,
    club: id.split("-")[0].toUpperCase(),
    number: null,
    name: id,
    position: "",
  })),
);
const situation = (players = roster) => ({
  clubs,
  other,
  types,
  roster: players,
  score: { SF: 0, DAL: 0 },
  suggestion: {},
  play_events: [],
  recent: [],
});

test("every event type of the record has a sentence here", () => {
  for (const { body } of examples("bodies")) {
    const words = sentenceOf([body], situation());
    assert.ok(words.length > 5 && !/undefined|null|NaN/.test(words), `${body.type}: ${words}`);
  }
});

test("everybody whom an event names is looked for on the roster", () => {
  const nobody = situation(new Roster([]));
  for (const { body, players } of examples("bodies").filter(
    (example) => !example.body.ruling || example.body.type === "challenge",
  )) {
    const strangers = warningsOf([body], nobody)
      .filter((warning) => warning.includes("roster"))
      .map((warning) => warning.split(" ")[0]);
    assert.deepEqual(strangers.sort(), [...players].sort(), body.type);
    assert.deepEqual(
      warningsOf([body], situation()).filter((warning) => warning.includes("roster")),
      [],
      body.type,
    );
  }
});

test("the ball is followed as the server follows it", () => {
  for (const { case: name, snap, bodies, team, yard, player } of examples("balls")) {
    const ball = ballAfter(snap, bodies, { ...clubs, book: rules });
    assert.deepEqual(
      { team: ball.team, yard: ball.yard, player: ball.player },
      { team, yard, player },
      name,
    );
  }
});

test("spots, clocks and periods are said as the server says them", () => {
  for (const { spot, clock, period, words } of examples("words")) {
    if (spot) assert.equal(spotWords(...spot), words);
    else assert.equal(clock === undefined ? periodWords(period) : clockWords(clock), words);
  }
});

test("a snap's one line is read", () => {
  const suggestion = {
    possession: "SF",
    spot: 30,
    period: 1,
    clock: 700,
    situation: "scrimmage",
    down: 1,
    distance: 10,
  };
  for (const { text, snap } of examples("snaps")) {
    const parsed = parseSnap(text, suggestion, clubs, rules);
    assert.ok("snap" in parsed, text);
    assert.deepEqual(
      Object.fromEntries(Object.keys(snap).map((name) => [name, parsed.snap[name]])),
      snap,
      text,
    );
  }
  assert.match(
    parseSnap("nonsense", suggestion, clubs, rules).error,
    /‘nonsense’ is not part of a snap/,
  );
});

test("every key that the server offers has an action here, and no other", () => {
  const keys = generated("console-keys.json");
  const actions = actionsOn(keys);
  assert.deepEqual(
    Object.fromEntries(Object.entries(actions).map(([key, action]) => [action.name, key])),
    keys,
  );
  for (const action of Object.values(actions))
    assert.ok(action.title && action.steps && action.build, action.name);
});

test("a review holds what moves the ball and its credits, and nothing that stands beside it", () => {
  const events = examples("bodies").map(({ body }, index) => ({
    number: index + 1,
    type: body.type,
    words: body.type,
  }));
  const [points] = consequencesOf([{ type: "challenge", ruling: "pending" }], {
    ...situation(),
    play_events: events,
  });
  const eventTypes = new Set(points.lines.map((line) => line.split(" ")[1]));
  assert.deepEqual(
    [...eventTypes].sort(),
    Object.keys(types)
      .filter((name) => ["action", "credit"].includes(types[name].part))
      .sort(),
  );
});
