/**
 * A correction starts from all that stands, strikes what can no longer be true, and shows the snap
 * that follows.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Entry } from "../../static/js/console/entry/entry.js";
import { actionsOn } from "../../static/js/console/actions/index.js";
import { lean } from "../../static/js/console/actions/shared/parts.js";
import {
  absurdities,
  followingOf,
  followingWords,
} from "../../static/js/console/entry/following.js";
import { withUnsent } from "../../static/js/console/situation.js";
import { viewOf } from "../../static/js/console/panel/views.js";
import { warningsOf } from "../../static/js/console/entry/warnings.js";
import { SNAP, generated, happened, recorded, roster, situation, type } from "./typing.js";

const rules = JSON.parse(readFileSync(new URL("examples/situations.json", import.meta.url), "utf8"))
  .rulebooks["nfl 2019"];
const other = (club) => (club === "SF" ? "DAL" : "SF");
const keys = generated("console-keys.json");
const known = {
  clubs: { home: "SF", away: "DAL" },
  other,
  rules,
  roster,
  types: generated("schema/event-types.json"),
  keys,
};

/** What the server shows after these events of play 7, the first of them number 20. */
function shownWith(...bodies) {
  const events = bodies.map((body, index) => ({ ...happened(20 + index, body), words: body.type }));
  const server = {
    ...situation({ rules, live: false, play_events: events, snap: bodies[0] }),
    standing: bodies.map((body, index) => [20 + index, 7, body]),
    entered: [],
    next_event: 20 + bodies.length,
    play_number: 7,
    last_play: 7,
  };
  return { server, s: { ...withUnsent(server, [{ key: "x", entries: [] }], known), ...known } };
}

/** The overturn of one event of the play: its answers typed, then what is likely. */
function overturned(s, number, ...strokes) {
  const entry = new Entry(keys.overturn, actionsOn(keys)[keys.overturn], s);
  for (const stroke of [String(number), ...strokes])
    assert.ok("ok" in entry.take(stroke), `${stroke} at ${entry.step?.label}`);
  const asked = [];
  while (entry.step) {
    asked.push(entry.step.name);
    const { label } = entry.step;
    assert.ok("ok" in entry.take(""), label);
  }
  return { entry, bodies: entry.bodies.map(lean), asked };
}

const struck = (bodies) =>
  bodies.filter((body) => body.type === "nullify").flatMap((body) => body.events);
const AT_THE_15 = { ...SNAP, spot: 85, down: 3, distance: 1 };

// NFL 7-4-2: five yards for a false start.
test("a flag whose club is corrected stays on its spot: 3rd and 1 at the 15, 3rd and 6 at the 20", () => {
  const flag = {
    type: "penalty",
    team: "DAL",
    foul: "False Start",
    yards: 5,
    outcome: "nullify",
    enforcement_yard: 15,
  };
  const { server, s } = shownWith(AT_THE_15, flag);
  const { entry, bodies } = overturned(s, 21, "n", "h");
  const { ruling } = bodies[0];
  assert.deepEqual(
    [ruling.team, ruling.yards, ruling.enforcement_yard, ruling.outcome],
    ["SF", 5, 85, "nullify"],
  );
  const following = followingOf(entry, { server, items: [], known });
  const { possession, down, distance, spot } = following.next;
  assert.deepEqual([possession, down, distance, spot], ["SF", 3, 6, 80]);
  assert.deepEqual(followingWords(following, s), {
    title: "Next snap",
    lines: ["SF 3rd & 6 at DAL 20", "before this: SF 1st & goal at DAL 10"],
  });
  assert.deepEqual(absurdities(following, entry, s), []);
  assert.equal(
    viewOf(entry, "", s, "", following).consequences[0].lines[0],
    "SF 3rd & 6 at DAL 20",
  );
});

