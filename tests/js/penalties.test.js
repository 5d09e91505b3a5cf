/** What the keys make of a flag: when it was, from where, how far, and what becomes of the play. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { consequencesOf } from "../../static/js/console/entry/consequences.js";
import { ballAfter } from "../../static/js/console/rules/ball.js";
import { nextSnap } from "../../static/js/console/rules/situation.js";
import { warningsOf } from "../../static/js/console/entry/warnings.js";
import { SNAP, happened, recorded, situation, type } from "./typing.js";

const books = JSON.parse(
  readFileSync(new URL("examples/situations.json", import.meta.url), "utf8"),
).rulebooks;
const rules = books["nfl 2019"];
const THROWN = {
  type: "pass",
  team: "SF",
  passer: "sf-10",
  receiver: "sf-85",
  result: "incomplete",
  throw_yard: 30,
  reception_yard: 52,
};
const BROKEN_UP = { type: "credit", team: "DAL", player: "dal-24", kind: "pass_defended" };
const CAUGHT = {
  type: "pass",
  team: "SF",
  passer: "sf-10",
  receiver: "sf-85",
  result: "complete",
  throw_yard: 30,
  reception_yard: 44,
};
const RUSH = {
  type: "run",
  team: "SF",
  player: "sf-25",
  kind: "rush",
  start_yard: 30,
  end_yard: 41,
};
const TOUCHDOWN = { ...RUSH, end_yard: 100, is_touchdown: true };

/**
 * After a play of SF from its own 30, 2nd and 8: `at` is where the ball lies, `next` the snap to
 * come.
 */
function after(bodies, { at = 30, team = "SF", next = {} } = {}) {
  const events = [happened(20, SNAP), ...bodies.map((body, index) => happened(21 + index, body))];
  const ball = {
    team,
    yard: at,
    player: null,
    turned: team !== "SF",
    outcome: "going",
    kick: null,
  };
  const suggestion = {
    possession: team,
    spot: at,
    period: 1,
    clock: 660,
    situation: "scrimmage",
    down: 3,
    distance: 8,
    check: false,
    why: "",
    ...next,
  };
  return situation({ rules, live: false, play_events: events, ball, suggestion });
}

const struck = (bodies) => bodies.find((body) => body.type === "nullify")?.events ?? [];
const flag = (bodies) => bodies.find((body) => body.type === "penalty");

test("a foul before the snap after the ball has changed hands is one of the play to come", () => {
  const fourth = { ...SNAP, down: 4, distance: 8 };
  const punt = {
    type: "kick",
    team: "SF",
    kind: "punt",
    result: "fair_catch",
    start_yard: 30,
    distance: 50,
  };
  const s = situation({
    rules,
    live: false,
    snap: fourth,
    suggestion: { ...SNAP, possession: "DAL", spot: 20, down: 1, distance: 10 },
    play_events: [happened(20, fourth), happened(21, punt)],
    ball: { team: "DAL", yard: 20, player: null, turned: true, outcome: "none", kick: "punt" },
  });
  const [snap, foul] = recorded("penalty", s, "a", "False Start");
  assert.deepEqual(
    [snap.type, snap.possession, foul.type, foul.team, foul.outcome],
    ["snap", "DAL", "penalty", "DAL", "nullify"],
  );
});

test("pass interference takes the attempt and its credits away, and goes to the spot of the foul", () => {
  const bodies = recorded(
    "penalty",
    after([THROWN, BROKEN_UP]),
    "a",
    "defensive pass",
    "",
    "24",
    "a",
    "f",
    "d48",
  );
  assert.deepEqual(flag(bodies), {
    type: "penalty",
    team: "DAL",
    player: "dal-24",
    foul: "Defensive Pass Interference",
    yards: 22,
    status: "accepted",
    outcome: "first_down",
    enforcement_yard: 70,
  });
  assert.deepEqual(struck(bodies), [21, 22]);
});

