/**
 * One-line entries: what each form records (the same as the guided entry), and where and how each
 * mistake is shown.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { actionsOn } from "../../static/js/console/actions/index.js";
import { CODES } from "../../static/js/console/line/codes.js";
import { bodiesOf, readLine } from "../../static/js/console/line/line.js";
import { listOf, parseMacros } from "../../static/js/console/line/macros.js";
import { caretOf, lineView } from "../../static/js/console/line/view.js";
import { warningsOf } from "../../static/js/console/entry/warnings.js";
import { sentenceOf } from "../../static/js/console/entry/words.js";
import { ballAfter } from "../../static/js/console/rules/ball.js";
import { nextSnap } from "../../static/js/console/rules/situation.js";
import { Roster } from "../../static/js/console/roster.js";
import { SNAP, clubs, generated, happened, recorded, situation } from "./typing.js";

const ACTIONS = actionsOn(generated("console-keys.json"));
const rules = JSON.parse(readFileSync(new URL("examples/situations.json", import.meta.url), "utf8"))
  .rulebooks["nfl 2019"];
const game = { ...clubs, book: rules };

const read = (text, s, macros = {}) => readLine(text, ACTIONS, s, macros);

/** The bodies of a whole line. */
function bodies(text, s, macros) {
  const line = read(text, s, macros);
  assert.equal(line.fault?.message, undefined, text);
  return bodiesOf(line);
}

/** The situation after a play of these events, by the rules; DAL are the visitors. */
function after(snap, ...events) {
  const listed = [snap, ...events].map((body, index) => happened(20 + index, body));
  return situation({
    rules,
    live: !events.length,
    snap,
    play_number: 7,
    play_events: listed,
    suggestion: nextSnap(
      [{ play_number: 1, body: { type: "period", period: 1, phase: "start" } }, ...listed],
      game,
    ),
    passed: events.find((body) => body.type === "pass") ?? null,
    ball: ballAfter(snap, events, game),
  });
}

const RUSH = {
  type: "run",
  team: "SF",
  player: "sf-25",
  kind: "rush",
  start_yard: 30,
  end_yard: 34,
};
const live = () => after(SNAP);
const dead = () => after(SNAP, RUSH);
const kickoff = () =>
  after({ ...SNAP, situation: "kickoff", spot: 35, down: null, distance: null });
const tryFor = () => after(SNAP, { ...RUSH, end_yard: 100, is_touchdown: true });

