/**
 * The kinds of questions: what may be typed, what is offered, what Enter takes.
 * Each kind has `offers(step, text, s)` (the list shown), `read(step, text, pick, s)` (Enter) and
 * `show(step, value, s)`. `s` is the situation of the entry: clubs, roster, ball, snap.
 *
 * @typedef {{value: any, also?: Record<string, any>}|{error: string}|{more: any}|{mark: string, value: any}} Reading  `more`:
 *   kept, and the same question goes on; `also`: answers to questions that follow; `mark`: an optional detail beside the answer
 *   (`step.marks`), and the same question goes on
 * @typedef {{label: string, key?: string, note?: string, value: any}} Offer
 */
import { unknownId } from "../roster.js";
import { situationOf } from "../rules/suggestion.js";
import { clockWords, parseClock, parseSpot, spotWords } from "./spots.js";
import { parseSnap } from "./snaptext.js";

const NOBODY = { label: "nobody named", key: "-", value: null };

const choice = {
  instant: true,
  offers: (step) =>
    step.options.map((option) => ({
      ...option,
      note: option.value === step.default ? "Enter" : "",
    })),
  read(step, text, pick) {
    if (pick !== null) return chosen(step.options[pick]);
    if (!text && step.default !== undefined) return { value: step.default };
    const typed = text.trim().toLowerCase();
    const picked = step.options.find((option) => option.key === typed);
    if (picked) return chosen(picked);
    const mark = step.marks?.options.find((option) => option.key === typed);
    if (mark) return { mark: step.marks.name, value: mark.value };
    return {
      error: `${typed ? `‘${typed}’ is none of these. ` : ""}Type ${eitherOf(step.options)}.`,
    };
  },
  show: (step, value) =>
    step.options.find((option) => option.value === value)?.label ?? String(value),
};

const alternatives = new Intl.ListFormat("en", { type: "disjunction" });

/** The keys of the options: "h or a", "t, s, or e". */
const eitherOf = (options) => alternatives.format(options.map((option) => option.key ?? ""));

/** A choice that is shown but refused says why. @returns {Reading} */
const chosen = (option) => (option.refused ? { error: option.refused } : { value: option.value });

/** The default of Enter: the likely player, or the answer that names no player. @returns {Offer} */
function likelyOffer(step, s) {
  const offer = isBeside(step, step.default)
    ? step.beside
    : offerOf(s.roster.byId.get(step.default), s, step.default);
  return { ...offer, note: "Enter" };
}

const player = {
  offers(step, text, s) {
    if (text.trim() === "-") return step.named ? [] : [{ ...NOBODY, note: "Enter" }];
    if (step.beside && text.trim() === step.beside.key) return [{ ...step.beside, note: "Enter" }];
    if (text.trim()) return fitting(step, text.trim(), s);
    const likely = step.default ? [likelyOffer(step, s)] : [];
    if (step.named) return likely;
    const beside = step.beside && !isBeside(step, step.default) ? [step.beside] : [];
    if (step.default) return [...likely, { ...NOBODY, note: "" }, ...beside];
    const among = (step.among ?? []).map((id) => offerOf(s.roster.byId.get(id), s, id));
    return [{ ...NOBODY, note: "Enter" }, ...among, ...beside];
  },
  read(step, text, pick, s) {
    const offers = player.offers(step, text, s);
    if (pick === null && text.trim() && offers.length && !offers[0].note)
      return {
        error: `Several ${step.club} players wear ${text.trim()}. Choose with the arrows or type a name.`,
      };
    if (offers.length) return { value: offers[pick ?? 0].value };
    return {
      error: `No ${step.club} player matches ‘${text.trim()}’. Type another number or name${step.named ? "" : ", or - for nobody named"}.`,
    };
  },
  show: (step, value, s) => (isBeside(step, value) ? step.beside.label : s.roster.label(value)),
};

/** An answer that is neither a player nor "nobody": forced, but nobody saw by whom. */
const isBeside = (step, value) => step.beside !== undefined && value === step.beside.value;

/**
 * The players who match the text. Of several who wear the number Enter chooses the one who is on the
 * field, or nobody. A number that nobody wears is an unknown player.
 */
