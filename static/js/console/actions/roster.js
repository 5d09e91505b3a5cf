/**
 * The rosters during the game: a new player, a name for an unknown number, jerseys, who starts,
 * plays or is out. Pure.
 */
import { unknownNumber } from "../roster.js";
import { uuid } from "../queue/uuid.js";
import { clubStep } from "./shared/parts.js";

const POSITIONS = [
  "QB",
  "RB",
  "FB",
  "WR",
  "TE",
  "OL",
  "DL",
  "DE",
  "DT",
  "LB",
  "CB",
  "S",
  "DB",
  "K",
  "P",
  "LS",
];
const STATUS = {
  starter: "Who starts",
  in: "Who comes in",
  out: "Who goes out",
  injured: "Who is hurt",
  inactive: "Who is inactive",
  ejected: "Who is ejected",
  dressed: "Who is back",
};

const STATUS_WORDS = {
  dressed: "is dressed",
  starter: "starts",
  in: "comes in",
  out: "goes out",
  injured: "is injured",
  inactive: "is inactive",
  ejected: "is ejected",
};

/** The questions about a new player. `number` is the known part of it. */
function newcomer(club, number) {
  /** @type {Step[]} */
  const steps = [
    {
      name: "called",
      label: `Name of the new player (${club})`,
      kind: "words",
      required: "Type a name.",
    },
  ];
  if (number === null)
    steps.push({ name: "number", label: "Jersey number", kind: "number", min: 0, max: 99 });
  return [
    ...steps,
    { name: "position", label: "Position", kind: "words", known: POSITIONS, limit: 8 },
  ];
}

function naming(a, s) {
  /** @type {Step[]} */
  const steps = [
    {
      name: "unknown",
      label: "Which unknown number?",
      kind: "listed",
      options: s.unknown.map(listed),
      none: "No unknown numbers left to name.",
    },
  ];
  if (!a.unknown) return steps;
  const { club, number } = a.unknown;
  const how = [
    { key: "r", value: "known", label: `on ${club}’s roster` },
    { key: "n", value: "new", label: "a new player" },
  ];
  steps.push({
    name: "how",
    label: `Number ${number} of ${club} is`,
    kind: "choice",
    default: "known",
    options: how,
  });
  if (a.how === "new") return [...steps, ...newcomer(club, number)];
  return a.how
    ? [
        ...steps,
        {
          name: "player",
          label: `Who is it (${club})`,
          kind: "player",
          club,
          registered: true,
          named: true,
        },
      ]
    : steps;
}

const listed = (unknown) => ({
  label: `${unknown.number} of ${unknown.club}, in ${unknown.count} event${unknown.count === 1 ? "" : "s"}`,
  number: unknown.number,
  value: unknown,
});

/** @returns {Step[]} */
const numbering = (footballer) =>
  footballer
    ? [
        {
          name: "number",
          label: "Jersey number in this game",
          kind: "number",
          min: 0,
          max: 99,
          default: footballer.number ?? undefined,
        },
      ]
    : [];

/** Searches all footballers, page by page. `found` in the answers is the first page. */
function finding(a, except = "") {
  /** @type {Step[]} */
  const steps = [
    {
      name: "found",
      label: "Name or part of it, any club",
      kind: "search",
      required: "Type a part of the name.",
    },
  ];
  let page = a.found;
  for (let number = 1; page; number += 1) {
    const options = [
      ...page.rows.filter((footballer) => footballer.id !== except).map(offered),
      ...nextPage(page),
    ];
    steps.push({
      name: `of${number}`,
      label: `Who is it (${page.label})`,
      kind: "listed",
      options,
      none: "No other player matches. Press Esc.",
    });
    const taken = a[`of${number}`];
    page = taken?.rows ? taken : null;
  }
  return steps;
}

function offered(footballer) {
  const number = footballer.number === null ? "" : ` ${footballer.number}`;
  const position = footballer.position || "no position";
  const label = `${footballer.name}, ${position}, ${footballer.club || "no club"}${number}`;
  return { label, number: footballer.number, value: { ...footballer, label } };
}

const nextPage = (page) =>
  page.more
    ? [{ label: "more …", fetch: "footballers", value: { name: page.name, page: page.page + 1 } }]
    : [];

/** The footballer chosen by `finding`; undefined while nobody is chosen. */
function foundOne(a) {
  if (!a.found) return undefined;
  const chosen = Object.keys(a)
    .filter((name) => /^of\d+$/.test(name))
    .map((name) => a[name]);
  return chosen.find((footballer) => footballer && !footballer.rows);
}