// line, situation, action, and the strokes of the guided entry ("" is Enter)
const SAME = [
  ["r25+3/54", live, "run", "", "25", "+3", "54"],
  ["r25+3", live, "run", "", "25", "+3"],
  ["r25+3ob", live, "run", "", "25", "+3", ""],
  ["r 25 33 / 54", live, "run", "", "25", "33", "54"],
  ["r25o33/54,90", live, "run", "", "25", "33", "54", "90", "", "a"],
  ["r25sf33/54+90", live, "run", "", "25", "33", "54", "90", "", "p"],
  ["r25-3/54", live, "run", "", "25", "-3", "54", "", "y"],
  ["r25-3/54;n", live, "run", "", "25", "-3", "54", "", "n"],
  ["r25t", live, "run", "", "25", "t"],
  ["r25d5!", live, "run", "", "25", "d5!"],
  ["r@7 25+3", live, "run", "o", "r", "25", "+3"],
  ["rs10+8/54", live, "run", "s", "10", "+8", "54"],
  ["rk=", live, "run", "k", "", ""],
  ["r-+3/54", live, "run", "", "-", "+3", "54"],
  ["r'sf-25'+3/54", live, "run", "", "sf-25", "+3", "54"],
  ["p10c85+3+5/24", live, "pass", "10", "c", "85", "+3", "+5", "24"],
  ["pc85+3/24", live, "pass", "", "c", "85", "+3", "", "24"],
  ["p@4c85+3/24", live, "pass", "", "4", "c", "85", "+3", "", "24"],
  ["pc85+20t", live, "pass", "", "c", "85", "+20", "t"],
  ["pc85t", live, "pass", "", "c", "85", "t"],
  ["pi85", live, "pass", "", "i", "85"],
  ["pi85+12/24", live, "pass", "", "i", "85", "+12", "24"],
  ["pd85", live, "pass", "", "d", "85"],
  ["pt", live, "pass", "", "t"],
  ["ps", live, "pass", "", "s"],
  ["px85+14/24=+10/10", live, "pass", "", "x", "85", "+14", "24", "", "+10", "10"],
  ["i85/24o40+10/10", live, "interception", "", "85", "", "24", "o40", "+10", "10"],
  ["s10-7/90", live, "sack", "10", "-7", "90"],
  ["x-7/90,54", live, "sack", "", "-7", "90", "54"],
  ["s-7/90f", live, "sack", "", "-7", "90", "", "f"],
  ["kt", kickoff, "kick", "", "", "t"],
  ["kr24e5+30/25", kickoff, "kick", "", "", "r", "e5", "24", "+30", "25"],
  ["kkoo20", kickoff, "kick", "k", "", "o", "o20"],
  ["ko4vo45h85", kickoff, "kick", "o", "4", "v", "o45", "h", "85"],
  ["kp4r24o22+8/25", live, "kick", "p", "4", "r", "o22", "24", "+8", "25"],
  ["kpdo5", live, "kick", "p", "", "d", "o5"],
  ["kpm24o22vh25", live, "kick", "p", "", "m", "o22", "24", "h", "25"],
  ["kpb90va54", live, "kick", "p", "", "b", "90", "a", "54"],
  ["kf4g52", live, "kick", "f", "4", "g", "52"],
  ["kfn", live, "kick", "f", "", "n"],
  ["k", tryFor, "kick", "", "", "g"],
  ["kb90", tryFor, "kick", "", "", "b", "", "90"],
  ["f/54va24", live, "fumble", "", "", "", "54", "v", "a", "24"],
  ["fh25o32/+o", live, "fumble", "h", "25", "o32", "+", "o"],
  ["fo+13", live, "fumble", "", "", "", "", "o", "+13"],
  ["fo;d39", live, "fumble", "", "", "", "", "o", "d39"],
  ["f25o34od39", live, "fumble", "", "25", "o34", "", "o", "d39"],
  ["fo", live, "fumble", "", "", "", "", "o", ""],
  ["fl", live, "fumble", "", "", "", "", "l"],
  ["va54o60", live, "recovery", "a", "54", "o60"],
  ["cp12.85g", tryFor, "conversion", "p", "12", "85", "g"],
  ["cr25n", tryFor, "conversion", "r", "25", "n"],
  ["ya54", live, "safety", "a", "54"],
  ["t54,90", dead, "tackle", "", "54", "90", "", "a"],
  ["dh90", dead, "credit", "h", "", "90"],
  ["oa", live, "timeout", "a"],
  ["oo Injury", live, "timeout", "o", "Injury"],
  ["ee", dead, "period", "e"],
  ["n a dpi 24 a", dead, "penalty", "a", "Defensive Pass Interference", "", "24", "a"],
  ["nhoh25@o32", dead, "penalty", "h", "Offensive Holding", "", "25", "a", "f", "o32"],
  ["n a fm 54 @e 15y =1", dead, "penalty", "a", "Face Mask", "", "54", "a", "e", "15", "1"],
  ["n dal dh 24 d", dead, "penalty", "a", "Defensive Holding", "", "24", "d"],
];

test("every form of a line records what the guided entry records", () => {
  for (const [text, at, name, ...strokes] of SAME)
    assert.deepEqual(bodies(text, at()), recorded(name, at(), ...strokes), text);
});

test("every letter of the grammar has a form that is compared with the guided entry", () => {
  const begun = new Set(SAME.map(([text]) => text[0]));
  assert.deepEqual(
    Object.keys(CODES).filter((letter) => !begun.has(letter)),
    [],
  );
});