function fitting(step, typed, s) {
  const number = /^(\d{1,2})(\??)$/.exec(typed);
  const unknown =
    number && !step.registered
      ? [
          {
            label: `unknown number ${Number(number[1])} of ${step.club}`,
            note: "Enter",
            value: unknownId(step.club, Number(number[1])),
          },
        ]
      : [];
  if (number?.[2]) return unknown;
  const offers = s.roster
    .find(typed, step.club)
    .filter((person) => person.id !== step.except)
    .map((person) => offerOf(person, s));
  if (!number) return offers.map((offer, index) => ({ ...offer, note: index ? "" : "Enter" }));
  const wearing = s.roster.wearing(Number(number[1]), step.club);
  if (!wearing.length) return [...unknown, ...offers];
  const [likely, ...others] = wearing.length > 1 ? onTheField(wearing, step, s) : wearing;
  if (!likely || others.length) return offers.map((offer) => ({ ...offer, note: "" }));
  const isLikely = (offer) => offer.value === likely.id;
  return [
    ...offers.filter(isLikely).map((offer) => ({ ...offer, note: "Enter" })),
    ...offers.filter((offer) => !isLikely(offer)).map((offer) => ({ ...offer, note: "" })),
  ];
}

const DEFENDERS = ["DL", "DE", "DT", "NT", "LB", "ILB", "OLB", "MLB", "DB", "CB", "S", "SS", "FS"];
const SPECIALISTS = ["K", "P", "LS", ""];

/**
 * Of several wearers of a number, those who are on the field by their position: the offence of the
 * club that snapped the ball, the defence of the other. At a kick either can be; nor is anybody left
 * out where the roster itself is asked about.
 */
function onTheField(wearing, step, s) {
  const isKick = step.atKick || s.ball?.kick || situationOf(s.snap ?? {}) !== "scrimmage";
  if (!s.snap || isKick || step.registered) return wearing;
  const isOffence = step.club === s.snap.possession;
  return wearing.filter(
    ({ position }) => !SPECIALISTS.includes(position) && DEFENDERS.includes(position) !== isOffence,
  );
}

function offerOf(person, s, id) {
  if (!person) return { label: s.roster.label(id), value: id };
  return { label: s.roster.label(person.id), position: person.position, value: person.id };
}

/**
 * Several players, one after the other; Enter on an empty line ends the list, or takes those who
 * are proposed.
 */
const players = {
  offers(step, text, s, ids = []) {
    const full = ids.length >= mostOf(step);
    if (text.trim() === NOBODY_AT_ALL) return [nobodyAtAll(step, "Enter")];
    if (text.trim() && !full) return player.offers(step, text, s);
    if (ids.length) return [{ label: "that is all", note: "Enter", value: ids }];
    if (!step.default?.length) return [{ label: step.none ?? "nobody", note: "Enter", value: ids }];
    return [
      { label: players.show(step, step.default, s), note: "Enter", value: step.default },
      nobodyAtAll(step),
    ];
  },
  read(step, text, pick, s, ids = []) {
    if (!text.trim() || text.trim() === NOBODY_AT_ALL) return endOfList(step, text, pick, s, ids);
    const max = mostOf(step);
    if (ids.length >= max)
      return { error: `At most ${max} players. Press Enter to continue, Esc to start over.` };
    if (/[,+]/.test(text)) return allAtOnce(step, text, s, ids);
    const answer = player.read(step, text, pick, s);
    if ("error" in answer) return answer;
    if (answer.value !== null && ids.includes(answer.value))
      return { error: `${s.roster.label(answer.value)} is already named.` };
    return { more: [...ids, answer.value] };
  },
  show: (step, value, s) =>
    value.length ? value.map((id) => s.roster.label(id)).join(" + ") : (step.none ?? "nobody"),
};

/** Enter on an empty line: those who were named, else those who are proposed. @returns {Reading} */
function endOfList(step, text, pick, s, ids) {
  const offers = players.offers(step, text, s, ids);
  const { value } = offers[pick ?? 0] ?? offers[0];
  return step.least && !value.length ? { error: step.least } : { value };
}

/**
 * All of them at once: `54,55` share it, `54+55` the first made it with the help of the other.
 * @returns {Reading}
 */
function allAtOnce(step, text, s, ids) {
  const named = [...ids];
  for (const part of text.split(/[,+]/)) {
    const answer = player.read(step, part, null, s);
    if ("error" in answer) return answer;
    if (named.includes(answer.value))
      return { error: `${s.roster.label(answer.value)} is already named.` };
    named.push(answer.value);
  }
  if (named.length > mostOf(step)) return { error: `At most ${mostOf(step)} players.` };
  return { value: named, also: { shared: text.includes("+") ? "primary" : "assist" } };
}

const mostOf = (step) => step.max ?? 6;
const NOBODY_AT_ALL = "--";
/** The answer that removes the proposed players. @returns {Offer} */
const nobodyAtAll = (step, note = "") => ({
  label: step.none ?? "nobody",
  key: NOBODY_AT_ALL,
  note,
  value: [],
});