test("a face mask of the defence is fifteen from the end of the run, and the run stands", () => {
  const bodies = recorded("penalty", after([RUSH], { at: 41 }), "a", "face mask");
  assert.deepEqual(
    [flag(bodies).yards, flag(bodies).outcome, flag(bodies).enforcement_yard, struck(bodies)],
    [15, "first_down", 59, []],
  );
  assert.deepEqual(
    consequencesOf(bodies, situation()).map((section) => section.title),
    ["The play stands"],
  );
});

test("a face mask of the offence is walked off from the spot of the foul", () => {
  const bodies = recorded(
    "penalty",
    after([RUSH], { at: 41 }),
    "h",
    "face mask",
    "",
    "",
    "",
    "",
    "o38",
  );
  assert.deepEqual(
    [flag(bodies).yards, flag(bodies).outcome, flag(bodies).enforcement_yard, struck(bodies)],
    [15, "downfield", 38, []],
  );
});

const ruled = (bodies) => bodies.find((body) => body.type === "overturn");
const reason = "Offensive Holding: credited to the spot of the foul";

test("a run is credited to the spot of a foul downfield, unless the scorer says no", () => {
  const long = { ...RUSH, end_yard: 50 };
  const strokes = ["h", "offensive holding", "", "", "a", "f", "o38", "", "", ""];
  const bodies = recorded("penalty", after([long], { at: 50 }), ...strokes);
  assert.deepEqual(ruled(bodies), {
    type: "overturn",
    event: 21,
    ruling: { ...RUSH, end_yard: 38, is_touchdown: false },
    reason,
  });
  assert.deepEqual(struck(bodies), []);
  const { entry } = type("penalty", after([long], { at: 50 }), ...strokes);
  assert.deepEqual(
    entry.step.options.map((option) => option.label),
    ["yes, to SF 38 (8 yards)", "no, to the 50 (20 yards) as it was"],
  );
  assert.equal(ruled(recorded("penalty", after([long], { at: 50 }), ...strokes, "n")), undefined);
});

test("what was gained after the spot of the foul goes: run after the catch, lateral, touchdown", () => {
  const flagged = (events, at) =>
    recorded("penalty", after(events, { at }), "h", "offensive holding", "", "", "a", "f", "o42");
  const ran = {
    type: "run",
    team: "SF",
    player: "sf-85",
    kind: "after_catch",
    start_yard: 44,
    end_yard: 60,
  };
  const tackle = {
    type: "tackle",
    team: "DAL",
    tackler: "dal-24",
    tackled: "sf-85",
    kind: "solo",
    yard: 60,
  };
  const caught = flagged([CAUGHT, ran, tackle], 60);
  assert.deepEqual(
    [ruled(caught).event, ruled(caught).ruling.reception_yard, struck(caught)],
    [21, 42, [22]],
  );
  const lateral = {
    type: "run",
    team: "SF",
    player: "sf-85",
    kind: "after_lateral",
    start_yard: 41,
    end_yard: 60,
  };
  assert.deepEqual(
    [
      ruled(flagged([RUSH, lateral], 60)).event,
      ruled(flagged([RUSH, lateral], 60)).ruling.end_yard,
    ],
    [22, 42],
  );
  assert.deepEqual(
    [
      ruled(flagged([TOUCHDOWN], 100)).ruling.end_yard,
      ruled(flagged([TOUCHDOWN], 100)).ruling.is_touchdown,
    ],
    [42, false],
  );
});

test("a return is credited to the spot of the returners' foul as well", () => {
  const punt = {
    type: "kick",
    team: "SF",
    kicker: "sf-4",
    kind: "punt",
    result: "returned",
    start_yard: 30,
    distance: 50,
  };
  const back = {
    type: "run",
    team: "DAL",
    player: "dal-88",
    kind: "return",
    start_yard: 20,
    end_yard: 45,
  };
  const s = after([punt, back], { at: 45, team: "DAL", next: { spot: 45, down: 1, distance: 10 } });
  const bodies = recorded("penalty", s, "a", "offensive holding", "", "", "a", "f", "o34");
  assert.deepEqual(
    [flag(bodies).enforcement_yard, ruled(bodies).event, ruled(bodies).ruling.end_yard],
    [34, 22, 34],
  );
});