test("each ruling of a corrected flag names the snap that follows from it", () => {
  const flag = {
    type: "penalty",
    team: "DAL",
    foul: "False Start",
    yards: 5,
    outcome: "nullify",
    enforcement_yard: 15,
  };
  const { s } = shownWith(AT_THE_15, flag);
  const { step } = type("overturn", s, "21", "n", "h", "", "").entry;
  assert.deepEqual(step.options.map((option) => option.label).slice(0, 1), [
    "accepted: SF 3rd & 6 at DAL 20",
  ]);
});

test("a next snap that is absurd is said before it is recorded, and when it is snapped", () => {
  const flag = {
    type: "penalty",
    team: "DAL",
    foul: "False Start",
    yards: 5,
    outcome: "nullify",
    enforcement_yard: 15,
  };
  const { server, s } = shownWith(AT_THE_15, flag);
  const { entry } = overturned(s, 21, "n", "h", "", "", "a", "f", "o15");
  const words = absurdities(followingOf(entry, { server, items: [], known }), entry, s).join(" ");
  assert.match(words, /3 & 76 is unusually long/);
  assert.match(words, /The next snap moves 80 yards/);
  assert.match(
    warningsOf([{ ...SNAP, spot: 10, down: 3, distance: 76 }], s).join(" "),
    /is unusually long/,
  );
});

test("a correction of an earlier play says what that play leads to", () => {
  const { server, s } = shownWith(SNAP, {
    type: "run",
    team: "SF",
    player: "sf-25",
    kind: "rush",
    start_yard: 30,
    end_yard: 34,
  });
  const next = { ...SNAP, down: 3, distance: 4, spot: 34, clock: 660 };
  const later = {
    ...server,
    standing: [...server.standing, [22, 8, next]],
    play_number: 8,
    last_play: 8,
    next_event: 23,
  };
  const event = {
    number: 21,
    label: "#21",
    play_number: 7,
    body: server.standing[1][2],
    snap: SNAP,
    ball: s.ball,
    play_events: server.play_events,
  };
  const entry = new Entry(keys.overturn, actionsOn(keys)[keys.overturn], {
    ...s,
    play_events: [{ ...happened(22, next), play_number: 8 }],
  });
  entry.answer(event);
  for (const stroke of ["", "", "", "+3"]) entry.take(stroke);
  entry.takeRest();
  const following = followingOf(entry, { server: later, items: [], known });
  assert.deepEqual(followingWords(following, s), {
    title: "Play 7 leads to",
    lines: ["SF 3rd & 5 at SF 33", "before this: SF 3rd & 4 at SF 34"],
  });
});

const SACK = {
  type: "sack",
  team: "SF",
  player: "sf-10",
  start_yard: 30,
  end_yard: 24,
  by_team: "DAL",
  by: ["dal-54", "dal-90"],
};
const CAUGHT = {
  type: "pass",
  team: "SF",
  passer: "sf-10",
  receiver: "sf-85",
  result: "complete",
  throw_yard: 30,
  reception_yard: 40,
};
const tackle = (yard, tackled, kind = "solo", tackler = "dal-54") => ({
  type: "tackle",
  team: "DAL",
  tackler,
  tackled,
  kind,
  yard,
});

test("a corrected sack keeps its sackers, and one that is struck by hand loses them", () => {
  const { s } = shownWith(SNAP, SACK);
  assert.deepEqual(overturned(s, 21, "x", "", "-5").bodies[0].ruling, { ...SACK, end_yard: 25 });
  assert.deepEqual(overturned(s, 21, "x", "", "-5", "--").bodies[0].ruling.by, []);
});

test("a corrected tackle keeps who made it and how it was shared", () => {
  const { s } = shownWith(
    SNAP,
    CAUGHT,
    tackle(40, "sf-85", "assist"),
    tackle(40, "sf-85", "assist", "dal-90"),
  );
  assert.deepEqual(overturned(s, 22, "t").bodies[0].ruling, tackle(40, "sf-85", "assist"));
  assert.deepEqual(
    overturned(s, 22, "t", "", "24", "").bodies[0].ruling,
    tackle(40, "sf-85", "assist", "dal-24"),
  );
});