test("a line opens the next play with the likely snap, or with what stands in front", () => {
  const [likely] = bodies("r25+2", dead());
  assert.deepEqual([likely.type, likely.down, likely.spot], ["snap", 3, 34]);
  const snapOf = (front) => {
    const [{ clock, down, distance, spot, possession }, run] = bodies(`${front}r25+2`, dead());
    return { clock, down, distance, spot, possession, from: run.start_yard };
  };
  const usual = { down: 3, distance: 4, spot: 34, possession: "SF", from: 34 };
  assert.deepEqual(snapOf("1120 "), { ...usual, clock: 680 });
  assert.deepEqual(snapOf("1120"), { ...usual, clock: 680 });
  assert.deepEqual(snapOf("05"), { ...usual, clock: 665 }, "11:40 runs down to 11:05");
  assert.deepEqual(snapOf("40"), { ...usual, clock: 700 }, "the clock stood still");
  assert.deepEqual(snapOf("41"), { ...usual, clock: 641 });
  assert.deepEqual(snapOf("05 2&6 o36 "), {
    clock: 665,
    down: 2,
    distance: 6,
    spot: 36,
    possession: "SF",
    from: 36,
  });
  assert.equal(bodies("=r25+2", dead())[0].type, "run", "= stays in the play before");
});

test("a line that is only a snap records it", () => {
  assert.deepEqual(bodies("1120 1&10 d20", dead()), recorded("snap", dead(), "1120 1&10 d20"));
});

test("the first kickoff needs no snap before it", () => {
  const first = nextSnap([], game);
  const s = situation({ rules, live: false, snap: null, ball: null, suggestion: first });
  assert.deepEqual(
    bodies("kt", s).map((body) => [body.type, body.possession ?? body.team, body.result]),
    [
      ["snap", "SF", undefined],
      ["kick", "SF", "touchback"],
    ],
  );
  assert.match(read("t54", s).fault.message, /Nothing was snapped yet/);
});