test("nothing is cut behind the line, at the end of the run, after a loose ball, or where the play does not count", () => {
  const long = { ...RUSH, end_yard: 50 };
  const at = (spot, s = after([long], { at: 50 })) =>
    ruled(recorded("penalty", s, "h", "offensive holding", "", "", "a", "f", spot));
  assert.deepEqual([at("o27"), at("50"), at("d44")], [undefined, undefined, undefined]);
  const loose = after(
    [long, { type: "fumble", team: "SF", player: "sf-25", yard: 50, out_of_bounds: true }],
    { at: 50 },
  );
  assert.equal(at("o38", loose), undefined);
  const wiped = recorded(
    "penalty",
    after([long], { at: 50 }),
    "h",
    "offensive holding",
    "",
    "",
    "a",
    "f",
    "o38",
    "",
    "n",
  );
  assert.deepEqual([ruled(wiped), struck(wiped)], [undefined, [21]]);
});

test("roughing the passer: from the end of a catch, and no play after an incomplete pass", () => {
  const caught = recorded("penalty", after([CAUGHT], { at: 44 }), "a", "roughing the passer");
  assert.deepEqual([flag(caught).enforcement_yard, struck(caught)], [56, []]);
  const thrown = recorded("penalty", after([THROWN]), "a", "roughing the passer");
  assert.deepEqual(
    [flag(thrown).enforcement_yard, flag(thrown).outcome, struck(thrown)],
    [70, "first_down", [21]],
  );
});

test("holding behind the line and on a pass that fell is no play; beyond the line the gain stands to the foul", () => {
  const thrown = recorded("penalty", after([THROWN]), "h", "offensive holding");
  assert.deepEqual(
    [flag(thrown).yards, flag(thrown).outcome, struck(thrown)],
    [10, "nullify", [21]],
  );
  const rush = recorded(
    "penalty",
    after([RUSH], { at: 41 }),
    "h",
    "offensive holding",
    "",
    "",
    "",
    "",
    "o36",
  );
  assert.deepEqual(
    [flag(rush).outcome, flag(rush).enforcement_yard, struck(rush)],
    ["downfield", 36, []],
  );
});

test("holding behind the line is walked off from the previous spot, whatever spot is typed (NFL 14-3)", () => {
  // NFL rule 14-3: all fouls of the offence behind the line, except in its end zone. NCAA 9-3-3-b
  // penalty and 10-2-2. NFHS 10-4 since 2023; until then from the spot of the foul.
  const held = (book, where, name) => {
    const s = { ...after([THROWN]), rules: books[book] };
    const bodies = recorded("penalty", s, "h", name, "", "", "a", "f", where);
    const { yards, outcome, enforcement_yard: from } = flag(bodies);
    return [from, yards, outcome, struck(bodies)];
  };
  assert.deepEqual(held("nfl 2026", "o26", "Offensive Holding"), [30, 10, "nullify", [21]]);
  assert.deepEqual(held("ncaa 2026", "o26", "Holding"), [30, 10, "nullify", [21]]);
  assert.deepEqual(held("nfhs 2024", "o26", "Holding"), [30, 10, "nullify", [21]]);
  assert.deepEqual(held("nfhs 2019", "o26", "Holding"), [26, 10, "downfield", []]);
  assert.deepEqual(held("nfl 2026", "o33", "Offensive Holding").slice(0, 1), [33]);
  assert.deepEqual(held("nfl 2026", "o26", "Intentional Grounding").slice(0, 1), [26]);
});

test("holding behind the goal line stays a safety, and half the distance is from the previous spot", () => {
  const near = { ...SNAP, spot: 6 };
  const s = situation({
    rules,
    snap: near,
    play_events: [happened(20, near), happened(21, THROWN)],
  });
  const typed = (where) =>
    recorded("penalty", s, "h", "offensive holding", "", "", "a", "f", where);
  assert.deepEqual([flag(typed("o2")).yards, flag(typed("o2")).enforcement_yard], [3, 6]);
  assert.ok(typed("0").some((body) => body.type === "safety"));
});