test("Enter through any correction records what stood", () => {
  const bodies = [
    { ...CAUGHT, reception_yard: 100, is_touchdown: true },
    {
      type: "run",
      team: "SF",
      player: "sf-25",
      kind: "rush",
      start_yard: 30,
      end_yard: 100,
      is_touchdown: true,
    },
    { type: "pass", team: "SF", result: "incomplete", throw_yard: 30, reception_yard: 44 },
    {
      type: "fumble",
      team: "SF",
      player: "sf-25",
      yard: 34,
      forced_by: "dal-54",
      forced_by_team: "DAL",
      out_of_bounds: true,
    },
    {
      type: "kick",
      team: "SF",
      kicker: "sf-4",
      kind: "punt",
      result: "blocked",
      start_yard: 30,
      blocked_by: "dal-54",
      blocked_by_team: "DAL",
    },
    {
      type: "kick",
      team: "SF",
      kicker: "sf-4",
      kind: "punt",
      result: "fair_catch",
      start_yard: 30,
      distance: 41,
    },
    { type: "interception", team: "DAL", player: "dal-24", yard: 55 },
    { type: "recovery", team: "DAL", player: "dal-54", yard: 100, is_touchdown: true },
    {
      type: "conversion",
      team: "DAL",
      side: "defence",
      kind: "return",
      good: true,
      player: "dal-24",
    },
    { type: "safety", team: "DAL", player: "dal-54", points: 1 },
    { type: "credit", team: "DAL", player: "dal-24", kind: "pass_defended" },
    {
      type: "penalty",
      team: "DAL",
      player: "dal-54",
      foul: "Defensive Holding",
      yards: 5,
      outcome: "first_down",
      status: "accepted",
      enforcement_yard: 70,
    },
    { ...SNAP, clock: 655, down: 4, distance: 2 },
  ];
  for (const body of bodies) {
    const { s } = shownWith(SNAP, body);
    const { bodies: corrections } = overturned(
      {
        ...s,
        recent_players: {
          passer: { SF: "sf-10" },
          runner: { SF: "sf-4" },
          punter: { SF: "sf-10" },
          place_kicker: {},
        },
      },
      21,
    );
    const stood = Object.fromEntries(
      Object.entries(corrections[0].ruling).filter(([, value]) => value !== false),
    );
    assert.deepEqual(stood, body, body.type);
    assert.equal(corrections.length, 1, body.type);
  }
});

test("a corrected snap keeps its own down and kind, whatever comes next", () => {
  const { server } = shownWith(SNAP);
  const next = { ...server.suggestion, situation: "try", down: null, distance: null, spot: 85 };
  const wire = {
    type: "snap",
    possession: "SF",
    spot: 30,
    period: 1,
    clock: 700,
    down: 2,
    distance: 8,
  }; // scrimmage is left out, as is usual
  const s = { ...server, ...known, suggestion: next, play_events: [happened(20, wire)] };
  assert.deepEqual(overturned(s, 20, "s", "640").bodies[0].ruling, { ...SNAP, clock: 400 });
});

test("a catch that becomes incomplete loses its run and its tackle, and keeps the hit on the passer (no tackle without possession)", () => {
  const ran = {
    type: "run",
    team: "SF",
    player: "sf-85",
    kind: "after_catch",
    start_yard: 40,
    end_yard: 47,
  };
  const hit = { type: "credit", team: "DAL", player: "dal-90", kind: "qb_hit" };
  const { s } = shownWith(SNAP, CAUGHT, ran, tackle(47, "sf-85"), hit, {
    type: "timeout",
    team: "SF",
  });
  assert.deepEqual(struck(overturned(s, 21, "p", "", "i").bodies), [22, 23]);
});