/**
 * The fact that puts a footballer on a club's roster in this game. It includes their name, so that
 * it also works before it is sent.
 */
const joining = (team, footballer, number) => ({
  type: "roster",
  team,
  player: footballer.id,
  name: footballer.name.slice(0, 80),
  position: footballer.position.slice(0, 8),
  number,
});

/** Replaces a player who was made by hand with a known footballer, who gets their events. */
function merging(a, s) {
  const newcomers = s.roster.players
    .filter((player) => player.id.startsWith(MADE))
    .map((player) => {
      const label = `${s.roster.label(player.id)} of ${player.club}`;
      return {
        label,
        number: player.number,
        fetch: "naming",
        value: { id: player.id, club: player.club, number: player.number, label },
      };
    });
  /** @type {Step[]} */
  const steps = [
    {
      name: "made_one",
      label: "Which player added by hand?",
      kind: "listed",
      options: newcomers,
      none: "No player on these rosters was added by hand.",
    },
  ];
  if (!a.made_one) return steps;
  const { club, label, count } = a.made_one;
  const options = [
    { key: "r", value: "known", label: `on ${club}’s roster` },
    { key: "f", value: "found", label: "another player, found by name" },
  ];
  steps.push({
    name: "how",
    label: `${label}, in ${count} event${count === 1 ? "" : "s"}, is really`,
    kind: "choice",
    default: "known",
    options,
  });
  if (a.how === "found") return [...steps, ...finding(a, a.made_one.id)];
  return a.how
    ? [
        ...steps,
        {
          name: "player",
          label: `Who is it (${club})`,
          kind: "player",
          club,
          registered: true,
          named: true,
          except: a.made_one.id,
        },
      ]
    : steps;
}

/**
 * Names the footballer in every event that names the made player. If they do not fit into one
 * entry, it says how many are left.
 */
function merged(a) {
  const { id, club, number, label, count, events } = a.made_one;
  const footballer = a.how === "found" ? foundOne(a) : null;
  const to = footballer ? footballer.id : a.player;
  const room = footballer ? ENTRY - 1 : ENTRY;
  const left = count - Math.min(room, events.length);
  const reason = `${label} identified${left > 0 ? `; ${left} more events to follow` : ""}`;
  const moved = events.slice(0, room).map((event) => ({
    type: "stat_correction",
    event: event.number,
    ruling: withName(anonymous(event.body), id, to),
    reason,
  }));
  return footballer ? [joining(club, footballer, number), ...moved] : moved;
}

/** The roster entry of a player made by hand, without the invented name. */
function anonymous(body) {
  if (body.type !== "roster") return body;
  const { name: _name, position: _position, ...nameless } = body;
  return nameless;
}

/**
 * A correction of each event that names the unknown number. It is a `stat_correction`, because the
 * call itself stands.
 */
function named(unknown, player) {
  const reason = `number ${unknown.number} of ${unknown.club} named`;
  return unknown.events.map(({ number, body }) => ({
    type: "stat_correction",
    event: number,
    ruling: withName(body, unknown.id, player),
    reason,
  }));
}

function withName(body, from, to) {
  const replaced = (value) => (value === from ? to : value);
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(replaced) : replaced(value),
    ]),
  );
}

const MADE = "made-"; // prefix of the ids of players made here (app/record/new_footballers.py)
const ENTRY = 40; // most events per entry

/** @returns {Step} */
function whatStep(s) {
  const waiting = s.unknown?.length ?? 0;
  return {
    name: "what",
    label: "The rosters",
    kind: "choice",
    default: waiting ? "name" : undefined,
    options: [
      { key: "n", value: "new", label: "a new player" },
      { key: "f", value: "find", label: "a player from another club, found by name" },
      {
        key: "w",
        value: "name",
        label: `who an unknown number was${waiting ? ` (${waiting} waiting)` : ""}`,
      },
      { key: "m", value: "merge", label: "who a player added by hand really is" },
      { key: "j", value: "jersey", label: "another jersey number" },
      { key: "s", value: "starter", label: "starts" },
      { key: "i", value: "in", label: "comes in" },
      { key: "o", value: "out", label: "goes out" },
      { key: "h", value: "injured", label: "is hurt" },
      { key: "x", value: "inactive", label: "is inactive" },
      { key: "e", value: "ejected", label: "is ejected" },
      { key: "b", value: "dressed", label: "is back" },
    ],
  };
}