const spot = {
  offers(step, text, s) {
    const other = s.other(step.team);
    if (!text.trim()) {
      const likely = step.default === undefined || step.default === null ? null : step.default;
      /** @type {Offer[]} */
      const offers = likely === null ? [] : [proposedSpot(step, likely, other)];
      if (step.optional && likely === null)
        offers.push({ label: "not noted", note: "Enter", value: null });
      if (step.score)
        offers.push({ label: "touchdown", key: "t", value: { yard: 100, touchdown: true } });
      return offers;
    }
    const place = parseSpot(text, { ...step, other });
    return "error" in place
      ? []
      : [{ label: spot.show(step, place, s), note: "Enter", value: place }];
  },
  read(step, text, pick, s) {
    const offers = spot.offers(step, text, s);
    if (!text.trim()) {
      if (pick !== null && offers[pick]) return { value: offers[pick].value };
      const first = offers.find((offer) => offer.note === "Enter");
      return first
        ? { value: first.value }
        : { error: "Where? Type o35 (own), d20 (theirs), +7, -3 or t (touchdown)." };
    }
    const place = parseSpot(text, { ...step, other: s.other(step.team) });
    if ("error" in place) return place;
    if (place.touchdown && !step.score)
      return { error: "A touchdown can’t be scored here. Type the yard only." };
    return { value: place };
  },
  show(step, value, s) {
    if (value === null) return "not noted";
    if (value.touchdown) return "touchdown";
    const words = spotWords(step.team, value.yard, s.other(step.team));
    const gain = step.from === undefined || step.from === null ? 0 : value.yard - step.from;
    return gain ? `${words} (${gain > 0 ? "+" : "−"}${Math.abs(gain)})` : words;
  },
};

/**
 * A spot that Enter chooses: a yard, or one with the touchdown that was scored there.
 * @returns {Offer}
 */
function proposedSpot(step, likely, other) {
  const value = typeof likely === "number" ? { yard: likely, touchdown: false } : likely;
  const words = value.touchdown ? "touchdown" : spotWords(step.team, value.yard, other);
  return { label: step.defaultLabel ?? words, note: "Enter", value };
}

const number = {
  offers: (step, text) =>
    text.trim() || step.default === undefined
      ? []
      : [{ label: `${step.default}`, note: "Enter", value: step.default }],
  read(step, text) {
    if (!text.trim() && step.default !== undefined) return { value: step.default };
    const value = /^\d+$/.test(text.trim()) ? Number(text.trim()) : NaN;
    if (value >= step.min && value <= step.max) return { value };
    return { error: `Type a number from ${step.min} to ${step.max}.` };
  },
  show: (step, value) => `${value}${step.unit ? ` ${step.unit}` : ""}`,
};

const clock = {
  offers: (step, text) =>
    text.trim() ? [] : [{ label: clockWords(step.default), note: "Enter", value: step.default }],
  read(step, text) {
    const value = text.trim() ? parseClock(text.trim()) : step.default;
    return value === null ? { error: "Type minutes and seconds, e.g. 731 or 7:31." } : { value };
  },
  show: (step, value) => clockWords(value),
};

/** Free text; `known` offers what begins with or contains it, `byCode` what it is short for. */
const words = {
  offers(step, text) {
    const typed = text.trim().toLowerCase();
    const meant = step.byCode?.(typed);
    const known = (step.known ?? []).filter((suggestion) =>
      suggestion.toLowerCase().includes(typed),
    );
    known.sort(
      (a, b) =>
        Number(b.toLowerCase().startsWith(typed)) - Number(a.toLowerCase().startsWith(typed)),
    );
    if (meant) known.unshift(meant);
    if (!typed && !step.known)
      return [
        { label: step.default || "nothing to add", note: "Enter", value: step.default ?? "" },
      ];
    const stands =
      typed || !step.default ? [] : [{ label: step.default, note: "Enter", value: step.default }];
    const others = [...new Set(known)]
      .filter((suggestion) => suggestion !== step.default || typed)
      .slice(0, 6);
    return [
      ...stands,
      ...others.map((suggestion, index) => ({
        label: suggestion,
        note: typed && !index ? "Enter" : "",
        value: suggestion,
      })),
    ];
  },
  read(step, text, pick) {
    const offers = words.offers(step, text);
    if (pick !== null && offers[pick]) return { value: offers[pick].value };
    if (!text.trim())
      return step.required ? { error: step.required } : { value: step.default ?? "" };
    return {
      value:
        step.known && offers.length ? offers[0].value : text.trim().slice(0, step.limit ?? 500),
    };
  },
  show: (step, value) => value || "–",
};