test("what can no longer be true goes: breakups of a catch, a return without its interception, a loss that was a gain, a tackle after a touchdown", () => {
  const thrown = {
    type: "pass",
    team: "SF",
    passer: "sf-10",
    receiver: "sf-85",
    result: "incomplete",
    throw_yard: 30,
    reception_yard: 44,
  };
  const broken = { type: "credit", team: "DAL", player: "dal-24", kind: "pass_defended" };
  assert.deepEqual(struck(overturned(shownWith(SNAP, thrown, broken).s, 21, "p", "", "c").bodies), [
    22,
  ]);
  const back = [
    { type: "interception", team: "DAL", player: "dal-24", yard: 56 },
    { type: "run", team: "DAL", player: "dal-24", kind: "return", start_yard: 56, end_yard: 60 },
    { type: "tackle", team: "SF", tackler: "sf-85", tackled: "dal-24", kind: "solo", yard: 60 },
  ];
  assert.deepEqual(
    struck(
      overturned(shownWith(SNAP, { ...thrown, result: "intercepted" }, ...back).s, 21, "p", "", "i")
        .bodies,
    ),
    [22, 23, 24],
  );
  const lost = {
    type: "run",
    team: "SF",
    player: "sf-25",
    kind: "rush",
    start_yard: 30,
    end_yard: 28,
  };
  const loss = { type: "credit", team: "DAL", player: "dal-54", kind: "tackle_for_loss" };
  assert.deepEqual(
    struck(
      overturned(shownWith(SNAP, lost, tackle(28, "sf-25"), loss).s, 21, "r", "", "", "+2").bodies,
    ),
    [23],
  );
  assert.deepEqual(
    struck(
      overturned(shownWith(SNAP, lost, tackle(28, "sf-25"), loss).s, 21, "r", "", "", "t").bodies,
    ),
    [22, 23],
  );
});

test("what goes on from the corrected movement goes on from where it ends now", () => {
  const ran = {
    type: "run",
    team: "SF",
    player: "sf-85",
    kind: "after_catch",
    start_yard: 40,
    end_yard: 47,
  };
  const { bodies } = overturned(
    shownWith(SNAP, CAUGHT, ran, tackle(47, "sf-85")).s,
    21,
    "p",
    "",
    "",
    "4",
    "o42",
  );
  assert.deepEqual(
    bodies
      .slice(0, 2)
      .map((body) => [
        body.event,
        body.ruling.start_yard ?? body.ruling.reception_yard,
        body.ruling.player ?? body.ruling.receiver,
      ]),
    [
      [21, 42, "sf-4"],
      [22, 42, "sf-4"],
    ],
  );
  assert.deepEqual(
    bodies[2].ruling,
    tackle(47, "sf-4"),
    "whoever caught it was tackled at the end of his run",
  );
  const rush = {
    type: "run",
    team: "SF",
    player: "sf-25",
    kind: "rush",
    start_yard: 30,
    end_yard: 34,
  };
  const along = overturned(
    shownWith(SNAP, rush, tackle(34, "sf-25")).s,
    21,
    "r",
    "",
    "4",
    "+6",
  ).bodies;
  assert.deepEqual(along[1].ruling, tackle(36, "sf-4"));
  assert.equal(
    overturned(shownWith(SNAP, rush, tackle(34, "sf-25")).s, 21, "r", "", "4", "+6", "", "n").bodies
      .length,
    1,
  );
});

test("a return goes on from where the kick came down by its corrected length, and a muff lies there", () => {
  const punt = {
    type: "kick",
    team: "SF",
    kicker: "sf-4",
    kind: "punt",
    result: "returned",
    start_yard: 30,
    distance: 65,
  };
  const back = {
    type: "run",
    team: "DAL",
    player: "dal-88",
    kind: "return",
    start_yard: 5,
    end_yard: 12,
  };
  const rulings = (...after) =>
    overturned(shownWith({ ...SNAP, down: 4 }, punt, ...after).s, 21, "", "", "", "", "8").bodies;
  assert.deepEqual(
    rulings(back).map((body) => body.ruling),
    [
      { ...punt, distance: 62 },
      { ...back, start_yard: 8 },
    ],
  );
  const muffed = rulings(
    { ...back, end_yard: 5 },
    { type: "fumble", team: "DAL", player: "dal-88", yard: 5 },
    { type: "recovery", team: "SF", player: "sf-85", yard: 95 },
  );
  assert.deepEqual(
    muffed.map((body) => [body.event, body.ruling.end_yard ?? body.ruling.yard]),
    [
      [21, undefined],
      [22, 8],
      [23, 8],
    ],
  );
});

