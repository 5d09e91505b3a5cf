/** A scorer's key presses through one action, without a page: what is asked, refused and built. */
import { Entry } from "../../static/js/console/entry/entry.js";
import { Roster } from "../../static/js/console/roster.js";
import { actionsOn } from "../../static/js/console/actions/index.js";
import { readFileSync } from "node:fs";
import { lean } from "../../static/js/console/actions/shared/parts.js";

/** What `pressbox docs` writes from the Python side. */
export const generated = (name) =>
  JSON.parse(readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8"));
const KEYS = generated("console-keys.json");
const ACTIONS = actionsOn(KEYS);
export const clubs = { home: "SF", away: "DAL" };
const people = [
  "sf-10",
  "sf-25",
  "sf-85",
  "sf-4",
  "dal-54",
  "dal-90",
  "dal-24",
  "dal-88",
  "dal-12",
  "dal-6",
];
export const roster = new Roster(
  people.map((id) => ({
    id,
    club: id.split("-")[0].toUpperCase(),
    number: Number(id.split("-")[1]),
    name: id,
    position: "",
  })),
);
export const SNAP = {
  type: "snap",
  possession: "SF",
  spot: 30,
  period: 1,
  clock: 700,
  situation: "scrimmage",
  down: 2,
  distance: 8,
};

/** The situation after SF snapped from its own 30, 2nd and 8, with these changes. */
export function situation(changes = {}) {
  const snap = changes.snap ?? SNAP;
  return {
    clubs,
    other: (club) => (club === "SF" ? "DAL" : "SF"),
    types: generated("schema/event-types.json"),
    keys: KEYS,
    foulCodes: generated("console-fouls.json"),
    roster,
    score: { SF: 0, DAL: 0 },
    suggestion: { ...snap, check: false, why: "" },
    snap,
    ball: {
      team: snap.possession,
      yard: snap.spot,
      player: null,
      turned: false,
      outcome: "none",
      kick: null,
    },
    live: true,
    passed: null,
    play_events: [],
    recent: [],
    recent_players: { passer: { SF: "sf-10" }, runner: {}, punter: {}, place_kicker: {} },
    period: { period: 1, running: true, seconds: 900 },
    timeouts: { left: { SF: 3, DAL: 3 }, excess: false },
    status: "live",
    ...changes,
  };
}

/** An event of the current play as the server lists it. */
export const happened = (number, body) => ({
  number,
  play_number: 7,
  type: body.type,
  words: body.type,
  body,
});

/**
 * The entry after these strokes, "" being Enter; stops at the first that is refused, whose words
 * are in `fault`.
 * @param {string} name  of the action
 * @returns {{entry: Entry, fault: string, asked: string[]}} `asked`: the questions in order, with
 *   what Enter would take
 */
export function type(name, s, ...strokes) {
  const entry = new Entry(KEYS[name], ACTIONS[KEYS[name]], s);
  const asked = [];
  let fault = "";
  for (const stroke of strokes) {
    asked.push(entry.step?.name);
    const taken = entry.take(stroke);
    if ("error" in taken) {
      fault = taken.error;
      break;
    }
  }
  return { entry, fault, asked };
}

/** What is recorded when the scorer types these strokes and then takes what is likely. */
export function recorded(name, s, ...strokes) {
  const { entry, fault } = type(name, s, ...strokes);
  if (fault) throw new Error(fault);
  entry.takeRest();
  if (entry.step) throw new Error(`nothing is likely at ${entry.step.label}`);
  return entry.bodies.map(lean);
}