const numbers = {
  offers: (step, text) =>
    text.trim()
      ? []
      : [
          {
            label: step.default?.length ? step.default.map((n) => `#${n}`).join(" ") : "none",
            note: "Enter",
            value: step.default ?? [],
          },
        ],
  read(step, text) {
    if (!text.trim()) return { value: step.default ?? [] };
    if (text.trim() === "-") return { value: [] };
    const typedNumbers = text
      .trim()
      .split(/[\s,]+/)
      .map((part) => (/^#?\d+$/.test(part) ? Number(part.replace("#", "")) : NaN));
    return typedNumbers.every((n) => n >= 1)
      ? { value: typedNumbers }
      : { error: "Type event numbers separated by spaces, e.g. 41 42, or - for none." };
  },
  show: (step, value) => (value.length ? value.map((n) => `#${n}`).join(" ") : "none"),
};

/** One entry or event of the log: picked with the arrows, or by its number. */
const logged = {
  offers(step, text) {
    const typed = text.trim().replace("#", "");
    return step.options
      .map((option, index) => ({
        ...option,
        note: !typed && index === (step.default ?? 0) ? "Enter" : "",
      }))
      .filter((option) => !typed || option.numbers.some((n) => String(n) === typed));
  },
  read(step, text, pick) {
    const offers = logged.offers(step, text);
    const typed = Number(text.trim().replace("#", ""));
    if (offers.length) return { value: offers[pick ?? (typed ? 0 : (step.default ?? 0))].value };
    if (typed >= 1 && step.fetch) return { fetch: typed };
    if (text.trim() && step.search) return { fetch: text.trim(), of: "events" };
    return {
      error: typed
        ? `Event ${typed} can’t be chosen here.`
        : "Type an event number or choose with the arrows.",
    };
  },
  show: (step, value) => value.label,
};

/** A play of the list; its events that count are read from the server when it is chosen. */
const play = {
  offers(step, text, s) {
    const typed = text.trim();
    const first = step.first ? [{ label: "before the first play", of: 0 }] : [];
    return [
      ...s.plays.map((row) => ({ label: `play ${row.number} · ${row.words}`, of: row.number })),
      ...first,
    ]
      .filter((row) => !typed || String(row.of) === typed)
      .map(({ label, of }, index) => ({ label, value: of, note: index ? "" : "Enter" }));
  },
  read(step, text, pick, s) {
    const offers = play.offers(step, text, s);
    if (offers.length) return { fetch: offers[pick ?? 0].value, of: "plays" };
    return /^\d+$/.test(text.trim())
      ? { fetch: Number(text.trim()), of: "plays" }
      : { error: "Type a play number or choose with the arrows." };
  },
  show: (step, value) => value.label,
};

const snap = {
  offers(step, text, s) {
    const parsed = parseSnap(text, step.default, s.clubs, s.rules);
    return "error" in parsed
      ? []
      : [{ label: snap.show(step, parsed.snap, s), note: "Enter", value: parsed.snap }];
  },
  read(step, text, pick, s) {
    const parsed = parseSnap(text, step.default, s.clubs, s.rules);
    return "error" in parsed ? parsed : { value: parsed.snap };
  },
  show: (step, value, s) =>
    `${clockWords(value.clock)} ${spotWords(value.possession, value.spot, s.other(value.possession))}`,
};

/**
 * One of a list, picked with the arrows or by its number; an option with `fetch` is looked up
 * first.
 */
const listed = {
  offers(step, text) {
    const options = step.options.filter(
      (option) => !text.trim() || String(option.number) === text.trim(),
    );
    return options.map((option) => ({
      ...option,
      note: options.length === 1 || (!text.trim() && option === options[0]) ? "Enter" : "",
    }));
  },
  read(step, text, pick) {
    const offers = listed.offers(step, text);
    const taken = offers[pick ?? offers.findIndex((offer) => offer.note)];
    if (taken)
      return taken.fetch ? { fetch: taken.value, of: taken.fetch } : { value: taken.value };
    return {
      error: step.options.length ? "Choose from the list with the arrows or by number." : step.none,
    };
  },
  show: (step, value) =>
    step.options.find((option) => option.value === value)?.label ?? listedLabel(value),
};
const listedLabel = (value) => value.label ?? `${value.number} of ${value.club}`;

/** Part of a name: the server finds the footballers who fit it. */
const search = {
  offers: () => [],
  read: (step, text) =>
    text.trim()
      ? { fetch: { name: text.trim(), page: 1 }, of: "footballers" }
      : { error: step.required },
  show: (step, value) => value.label,
};

export const FIELDS = {
  choice,
  player,
  players,
  spot,
  number,
  clock,
  words,
  numbers,
  logged,
  listed,
  search,
  play,
  snap,
};

/**
 * The offer that the next arrow key marks: from the marked one, or the one that Enter takes; else
 * the first or the last.
 * @param {Offer[]} offers @param {number|null} pick @param {1|-1} step
 */
export function nextPick(offers, pick, step) {
  const likely = offers.findIndex((offer) => offer.note === "Enter");
  if (pick === null && likely < 0) return step > 0 ? 0 : offers.length - 1;
  return ((pick ?? likely) + step + offers.length) % offers.length;
}