test("a missed field goal that was brought back keeps its return when its kicker or length is put right", () => {
  const missed = {
    type: "kick",
    team: "SF",
    kicker: "sf-4",
    kind: "field_goal",
    result: "missed",
    start_yard: 58,
    distance: 60,
  };
  const back = {
    type: "run",
    team: "DAL",
    player: "dal-88",
    kind: "return",
    start_yard: -4,
    end_yard: 50,
  };
  const { bodies } = overturned(
    shownWith({ ...SNAP, spot: 58, down: 4 }, missed, back, {
      type: "tackle",
      team: "SF",
      tackler: "sf-85",
      tackled: "dal-88",
      kind: "solo",
      yard: 50,
    }).s,
    21,
    "",
    "",
    "",
    "",
    "59",
  );
  assert.deepEqual(
    bodies.map((body) => body.ruling),
    [{ ...missed, distance: 59 }],
  );
});

test("a returned kickoff keeps where it came down", () => {
  const kick = {
    type: "kick",
    team: "SF",
    kicker: "sf-4",
    kind: "kickoff",
    result: "returned",
    start_yard: 35,
    distance: 60,
    landed: "landing_zone",
  };
  const { s } = shownWith(
    { ...SNAP, situation: "kickoff", spot: 35, down: null, distance: null },
    kick,
    { type: "run", team: "DAL", player: "dal-88", kind: "return", start_yard: 5, end_yard: 30 },
  );
  assert.deepEqual(
    overturned(s, 21, "", "", "25").bodies.map((body) => body.ruling),
    [{ ...kick, kicker: "sf-25" }],
  );
});

test("an interceptor is corrected with his return and the tackle at its end", () => {
  const thrown = {
    type: "pass",
    team: "SF",
    passer: "sf-10",
    result: "intercepted",
    throw_yard: 30,
    reception_yard: 60,
  };
  const back = {
    type: "run",
    team: "DAL",
    player: "dal-24",
    kind: "return",
    start_yard: 40,
    end_yard: 55,
  };
  const stop = {
    type: "tackle",
    team: "SF",
    tackler: "sf-85",
    tackled: "dal-24",
    kind: "solo",
    yard: 55,
  };
  const { bodies } = overturned(
    shownWith(
      SNAP,
      thrown,
      { type: "interception", team: "DAL", player: "dal-24", yard: 40 },
      back,
      stop,
    ).s,
    22,
    "",
    "90",
  );
  assert.deepEqual(
    bodies.slice(1).map((body) => body.ruling),
    [
      { ...back, player: "dal-90" },
      { ...stop, tackled: "dal-90" },
    ],
  );
});

test("a flag that was declined and is accepted now takes its play away, attempt and credits (NFL 8-5); one that stays accepted does not", () => {
  const thrown = {
    type: "pass",
    team: "SF",
    passer: "sf-10",
    receiver: "sf-85",
    result: "incomplete",
    throw_yard: 30,
    reception_yard: 44,
  };
  const broken = { type: "credit", team: "DAL", player: "dal-24", kind: "pass_defended" };
  const declined = {
    type: "penalty",
    team: "DAL",
    foul: "Defensive Pass Interference",
    status: "declined",
    outcome: "decline",
  };
  assert.deepEqual(
    struck(overturned(shownWith(SNAP, thrown, broken, declined).s, 23, "", "", "", "", "a").bodies),
    [21, 22],
  );
  const accepted = {
    ...declined,
    yards: 14,
    status: "accepted",
    outcome: "first_down",
    enforcement_yard: 70,
  };
  assert.deepEqual(struck(overturned(shownWith(SNAP, thrown, broken, accepted).s, 23).bodies), []);
});