export const roster = {
  name: "roster",
  title: "Roster",
  preset: () => ({ made: `${MADE}${uuid()}` }),
  steps(a, s) {
    const steps = [whatStep(s)];
    if (!a.what) return steps;
    if (a.what === "name") return [...steps, ...naming(a, { ...s, unknown: s.unknown ?? [] })];
    if (a.what === "merge") return [...steps, ...merging(a, s)];
    steps.push(clubStep("team", "Which club?", s, s.ball?.team ?? s.clubs.home));
    if (!a.team) return steps;
    if (a.what === "new") return [...steps, ...newcomer(a.team, null)];
    if (a.what === "find") return [...steps, ...finding(a), ...numbering(foundOne(a))];
    if (a.what !== "jersey")
      return [
        ...steps,
        {
          name: "people",
          label: `${STATUS[a.what]} (${a.team})`,
          kind: "players",
          club: a.team,
          max: 22,
          named: true,
          least: "Type a number or a name.",
        },
      ];
    steps.push({
      name: "player",
      label: `Who changes (${a.team})`,
      kind: "player",
      club: a.team,
      registered: true,
      named: true,
    });
    return [...steps, { name: "number", label: "Wears now", kind: "number", min: 0, max: 99 }];
  },
  build(a) {
    const joined = (team, number) => ({
      type: "roster",
      team,
      player: a.made,
      name: a.called,
      position: a.position,
      number,
    });
    if (a.what === "new") return [joined(a.team, a.number)];
    if (a.what === "find") return [joining(a.team, foundOne(a), a.number)];
    if (a.what === "merge") return merged(a);
    if (a.what === "jersey")
      return [{ type: "roster", team: a.team, player: a.player, number: a.number }];
    if (a.what !== "name")
      return a.people.map((player) => ({ type: "roster", team: a.team, player, status: a.what }));
    const { club, number } = a.unknown;
    return a.how === "new"
      ? [joined(club, number), ...named(a.unknown, a.made).slice(0, ENTRY - 1)]
      : named(a.unknown, a.player);
  },
  /** Each correction belongs to the play of the event that it corrects. */
  playNumberOf: (a, body) =>
    (a.unknown ?? a.made_one)?.events.find((event) => event.number === body.event)?.play_number ??
    null,
  sentences: {
    roster(b, s) {
      const status = STATUS_WORDS[b.status] ?? "";
      if (!b.name) {
        const wears = b.number === undefined ? "" : `wears ${b.number}`;
        const changes = [wears, status].filter(Boolean).join(" and ") || "is on the roster";
        return `${s.roster.name(b.player)} of ${b.team} ${changes}.`;
      }
      const number = b.number === undefined || b.number === null ? "" : `number ${b.number}, `;
      return `${b.team}: ${number}${b.name}${b.position ? ` (${b.position})` : ""} joins the roster${status ? ` and ${status}` : ""}.`;
    },
  },
};

/** Warnings about a roster entry. */
export function rosterWarnings(b, s) {
  const before = s.roster.clubOf(b.player);
  const moved =
    b.name && before
      ? [
          before === b.team
            ? `${s.roster.label(b.player)} is already on ${b.team}’s roster.`
            : `${s.roster.label(b.player)} was on ${before}’s roster in this game.`,
        ]
      : [];
  return [...moved, ...clashes(b, s)];
}

function clashes(b, s) {
  if (b.number === undefined || b.number === null) return [];
  const others = s.roster.wearing(b.number, b.team).filter((player) => player.id !== b.player);
  return others.map(
    (player) =>
      `${s.roster.label(player.id)} wears ${b.number} too. From now on the prompt asks which one.`,
  );
}

/**
 * The players whom an entry names although they are out of the game, or although nobody has their
 * number.
 */
export function outOfTheGame(ids, s) {
  return [...new Set(ids)].flatMap((id) => {
    const unknown = unknownNumber(id);
    if (unknown)
      return [
        `Nobody on ${unknown.club} wears ${unknown.number}. Recorded as unknown; ${s.keys?.roster ?? "l"} names them later.`,
      ];
    return ["ejected", "inactive"].includes(s.roster.statusOf(id))
      ? [`${s.roster.label(id)} is ${s.roster.statusOf(id)}.`]
      : [];
  });
}