test("the question for the spot of a foul says that behind the line it does not count", () => {
  const asked = (club, name) =>
    type("penalty", after([THROWN]), club, name, "", "", "a", "f").entry.step.hint;
  assert.equal(
    asked("h", "offensive holding"),
    "A foul behind the line is enforced from the previous spot, SF 30.",
  );
  assert.equal(asked("h", "intentional grounding"), undefined);
});

test("grounding stands as an incomplete pass and costs the down", () => {
  const bodies = recorded("penalty", after([THROWN]), "h", "intentional grounding");
  assert.deepEqual([flag(bodies).outcome, struck(bodies)], ["change_down", []]);
});

test("never more than half the way to the goal line, without a warning", () => {
  const snap = { ...SNAP, spot: 7 };
  const bodies = recorded("penalty", situation({ rules, snap }), "h", "false start");
  assert.deepEqual([flag(bodies).yards, flag(bodies).enforcement_yard], [3, 7]);
  assert.deepEqual(warningsOf(bodies, situation()), []);
  const near = recorded(
    "penalty",
    situation({ rules, snap: { ...SNAP, spot: 94 } }),
    "a",
    "defensive holding",
  );
  assert.equal(flag(near).yards, 3);
});

test("the question names the snap that follows from each answer of the offended club", () => {
  const labels = (...strokes) =>
    type("penalty", after([RUSH], { at: 41 }), ...strokes).entry.step.options.map(
      (option) => option.label,
    );
  assert.deepEqual(labels("h", "offensive holding", "", ""), [
    "accepted: SF 2nd & 7 at SF 31",
    "declined: SF 1st & 10 at SF 41",
    "offsetting: SF 2nd & 8 at SF 30",
  ]);
  // Walked off from where the foul was, the gain counts up to there.
  assert.deepEqual(labels("h", "offensive holding", "", "", "a", "f", "o36", "10").slice(0, 2), [
    "no play: nullify it: SF 2nd & 12 at SF 26",
    "repeat the down: SF 2nd & 12 at SF 26",
  ]);
  const thrown = type(
    "penalty",
    after([THROWN]),
    "a",
    "roughing the passer",
    "",
    "",
  ).entry.step.options.map((option) => option.label);
  assert.deepEqual(thrown.slice(0, 2), [
    "accepted: SF 1st & 10 at SF 45",
    "declined: SF 3rd & 8 at SF 30",
  ]);
});

test("what follows is not said of a play that is not the last, nor of a touchdown's flag", () => {
  const scored = after([TOUCHDOWN], {
    at: 100,
    next: { spot: 85, situation: "try", down: null, distance: null },
  });
  for (const s of [scored, { ...after([RUSH], { at: 41 }), late: true }]) {
    const { options } = type("penalty", s, "h", "offensive holding", "", "").entry.step;
    assert.deepEqual(
      options.map((option) => option.label),
      ["accepted", "declined", "offsetting"],
    );
  }
});

test("declined leaves the play, offsetting takes it away", () => {
  const declined = recorded(
    "penalty",
    after([RUSH], { at: 41 }),
    "h",
    "offensive holding",
    "",
    "",
    "d",
  );
  assert.deepEqual(
    [flag(declined).status, flag(declined).outcome, struck(declined)],
    ["declined", "decline", []],
  );
  const offsetting = recorded(
    "penalty",
    after([RUSH], { at: 41 }),
    "h",
    "offensive holding",
    "",
    "",
    "o",
  );
  assert.deepEqual([flag(offsetting).outcome, struck(offsetting)], ["offsetting", [21]]);
});