test("a flag that struck its play out and is declined now does not bring the play back, which is said", () => {
  const { s } = shownWith(SNAP, {
    type: "penalty",
    team: "SF",
    foul: "Offensive Holding",
    yards: 10,
    outcome: "nullify",
    enforcement_yard: 30,
  });
  const { entry, bodies } = overturned(s, 21, "", "", "", "", "d");
  assert.match(warningsOf(bodies, entry.scene).join(" "), /The play stays struck out/);
  const ran = {
    type: "run",
    team: "SF",
    player: "sf-25",
    kind: "rush",
    start_yard: 30,
    end_yard: 34,
  };
  const beside = overturned(
    shownWith(SNAP, ran, {
      type: "penalty",
      team: "SF",
      foul: "Taunting",
      yards: 15,
      outcome: "downfield",
    }).s,
    22,
    "",
    "",
    "",
    "",
    "d",
  );
  assert.deepEqual(warningsOf(beside.bodies, beside.entry.scene), []);
});

test("a kick that becomes one of another kind is not proposed with a result that such a kick cannot have", () => {
  const punt = {
    type: "kick",
    team: "SF",
    kicker: "sf-4",
    kind: "punt",
    result: "touchback",
    start_yard: 60,
    distance: 40,
  };
  assert.equal(
    overturned(shownWith({ ...SNAP, spot: 60, down: 4 }, punt).s, 21, "", "f").bodies[0].ruling
      .result,
    "good",
  );
});

test("an interceptor is corrected among the club that made the interception", () => {
  const thrown = {
    type: "pass",
    team: "SF",
    passer: "sf-10",
    result: "intercepted",
    throw_yard: 30,
    reception_yard: 44,
  };
  const { s } = shownWith(SNAP, thrown, {
    type: "interception",
    team: "DAL",
    player: "dal-24",
    yard: 56,
  });
  assert.deepEqual(overturned(s, 22, "i", "90").bodies[0].ruling, {
    type: "interception",
    team: "DAL",
    player: "dal-90",
    yard: 56,
    is_touchdown: false,
  });
});

test("a slip is corrected by the scorer; a play that was reviewed is overturned by the officials", () => {
  const rush = {
    type: "run",
    team: "SF",
    player: "sf-25",
    kind: "rush",
    start_yard: 30,
    end_yard: 34,
  };
  const slip = overturned(shownWith(SNAP, rush).s, 21, "r", "", "4");
  assert.deepEqual([slip.bodies[0].by_scorer, slip.asked.includes("cause")], [true, false]);
  const reviewed = overturned(
    shownWith(SNAP, rush, { type: "challenge", by: "SF", ruling: "overturned" }).s,
    21,
    "r",
    "",
    "4",
  );
  assert.deepEqual(
    [reviewed.bodies[0].by_scorer, reviewed.asked.includes("cause")],
    [undefined, true],
  );
  const ended = overturned({ ...shownWith(SNAP, rush).s, status: "final" }, 21, "r", "", "4");
  assert.deepEqual(
    [ended.bodies[0].type, ended.asked.includes("cause")],
    ["stat_correction", false],
  );
});

const entered = (numbers, ...bodies) => ({
  numbers,
  words: "",
  correction: false,
  undone: false,
  room: null,
  play_number: 7,
  bodies,
  undo: [{ type: "nullify", events: numbers }],
  snap: SNAP,
  ball: situation().ball,
});

