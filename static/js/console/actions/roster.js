/** The rosters during the game: a new player, a name for an unknown number, jerseys, who starts, plays or is out. Pure. */
import { unknownNumber } from "../roster.js";
import { uuid } from "../uuid.js";
import { clubStep } from "./parts.js";

const POSITIONS = ["QB", "RB", "FB", "WR", "TE", "OL", "DL", "DE", "DT", "LB", "CB", "S", "DB", "K", "P", "LS"];
const STATUS = { starter: "Who starts", in: "Who comes in", out: "Who goes out", injured: "Who is hurt", inactive: "Who is inactive", ejected: "Who is ejected", dressed: "Who is back" };

/** The questions about somebody who is new; `number`: what is known of it. */
function newcomer(club, number) {
  /** @type {Step[]} */
  const steps = [{ name: "called", label: `Name of the new player (${club})`, kind: "words", required: "Type a name." }];
  if (number === null) steps.push({ name: "number", label: "Jersey number", kind: "number", min: 0, max: 99 });
  return [...steps, { name: "position", label: "Position", kind: "words", known: POSITIONS, limit: 8 }];
}

function naming(a, s) {
  /** @type {Step[]} */
  const steps = [{ name: "unknown", label: "Which unknown number?", kind: "listed", options: s.unknown.map(listed), none: "No unknown number waits for a name." }];
  if (!a.unknown) return steps;
  const { club, number } = a.unknown;
  const how = [
    { key: "r", value: "known", label: `on ${club}’s roster` },
    { key: "n", value: "new", label: "a new player" },
  ];
  steps.push({ name: "how", label: `Number ${number} of ${club} is`, kind: "choice", default: "known", options: how });
  if (a.how === "new") return [...steps, ...newcomer(club, number)];
  return a.how ? [...steps, { name: "player", label: `Who is it (${club})`, kind: "player", club, registered: true, named: true }] : steps;
}

const listed = (one) => ({ label: `${one.number} of ${one.club}, in ${one.count} event${one.count === 1 ? "" : "s"}`, number: one.number, value: one });

/** A correction of each event that names the unknown number: `stat_correction`, for the call itself stands. */
function named(unknown, player) {
  const reason = `number ${unknown.number} of ${unknown.club} named`;
  return unknown.events.map(({ number, body }) => ({ type: "stat_correction", event: number, ruling: withName(body, unknown.id, player), reason }));
}

function withName(body, from, to) {
  const replaced = (value) => (value === from ? to : value);
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, Array.isArray(value) ? value.map(replaced) : replaced(value)]));
}

export const roster = {
  title: "Roster",
  preset: () => ({ made: `made-${uuid()}` }),
  steps(a, s) {
    const options = [
      { key: "n", value: "new", label: "a new player" },
      { key: "w", value: "name", label: `who an unknown number was${s.unknown?.length ? ` (${s.unknown.length} waiting)` : ""}` },
      { key: "j", value: "jersey", label: "another jersey number" },
      { key: "s", value: "starter", label: "starts" },
      { key: "i", value: "in", label: "comes in" },
      { key: "o", value: "out", label: "goes out" },
      { key: "h", value: "injured", label: "is hurt" },
      { key: "x", value: "inactive", label: "is inactive" },
      { key: "e", value: "ejected", label: "is ejected" },
      { key: "b", value: "dressed", label: "is back" },
    ];
    /** @type {Step[]} */
    const steps = [{ name: "what", label: "The rosters", kind: "choice", default: s.unknown?.length ? "name" : undefined, options }];
    if (!a.what) return steps;
    if (a.what === "name") return [...steps, ...naming(a, { ...s, unknown: s.unknown ?? [] })];
    steps.push(clubStep("team", "Which club?", s, s.ball?.team ?? s.clubs.home));
    if (!a.team) return steps;
    if (a.what === "new") return [...steps, ...newcomer(a.team, null)];
    if (a.what !== "jersey") return [...steps, { name: "people", label: `${STATUS[a.what]} (${a.team})`, kind: "players", club: a.team, max: 22, named: true, least: "Type a number or a name." }];
    steps.push({ name: "player", label: `Who changes (${a.team})`, kind: "player", club: a.team, registered: true, named: true });
    return [...steps, { name: "number", label: "Wears now", kind: "number", min: 0, max: 99 }];
  },
  build(a) {
    const joined = (team, number) => ({ type: "roster", team, player: a.made, name: a.called, position: a.position, number });
    if (a.what === "new") return [joined(a.team, a.number)];
    if (a.what === "jersey") return [{ type: "roster", team: a.team, player: a.player, number: a.number }];
    if (a.what !== "name") return a.people.map((player) => ({ type: "roster", team: a.team, player, status: a.what }));
    const { club, number } = a.unknown;
    return a.how === "new" ? [joined(club, number), ...named(a.unknown, a.made).slice(0, 39)] : named(a.unknown, a.player);
  },
  /** Each correction stands in the play of what it corrects. */
  playNumberOf: (a, body) => a.unknown?.events.find((one) => one.number === body.event)?.play_number ?? null,
};

/** What looks wrong about a roster entry. */
export function rosterWarnings(b, s) {
  if (b.number === undefined || b.number === null) return [];
  const others = s.roster.wearing(b.number, b.team).filter((one) => one.id !== b.player);
  return others.map((one) => `${s.roster.label(one.id)} wears ${b.number} too: from now on the prompt asks which.`);
}

/** Those whom an entry names though they are out of the game, or whose number nobody has. */
export function outOfTheGame(ids, s) {
  return [...new Set(ids)].flatMap((id) => {
    const unknown = unknownNumber(id);
    if (unknown) return [`Nobody of ${unknown.club} wears ${unknown.number}: recorded as unknown, ${s.keys?.roster ?? "l"} names them later.`];
    return ["ejected", "inactive"].includes(s.roster.statusOf(id)) ? [`${s.roster.label(id)} is ${s.roster.statusOf(id)}.`] : [];
  });
}