test("a flag before the snap belongs to the play to come, which has no snap of its own in the count", () => {
  for (const foul of ["false start", "delay of game", "encroachment", "neutral zone"]) {
    const club = foul === "encroachment" || foul === "neutral zone" ? "a" : "h";
    const [snap, penalty, ...others] = recorded(
      "penalty",
      after([RUSH], { at: 41 }),
      club,
      foul,
      "",
      "642",
    );
    assert.deepEqual(
      snap,
      {
        type: "snap",
        possession: "SF",
        spot: 41,
        period: 1,
        clock: 402,
        situation: "scrimmage",
        down: 3,
        distance: 8,
      },
      foul,
    );
    assert.deepEqual([penalty.yards, penalty.outcome, others], [5, "nullify", []], foul);
  }
});

test("a flag before a snap that was recorded already needs no other one", () => {
  const bodies = recorded("penalty", situation({ rules }), "h", "false start");
  assert.deepEqual(
    bodies.map((body) => body.type),
    ["penalty"],
  );
  const twice = after([
    { type: "penalty", team: "SF", foul: "False Start", yards: 5, outcome: "nullify" },
  ]);
  assert.deepEqual(
    recorded("penalty", twice, "h", "false start").map((body) => body.type),
    ["snap", "penalty"],
  );
});

test("the flag on a touchdown is walked off on the kickoff, or on the try when the club takes it so", () => {
  const s = after([TOUCHDOWN], {
    at: 100,
    next: { spot: 85, situation: "try", down: null, distance: null },
  });
  const kickoff = recorded("penalty", s, "a", "unsportsmanlike");
  assert.deepEqual(
    [kickoff.length, flag(kickoff).yards, flag(kickoff).enforcement_yard, flag(kickoff).outcome],
    [1, 15, 65, "downfield"],
  );
  const [snap, penalty] = recorded("penalty", s, "a", "unsportsmanlike", "", "", "", "t");
  assert.deepEqual([snap.type, snap.situation, snap.spot], ["snap", "try", 85]);
  assert.deepEqual([penalty.yards, penalty.enforcement_yard, penalty.outcome], [7, 15, "nullify"]);
});

test("a flag before the kickoff moves the kickoff", () => {
  const s = after([{ type: "kick", team: "SF", kind: "extra_point", result: "good" }], {
    next: { spot: 35, situation: "kickoff", down: null, distance: null },
  });
  const [snap, penalty] = recorded("penalty", s, "h", "delay of game");
  assert.deepEqual(
    [snap.situation, snap.spot, penalty.yards, penalty.enforcement_yard],
    ["kickoff", 35, 5, 35],
  );
});

test("a foul after the play is walked off from the succeeding spot, and the play stands", () => {
  const bodies = recorded(
    "penalty",
    after([RUSH], { at: 41, next: { down: 1, distance: 10 } }),
    "h",
    "taunting",
  );
  assert.deepEqual(
    [flag(bodies).enforcement_yard, flag(bodies).outcome, struck(bodies)],
    [41, "downfield", []],
  );
});

test("Enter goes on at every question", () => {
  for (const s of [
    situation({ rules }),
    after([RUSH], { at: 41 }),
    after([THROWN]),
    after([TOUCHDOWN], { at: 100, next: { spot: 85, situation: "try" } }),
  ]) {
    for (const club of ["h", "a"]) {
      const { entry } = type("penalty", s, club);
      entry.takeRest();
      assert.equal(entry.step, null);
    }
  }
});

test("the fouls that a club can be guilty of are offered first", () => {
  const offered = type("penalty", situation({ rules }), "a")
    .entry.offers("holding")
    .map((offer) => offer.label);
  assert.deepEqual(offered.slice(0, 1), ["Defensive Holding"]);
});