// line, situation, the character of the mistake from 0, what is said; null: it only goes on
const MISTAKES = [
  ["q", live, 0, /‘q’ doesn’t start an entry/],
  ["r20*3", live, 3, /‘\*’ does not fit here: expected a spot/],
  ["r25+3/", live, null, /who it was/],
  ["r25", live, null, /Ran to \(SF\)/],
  ["r25+90", live, 3, /beyond a goal line/],
  ["r25+3/54x", live, 8, /‘x’ does not fit here/],
  ["r25+3/54,", live, null, /the next number/],
  ["p", live, null, /c complete, i incomplete/],
  ["p10z", live, 3, /‘z’ does not fit here: c complete/],
  ["p10c", live, null, /Caught at \(SF\)/],
  ["pi85t", live, 4, /touchdown can’t be scored here/],
  ["pi85+3/", live, null, /who broke it up/],
  ["px85/24", live, null, /Intercepted at \(DAL\)/],
  ["x-7/90,54,24", live, 4, /At most 2 players/],
  ["s-7", live, 3, null],
  ["kr24", kickoff, null, /Fielded at \(DAL\)/],
  ["kg", kickoff, 1, /none of these/],
  ["f/", live, null, /who forced it/],
  ["n", dead, null, /h or a for the club/],
  ["n a", dead, null, /the foul/],
  ["n a dp", dead, null, /dpi Defensive Pass Interference/],
  ["n a dpx 24", dead, 4, /‘dpx’ is not a foul here: ddg/],
  ["n a dpi 24 q", dead, 11, /‘q’ does not fit here/],
  ["n a dpi @", dead, null, /the spot of the foul/],
  ["r'sf-2", live, null, /up to a second '/],
  ["r25+3/54;n", live, 9, /This is not needed here/],
  ["31r25+3", live, 0, /already snapped/],
  ["05rb25+3", dead, 0, /continues the same play/],
  ["1120 9&9 r25+3", dead, 5, /‘9’ doesn’t start an entry/],
  ["1120 o0 r25+3", dead, 5, /‘o0’ is not part of a snap/],
  ["t", dead, null, /who it was/],
];

test("a mistake is told at its character, a line that only goes on says with what", () => {
  for (const [text, at, place, words] of MISTAKES) {
    const { fault } = read(text, at());
    if (words === null) assert.equal(fault, null, text);
    else {
      assert.match(fault?.message ?? "no fault", words, text);
      assert.equal(fault.isOpen, place === null, text);
      assert.equal(fault.at, place ?? text.length, text);
    }
  }
});

test("two who wear one number are told apart by name", () => {
  const s = live();
  const twins = [...s.roster.players, { ...s.roster.byId.get("sf-25"), id: "sf-x", name: "Other" }];
  const roster = new (Object.getPrototypeOf(s.roster).constructor)(twins);
  const { fault } = read("r25+3", { ...s, roster });
  assert.equal(fault.at, 1);
  assert.match(fault.message, /Several SF players wear 25\. Type 'name'/);
  assert.equal(bodies("r'Other'+3", { ...s, roster })[0].player, "sf-x");
});

test("the line is explained while it is typed", () => {
  const s = dead();
  const view = (text, next = "") => lineView(read(text, s), s, next);
  assert.match(view("r25").question, /Ran to/);
  const whole = view("r25+2/54", "SF ball, 4th & 2 at SF 36, 11:40 Q1.");
  assert.equal(
    whole.sentence,
    "SF ball, 3rd & 4 at SF 34, 11:40 Q1. Sf-25 runs to SF 36 (2 yards). Tackle: dal-54.",
  );
  assert.deepEqual(
    [whole.tone, whole.sure, whole.next],
    ["sure", true, "SF ball, 4th & 2 at SF 36, 11:40 Q1."],
  );
  assert.deepEqual([view("r25*").tone, view("r25*").sure, view("r25*").next], ["fault", false, ""]);
  assert.deepEqual(caretOf("r25*", read("r25*", s).fault), {
    text: "r25*",
    at: 3,
    words: `Character 4: ${read("r25*", s).fault.message}`,
  });
  assert.equal(caretOf("r25", read("r25", s).fault), null, "a line that goes on is no mistake");
});

test("sentences about players without a name, single yards and end zones read as English", () => {
  const said = (text, s) => sentenceOf(bodies(text, s), s);
  assert.match(said("r-+3/-", live()), /^An unnamed player of SF runs to SF 33 \(3 yards\)\./);
  assert.match(said("r99+1", live()), /^Unknown number 99 of SF runs to SF 31 \(1 yard\)\.$/);
  assert.match(said("f/-va-", dead()), / Recovered by an unnamed player of DAL at SF 34\.$/);
  assert.match(
    said("i85/24e3", live()),
    / INTERCEPTED by dal-24 \(DAL\) 3 yards deep in DAL’s end zone\.$/,
  );
  assert.match(
    said("n h oh 25 a @o2", after({ ...SNAP, spot: 3 }, { ...RUSH, start_yard: 3, end_yard: 6 })),
    /Offensive Holding, 1 yard from SF 3/,
  );
});

test("an interception in the opponents' end zone is one touchdown", () => {
  const scored = bodies("i85/24t", live()).filter((body) => body.is_touchdown);
  assert.deepEqual(
    scored.map((body) => [body.type, body.yard]),
    [["interception", 100]],
  );
});

test("a part that nothing asks for is refused with the reason", () => {
  const before = after(SNAP, RUSH);
  const faultOf = (text, s) => read(text, s).fault?.message;
  assert.equal(faultOf("1130n h fs 25 a", before), undefined);
  assert.equal(
    faultOf("1130n a fs 54 a", before),
    "False Start is a foul by the offense, and DAL did not have the ball.",
  );
  assert.equal(
    faultOf("1130n h enc 25 a", before),
    "Encroachment is a foul by the defense, and SF had the ball.",
  );
  assert.equal(
    faultOf("1130n h oh 25 a", before),
    "Put a clock in front only for a flag before the snap. Offensive Holding is called during a play. Leave the clock out.",
  );
  assert.match(faultOf("p10c85+15t", tryFor()), /^A pass cannot be in a try: enter an extra point/);
  assert.equal(faultOf("r25+3/54;n;n;n", live()), "This is not needed here. Leave it out.");
});

test("a line that its play cannot have does not say that Enter records it", () => {
  const s = tryFor();
  const { tone, sure, question, next, warnings } = lineView(read("r25+2/54", s), s, "SF ball");
  assert.deepEqual([tone, sure, next], ["fault", false, ""]);
  assert.equal(question, "This can’t be recorded. Change the line, or clear it with Esc");
  assert.match(warnings[0], /^A run cannot be in a try: enter an extra point/);
});

test("a macro stands for its text, and a mistake in it is shown at its name", () => {
  const macros = { k: "rk10-1", bad: "+3*" };
  assert.deepEqual(bodies("05,k", dead(), macros), bodies("05rk10-1", dead()));
  assert.equal(read("r25,bad", live(), macros).fault.at, 3);
  assert.equal(read("r25+3,none", live(), macros).fault.at, 5, "an unknown name is no macro");
  assert.equal(read(",k*", live(), macros).fault.at, 2, "behind it the place is that of the text");
});

test("macros are written one per line", () => {
  const { macros } = parseMacros("k rk10-1\n,sp ps\n");
  assert.deepEqual(macros, { k: "rk10-1", sp: "ps" });
  assert.equal(listOf(macros), "k rk10-1\nsp ps");
  assert.match(parseMacros("K rk").error, /can’t be a name/);
  assert.match(parseMacros("k").error, /enter its text/);
});

test("every abbreviation names a foul of some rulebook, and no foul of the NFL lacks one", () => {
  const books = JSON.parse(
    readFileSync(new URL("examples/situations.json", import.meta.url), "utf8"),
  );
  const known = new Set(
    Object.values(books.rulebooks).flatMap((book) =>
      Object.values(book.fouls).flatMap((rows) => rows.map((row) => row.name)),
    ),
  );
  const codes = generated("console-fouls.json");
  const short = new Set(Object.values(codes).flat());
  const ofTheLeague = Object.values(rules.fouls).flatMap((rows) => rows.map((row) => row.name));
  assert.deepEqual(
    ofTheLeague.filter((name) => !short.has(name)),
    [],
  );
  assert.deepEqual(
    Object.entries(codes).filter(([, names]) => !names.some((name) => known.has(name))),
    [],
  );
});

test("own and theirs are those of the club that has the ball by then, and the sentence names the spot", () => {
  const punt = after(
    { ...SNAP, down: 4 },
    {
      type: "kick",
      team: "SF",
      kicker: "sf-4",
      kind: "punt",
      result: "returned",
      start_yard: 30,
      distance: 40,
    },
    { type: "run", team: "DAL", player: "dal-88", kind: "return", start_yard: 30, end_yard: 42 },
  );
  const [foul] = bodies("n a oh 77 a @o35", punt);
  assert.deepEqual(
    [foul.team, foul.foul, foul.yards, foul.enforcement_yard],
    ["DAL", "Offensive Holding", 10, 35],
    "DAL 35, walked back to DAL 25: NFL 8-6-1",
  );
  assert.match(
    sentenceOf([foul], punt),
    /^PENALTY on DAL.*: Offensive Holding, 10 yards from DAL 35, /,
  );
  const [before] = bodies("n h oh 77 a @o35", after(SNAP, { ...RUSH, end_yard: 45 }));
  assert.equal(before.enforcement_yard, 35, "nobody else had the ball");
});

test("a kick behind its kicker is warned of, and refused where it is none", () => {
  const fourth = { ...SNAP, down: 4, spot: 50 };
  const spotted = (text) => warningsOf(bodies(text, after(fourth)), after(fourth)).join(" ");
  assert.match(spotted("kp4dd10"), /A kick can’t go 40 yards backward\. .* own \(o\)/);
  assert.match(spotted("kp4dd40"), /The kick ends 10 yards behind its line/);
  assert.equal(spotted("kp4do10"), "");
});

test("of two wearers of a number, offence and defence, the one on the field is meant; at a kick it is asked", () => {
  const both = new Roster(
    [
      ["SF", "sf-rb", "RB", 20],
      ["SF", "sf-cb", "CB", 20],
      ["SF", "sf-qb", "QB", 10],
      ["DAL", "dal-wr", "WR", 20],
      ["DAL", "dal-s", "S", 20],
      ["DAL", "dal-lb", "LB", 54],
      ["DAL", "dal-lb2", "OLB", 54],
    ].map(([club, id, position, number]) => ({ club, id, position, number, name: id })),
  );
  const at = (s) => ({ ...s, roster: both });
  const [ran, tackled] = bodies("r20+3/20", at(live()));
  assert.deepEqual([ran.player, tackled.tackler], ["sf-rb", "dal-s"]);
  const asks = (text, s) =>
    assert.match(read(text, s).fault?.message ?? "", /Several DAL players/, text);
  asks("r20+3/54", at(live())); // two linebackers
  asks("kp-r20o30", at(live()));
});

test("a line that only goes on keeps all that it says", () => {
  const { entry, fault } = read("r25+3/", live());
  assert.ok(fault.isOpen);
  assert.deepEqual(entry.answers, {
    kind: "rush",
    player: "sf-25",
    to: { yard: 33, touchdown: false },
  });
  assert.equal(entry.step.name, "tacklers");
});