test("an entry that is entered anew proposes everything of it, and Enter alone changes nothing", () => {
  const loss = { type: "credit", team: "DAL", player: "dal-54", kind: "tackle_for_loss" };
  const ran = {
    type: "run",
    team: "SF",
    player: "sf-85",
    kind: "after_catch",
    start_yard: 40,
    end_yard: 47,
    is_touchdown: false,
  };
  const whole = [
    [
      "pass",
      { ...CAUGHT, is_touchdown: false },
      ran,
      tackle(47, "sf-85", "primary"),
      tackle(47, "sf-85", "assist", "dal-90"),
    ],
    [
      "run",
      {
        type: "run",
        team: "SF",
        player: "sf-25",
        kind: "rush",
        start_yard: 30,
        end_yard: 28,
        is_touchdown: false,
      },
      tackle(28, "sf-25"),
      loss,
    ],
    [
      "sack",
      { ...SACK, by: ["dal-54"] },
      tackle(24, "sf-10"),
      { type: "credit", team: "DAL", player: "dal-54", kind: "qb_hit" },
    ],
    [
      "kick",
      {
        type: "kick",
        team: "SF",
        kicker: "sf-4",
        kind: "punt",
        result: "returned",
        start_yard: 30,
        distance: 50,
      },
      {
        type: "run",
        team: "DAL",
        player: "dal-12",
        kind: "return",
        start_yard: 20,
        end_yard: 33,
        is_touchdown: false,
      },
      { type: "tackle", team: "SF", tackler: "sf-85", tackled: "dal-12", kind: "solo", yard: 33 },
    ],
    [
      "run",
      {
        type: "run",
        team: "SF",
        player: "sf-25",
        kind: "rush",
        start_yard: 30,
        end_yard: 0,
        is_touchdown: false,
      },
      tackle(0, "sf-25"),
      loss,
      { type: "safety", team: "DAL", points: 2 },
    ],
    [
      "sack",
      { ...SACK, end_yard: 0, by: ["dal-54"] },
      tackle(0, "sf-10"),
      { type: "credit", team: "DAL", player: "dal-54", kind: "qb_hit" },
      { type: "safety", team: "DAL", player: "dal-90", points: 2 },
    ],
    [
      "kick",
      {
        type: "kick",
        team: "SF",
        kicker: "sf-4",
        kind: "punt",
        result: "returned",
        start_yard: 30,
        distance: 50,
      },
      {
        type: "run",
        team: "DAL",
        player: "dal-12",
        kind: "return",
        start_yard: 20,
        end_yard: 20,
        is_touchdown: false,
      },
      { type: "fumble", team: "DAL", player: "dal-12", yard: 24, out_of_bounds: true },
    ],
    [
      "fumble",
      { type: "fumble", team: "SF", player: "sf-25", yard: 5, out_of_bounds: true },
      { type: "safety", team: "DAL", points: 2 },
    ],
    [
      "kick",
      {
        type: "kick",
        team: "SF",
        kicker: "sf-4",
        kind: "punt",
        result: "blocked",
        start_yard: 30,
        blocked_by: "dal-54",
        blocked_by_team: "DAL",
      },
      { type: "safety", team: "DAL", player: "dal-90", points: 2 },
    ],
    [
      "kick",
      {
        type: "kick",
        team: "SF",
        kicker: "sf-4",
        kind: "punt",
        result: "returned",
        start_yard: 30,
        distance: 67,
      },
      {
        type: "run",
        team: "DAL",
        player: "dal-12",
        kind: "return",
        start_yard: 3,
        end_yard: 0,
        is_touchdown: false,
      },
      { type: "tackle", team: "SF", tackler: "sf-85", tackled: "dal-12", kind: "solo", yard: 0 },
      { type: "safety", team: "SF", player: "sf-4", points: 2 },
    ],
    [
      "fumble",
      { type: "fumble", team: "SF", player: "sf-25", yard: 34, out_of_bounds: false },
      { type: "recovery", team: "DAL", player: "dal-90", yard: 66, is_touchdown: false },
      {
        type: "run",
        team: "DAL",
        player: "dal-90",
        kind: "after_recovery",
        start_yard: 66,
        end_yard: 70,
        is_touchdown: false,
      },
    ],
  ];
  for (const [name, ...bodies] of whole) {
    const s = situation({
      rules,
      recent: [
        entered(
          bodies.map((_, index) => 40 + index),
          ...bodies,
        ),
      ],
      ball: { ...situation().ball, yard: 34, player: "sf-25" },
    });
    const [undone, ...anew] = recorded("replace", s, "", keys[name]);
    assert.deepEqual([undone.type, anew], ["nullify", bodies.map(lean)], name);
  }
});