test("a foul that only the other side can be guilty of is odd: a false start of the defence (NFL 7-4-2)", () => {
  const odd = (s, ...strokes) => viewWarnings(type("penalty", s, ...strokes).entry);
  assert.match(
    odd(situation({ rules }), "a", "false start").join(" "),
    /False Start is a foul by the offense, and DAL did not have the ball/,
  );
  assert.match(
    odd(after([RUSH], { at: 41 }), "a", "false start", "", "").join(" "),
    /and DAL did not have the ball/,
  );
  assert.match(
    odd(situation({ rules }), "h", "encroachment").join(" "),
    /a foul by the defense, and SF had the ball/,
  );
  assert.deepEqual(odd(situation({ rules }), "h", "false start"), []);
  const punt = {
    type: "kick",
    team: "SF",
    kicker: "sf-4",
    kind: "punt",
    result: "returned",
    start_yard: 30,
    distance: 50,
  };
  const back = {
    type: "run",
    team: "DAL",
    player: "dal-88",
    kind: "return",
    start_yard: 20,
    end_yard: 45,
  };
  assert.deepEqual(
    odd(
      after([punt, back], { at: 45, team: "DAL", next: { spot: 45, down: 1, distance: 10 } }),
      "a",
      "offensive holding",
    ),
    [],
  );
});

/** What looks wrong about an entry once the rest is answered by what is likely. */
function viewWarnings(entry) {
  entry.takeRest();
  return warningsOf(entry.bodies, entry.scene);
}

/**
 * After a play of SF from its own 30 by the rules of a book, with the ball where these events leave
 * it.
 */
function played(bodies, { book = "nfl 2019", snap = SNAP } = {}) {
  const rulebook = books[book];
  const clubs = { home: "SF", away: "DAL" };
  const events = [snap, ...bodies].map((body, index) => happened(20 + index, body));
  const standing = events.map(({ play_number, body }) => ({ play_number, body }));
  return situation({
    rules: rulebook,
    live: false,
    snap,
    play_events: events,
    ball: ballAfter(snap, bodies, { ...clubs, book: rulebook }),
    suggestion: nextSnap(standing, { ...clubs, book: rulebook }),
    passed: bodies.find((body) => body.type === "pass") ?? null,
  });
}

const STOLEN = [
  { ...THROWN, result: "intercepted" },
  { type: "interception", team: "DAL", player: "dal-24", yard: 48 },
  { type: "run", team: "DAL", player: "dal-24", kind: "return", start_yard: 48, end_yard: 60 },
];
const BROUGHT_BACK = {
  type: "run",
  team: "DAL",
  player: "dal-24",
  kind: "return",
  start_yard: 5,
  end_yard: 100,
  is_touchdown: true,
};

test("roughing the passer of an interception gives the ball back, from the previous spot (NFL 14-4, NCAA 9-1-9, NFHS 9-4-4)", () => {
  for (const book of ["nfl 2019", "ncaa 2019", "nfhs 2019"]) {
    const bodies = recorded(
      "penalty",
      played(STOLEN, { book }),
      "a",
      "roughing the passer",
      "",
      "",
      "a",
    );
    assert.deepEqual(
      [flag(bodies).enforcement_yard, flag(bodies).yards, flag(bodies).outcome, struck(bodies)],
      [70, 15, "first_down", [21, 22, 23]],
      book,
    );
  }
});

test("holding and interference of an interception give the ball back and a first down (NFL 8-4, 8-5)", () => {
  for (const foul of ["defensive holding", "defensive pass"]) {
    const bodies = recorded("penalty", played(STOLEN), "a", foul, "", "", "a");
    assert.deepEqual([flag(bodies).outcome, struck(bodies)], ["first_down", [21, 22, 23]], foul);
  }
});

test("a foul of the defence on a run or sack that lost yards goes back to the line (NFL 14-4, NCAA 10-2-2), at high school it does not (NFHS 10-4-4)", () => {
  const sack = {
    type: "sack",
    team: "SF",
    player: "sf-10",
    start_yard: 30,
    end_yard: 22,
    by_team: "DAL",
    by: ["dal-54"],
  };
  const from = (book, foul) =>
    flag(recorded("penalty", played([sack], { book }), "a", foul, "", "", "a")).enforcement_yard;
  assert.deepEqual(
    [
      from("nfl 2019", "face mask"),
      from("ncaa 2019", "face mask"),
      from("nfhs 2019", "face mask"),
      from("nfhs 2019", "roughing the passer"),
    ],
    [70, 70, 78, 70],
  );
});

test("a block by the returners on the way to a touchdown is walked off from its spot, and the touchdown goes", () => {
  const kickoff = { ...SNAP, situation: "kickoff", down: null, distance: null, spot: 35 };
  const kicked = {
    type: "kick",
    team: "SF",
    kicker: "sf-4",
    kind: "kickoff",
    result: "returned",
    start_yard: 35,
    distance: 60,
  };
  const strokes = ["a", "illegal block above", "", "", "a", ""];
  const { entry } = type("penalty", played([kicked, BROUGHT_BACK], { snap: kickoff }), ...strokes);
  assert.deepEqual(
    [entry.step.name, entry.step.default],
    ["at", undefined],
    "the goal line is no spot of a foul",
  );
  const bodies = recorded(
    "penalty",
    played([kicked, BROUGHT_BACK], { snap: kickoff }),
    ...strokes,
    "o40",
  );
  assert.deepEqual(flag(bodies).enforcement_yard, 40);
  assert.deepEqual([ruled(bodies).ruling.end_yard, ruled(bodies).ruling.is_touchdown], [40, false]);
});

test("interference is proposed at the spot that the pass was thrown to (NFL 8-5), at college at most 15 yards on and at the 2 (NCAA 7-3-8)", () => {
  const nfl = recorded("penalty", played([THROWN]), "a", "defensive pass", "", "", "a");
  assert.deepEqual([flag(nfl).yards, flag(nfl).enforcement_yard], [22, 70]);
  const college = (throw_yard, reception_yard) =>
    flag(
      recorded(
        "penalty",
        played([{ ...THROWN, throw_yard, reception_yard }], {
          book: "ncaa 2019",
          snap: { ...SNAP, spot: throw_yard },
        }),
        "a",
        "defensive pass",
        "",
        "",
        "a",
      ),
    ).yards;
  assert.deepEqual(
    [college(30, 52), college(30, 38), college(85, 100), college(80, 100), college(30, null)],
    [15, 8, 13, 15, 15],
  );
});

test("a rush that is cut at the spot of a foul is not compared with where the ball lies now", () => {
  const long = { ...RUSH, end_yard: 50 };
  const s = played([long]);
  assert.deepEqual(
    warningsOf(recorded("penalty", s, "h", "offensive holding", "", "", "a", "f", "o38"), s),
    [],
  );
});

test("the sheet's abbreviations name a foul at the question too, and another word is asked about", () => {
  const s = situation({ rules });
  for (const [short, name] of [
    ["oh", "Offensive Holding"],
    ["UNR", "Unnecessary Roughness"],
  ])
    assert.equal(flag(recorded("penalty", s, "h", short)).foul, name);
  const odd = recorded("penalty", s, "h", "zzz");
  assert.match(warningsOf(odd, s).join(" "), /The rulebook has no foul ‘zzz’/);
});

test("a foul that offsets while the other club has none is warned of, and stays open", () => {
  const run = after([RUSH], { at: 41 });
  const alone = recorded("penalty", run, "h", "offensive holding", "", "", "o");
  const asked = "Fouls only offset with one by the other club. Enter the flag on DAL next.";
  assert.deepEqual(warningsOf(alone, run), [asked]);
  const game = { home: "SF", away: "DAL", book: rules };
  const standing = (bodies) =>
    [SNAP, RUSH, ...bodies].map((body, index) => ({
      event_number: index,
      play_number: 1,
      body,
    }));
  const next = nextSnap(standing([flag(alone)]), game);
  assert.deepEqual(
    [next.check, next.why],
    [true, "Only one club's foul is recorded as offsetting: enter the flag on DAL."],
  );
  const other = { ...flag(alone), team: "DAL", foul: "Defensive Holding" };
  assert.match(nextSnap(standing([flag(alone), other]), game).why, /^Fouls of both clubs offset: /);
  const second = after([RUSH, flag(alone)], { at: 41 });
  assert.deepEqual(warningsOf([other], second), []);
});