test("what of an entry was struck out since is not proposed again", () => {
  const entry = {
    ...entered([40, 41], { ...CAUGHT, is_touchdown: false }, tackle(40, "sf-85")),
    undo: [{ type: "nullify", events: [40] }],
  };
  assert.deepEqual(
    recorded("replace", situation({ rules, recent: [entry] }), "", keys.pass).map(
      (body) => body.type,
    ),
    ["nullify", "pass"],
  );
});

test("the snap of an entry that opened its play stays when the entry is entered anew", () => {
  const rush = {
    type: "run",
    team: "SF",
    player: "sf-25",
    kind: "rush",
    start_yard: 30,
    end_yard: 34,
  };
  const s = situation({ rules, recent: [entered([40, 41, 42], SNAP, rush, tackle(34, "sf-25"))] });
  const [undone, anew] = recorded("replace", s, "", keys.run, "", "4");
  assert.deepEqual(
    [undone.events, anew.type, anew.player, anew.start_yard],
    [[41, 42], "run", "sf-4", 30],
  );
});

test("Shift+Enter takes what is typed or marked, then what is likely", () => {
  const { entry } = type("run", situation(), "r", "25", "+3");
  assert.deepEqual(entry.takeAll("54"), { ok: true });
  assert.deepEqual(entry.bodies.map(lean)[1], tackle(33, "sf-25"));
  const picked = type("run", situation(), "r").entry;
  picked.takeAll("sf-4");
  assert.equal(picked.answers.player, "sf-4");
  assert.ok("error" in type("run", situation(), "r").entry.takeAll("nobody like that"));
});

test("a run after the catch that becomes an incomplete pass takes the catch, the run and the tackle away: one throw, no catch", () => {
  const caught = {
    type: "pass",
    team: "SF",
    passer: "sf-10",
    receiver: "sf-85",
    result: "complete",
    throw_yard: 30,
    reception_yard: 38,
  };
  const ran = {
    type: "run",
    team: "SF",
    player: "sf-85",
    kind: "after_catch",
    start_yard: 38,
    end_yard: 42,
  };
  const tackle = { type: "tackle", team: "DAL", player: "dal-54", yard: 42 };
  const { s } = shownWith(SNAP, caught, ran, tackle);
  const { bodies } = overturned(s, 22, "p", "10", "i");
  assert.deepEqual(
    [bodies[0].event, bodies[0].ruling.type, bodies[0].ruling.throw_yard],
    [22, "pass", 30],
  );
  assert.deepEqual(struck(bodies), [21, 23], JSON.stringify(bodies));
});

test("a return that becomes an incomplete pass takes the throw and the interception away", () => {
  const thrown = {
    type: "pass",
    team: "SF",
    passer: "sf-10",
    result: "intercepted",
    throw_yard: 30,
    reception_yard: 50,
  };
  const picked = { type: "interception", team: "DAL", player: "dal-54", yard: 50 };
  const back = {
    type: "run",
    team: "DAL",
    player: "dal-54",
    kind: "return",
    start_yard: 50,
    end_yard: 60,
  };
  const { s } = shownWith(SNAP, thrown, picked, back);
  const { bodies } = overturned(s, 23, "p", "10", "i");
  assert.deepEqual(bodies[1].events, [21, 22]);
  assert.equal(bodies[0].ruling.team, "SF");
});
