/**
 * Taking back, replacing and overturning: corrections are new entries, nothing is ever edited.
 * Pure.
 */
import { ballAfter } from "../rules/ball.js";
import { carriedAlong, untrueAfter } from "./aftermath.js";
import { chosenEvent, eventSteps } from "./finding.js";
import { lean } from "./parts.js";

const numbersOf = (numbers) => numbers.map((n) => `#${n}`).join(" ");

function logged(entries) {
  return entries.map((entry) => ({
    label: `${entry.spotter ? "spotter: " : entry.correction ? "bring back before " : ""}${numbersOf(entry.numbers)} ${entry.words}`,
    numbers: entry.numbers,
    value: { ...entry, label: numbersOf(entry.numbers) },
  }));
}

/** Takes back an entry: nullifies it, or brings back what a correction had taken away. */
export const undo = {
  title: "Undo",
  corrects: true,
  steps(a, s) {
    // An undo is passed over, an overturn is not; a spotter's credit is not what the scorer did
    // last.
    const likely = Math.max(
      0,
      s.recent.findIndex((entry) => !entry.undone && !entry.spotter),
    );
    return [
      {
        name: "entry",
        label: "Take back which entry?",
        kind: "logged",
        options: logged(s.recent),
        default: likely,
        fetch: "entry",
      },
    ];
  },
  build: (a) => a.entry.undo,
  playNumber: (a) => a.entry.play_number,
};

/** The rulings as a choice: the scorer's own key for each. */
export const choices = (rulings, keys) =>
  Object.entries(rulings).map(([name, action]) => ({
    key: keys[name],
    value: name,
    label: action.title.toLowerCase(),
  }));

/**
 * Takes an entry back and enters it anew, in one step and in the same play. The snap of an entry
 * that opened its play
 * stays: it is corrected by itself.
 * @param {Record<string, object>} rulings  the actions that can take its place, by name
 * @param {Record<string, string>} keys
 */
export function replaceOf(rulings, keys) {
  const inner = (a, s) => {
    const [first] = anew(a.entry);
    const opened = openedBy(a.entry);
    const snap = opened ?? a.entry.snap ?? s.snap;
    const ball =
      a.entry.ball ?? (opened ? ballAfter(opened, [], { ...s.clubs, book: s.rules }) : s.ball);
    const isSame = first.type === a.as;
    const before = {
      ...s,
      snap,
      ball,
      passed: null,
      was: isSame ? first : null,
      stood: isSame ? standingBodies(a.entry) : null,
    };
    before.play_events = s.play_events.filter((event) => !gone(a.entry).includes(event.number));
    return first.type === "snap" ? { ...before, suggestion: snapBefore(first, s) } : before;
  };
  return {
    title: "Replace",
    corrects: true,
    steps(a, s) {
      const entries = s.recent.filter(
        (entry) => !entry.correction && !entry.spotter && anew(entry)[0].type in rulings,
      );
      /** @type {Step[]} */
      const steps = [
        {
          name: "entry",
          label: "Replace which entry?",
          kind: "logged",
          options: logged(entries),
          default: 0,
        },
      ];
      if (!a.entry) return steps;
      steps.push({
        name: "as",
        label: "It was a",
        kind: "choice",
        default: anew(a.entry)[0].type,
        options: choices(rulings, keys),
      });
      return a.as ? [...steps, ...rulings[a.as].steps(a, inner(a, s))] : steps;
    },
    build: (a, s) => [
      ...takenBack(a.entry),
      ...inPlace(rulings[a.as].build(a, inner(a, s)), a.entry),
    ],
    context: (a, s) => (a.as ? inner(a, s) : s),
    playNumber: (a) => a.entry.play_number,
  };
}

/**
 * The snap of an entry that opened its play with it; undefined for one that did not, or is a snap
 * alone.
 */
export const openedBy = (entry) =>
  entry.bodies.length > 1 && entry.bodies[0].type === "snap" ? entry.bodies[0] : undefined;

/** What of an entry is entered anew. */
const anew = (entry) => (openedBy(entry) ? entry.bodies.slice(1) : entry.bodies);

/** The events that go when the entry is entered anew. */
const gone = (entry) => (openedBy(entry) ? entry.numbers.slice(1) : entry.numbers);

/**
 * What of the entry still counts: part of it may have been struck out since.
 * @returns {EventBody[]}
 */
function standingBodies(entry) {
  const counts = entry.undo
    .filter((body) => body.type === "nullify")
    .flatMap((body) => body.events);
  return entry.bodies.filter((_, index) => counts.includes(entry.numbers[index]));
}

/** The bodies that take it back, all but the snap that opened its play. @returns {EventBody[]} */
function takenBack(entry) {
  const [snap] = openedBy(entry) ? entry.numbers : [];
  const kept = entry.undo.map((body) =>
    body.type === "nullify"
      ? { ...body, events: body.events.filter((number) => number !== snap) }
      : body,
  );
  return kept.filter((body) => body.type !== "nullify" || body.events.length);
}

/**
 * The new bodies where the old ones stood: what follows them in the play still follows, and the
 * play stays in its place.
 * @param {EventBody[]} bodies @param {{room?: [number, number]|null, bodies: EventBody[]}} entry
 */
function inPlace(bodies, entry) {
  const place = entry.bodies[0].play_place;
  const kept =
    place === undefined
      ? bodies
      : bodies.map((body) => (body.type === "snap" ? { play_place: place, ...body } : body));
  if (!entry.room) return kept;
  const [from, to] = entry.room;
  return kept.map((body, index) => ({
    ...body,
    place: from + ((to - from) * index) / bodies.length,
  }));
}

const CAUSES = [
  { key: "o", value: "officials", label: "the officials ruled anew: published as overturned" },
  { key: "s", value: "slip", label: "a slip of the entry: published as corrected" },
];

/**
 * A new ruling for one event, which may be of another kind; what can no longer be true in its play
 * is struck out with it.
 */
export function overturnOf(rulings, keys) {
  const options = choices(rulings, keys);
  const inner = (a, s) => {
    const event = chosenEvent(a);
    const same = a.as === event.body.type;
    return {
      ...s,
      ...momentOf(event, s),
      play_events: ofItsPlay(event, s),
      single: true,
      ruled: event.number,
      was: same ? event.body : null,
    };
  };
  /** The ruling, with what stands of the event and was not asked for. */
  const rulingOf = (a, s) => {
    const { body } = chosenEvent(a);
    const [ruling] = rulings[a.as].build(a, inner(a, s));
    return a.as === body.type ? { ...body, ...ruling } : ruling;
  };
  /** What of the play went on from the event and is not struck out. */
  const goesOn = (a, s) =>
    carriedAlong(rulingOf(a, s), chosenEvent(a), inner(a, s)).filter(
      ({ number }) => !a.also?.includes(number),
    );
  /** Whether the officials looked at the play: else nobody but the scorer put it right. */
  const mayBeOfficials = (event, s) => correctionType(s) === "overturn" && isReviewed(event, s);
  // after the game only credit is put right
  const correctionType = (s) => (s.status === "final" ? "stat_correction" : "overturn");
  return {
    title: "Overturn",
    corrects: true,
    steps(a, s) {
      const events = s.play_events.map((event) => ({
        label: `#${event.number} ${event.words}`,
        numbers: [event.number],
        value: { ...event, label: `#${event.number}` },
      }));
      const steps = eventSteps(a, "Overturn which event?", events, lastMove(s));
      const event = chosenEvent(a);
      if (!event) return steps;
      const same = options.find((option) => option.value === event.body.type)?.value;
      steps.push({
        name: "as",
        label: "The new ruling is a",
        kind: "choice",
        default: same,
        options,
      });
      if (!a.as) return steps;
      const asked = rulings[a.as].steps(a, inner(a, s));
      steps.push(...asked);
      if (asked.some((step) => !(step.name in a))) return steps;
      steps.push({
        name: "also",
        label: "Strike out other events of the play",
        kind: "numbers",
        default: [
          ...new Set([
            ...(rulings[a.as].strikes?.(a, inner(a, s)) ?? []),
            ...untrueAfter(rulingOf(a, s), event, inner(a, s)),
          ]),
        ],
      });
      if (goesOn(a, s).length) steps.push(alongStep(goesOn(a, s)));
      if (mayBeOfficials(event, s))
        steps.push({
          name: "cause",
          label: "Why does it change?",
          kind: "choice",
          default: "officials",
          options: CAUSES,
        });
      return [...steps, { name: "why", label: "Reason", kind: "words", default: "" }];
    },
    build(a, s) {
      const event = chosenEvent(a);
      const ruling = rulingOf(a, s);
      const [type, reason] = [correctionType(s), a.why ?? ""];
      const isOfficial = mayBeOfficials(event, s) && a.cause === "officials";
      const said = type === "overturn" && !isOfficial ? { reason, by_scorer: true } : { reason };
      const corrected = (number, body) => ({ type, event: number, ruling: lean(body), ...said });
      const struck = a.also ?? [];
      const along = a.along === false ? [] : goesOn(a, s);
      /** @type {EventBody[]} */
      const bodies = [
        corrected(event.number, ruling),
        ...along.map(({ number, body }) => corrected(number, body)),
      ];
      return struck.length ? [...bodies, { type: "nullify", events: struck, reason }] : bodies;
    },
    context: (a, s) => (a.as ? inner(a, s) : s),
    playNumber: (a) => chosenEvent(a).play_number ?? null,
  };
}

/** @param {{number: number}[]} along  what went on from the corrected event @returns {Step} */
function alongStep(along) {
  const options = [
    { key: "y", value: true, label: `yes: ${numbersOf(along.map(({ number }) => number))}` },
    { key: "n", value: false, label: "no, they stay as they are" },
  ];
  return {
    name: "along",
    label: "Does what goes on from it follow?",
    kind: "choice",
    default: true,
    options,
  };
}

/** What counts of the play of an event: one of an earlier play brings its own along. */
const ofItsPlay = (event, s) => event.play_events ?? s.play_events;

/** Whether the play was reviewed and the call not left as it was. */
const isReviewed = (event, s) =>
  ofItsPlay(event, s).some(
    (one) => one.type === "challenge" && ["pending", "overturned"].includes(one.body.ruling),
  );

function lastMove({ play_events: events, types }) {
  return Math.max(
    0,
    events.findLastIndex((event) => types[event.type].part === "action"),
  );
}

/**
 * A snap to start from instead of the suggestion, whose down and kind are not its own.
 * @param {EventBody} body
 */
const snapBefore = (body, s) => ({
  ...s.suggestion,
  situation: "scrimmage",
  down: null,
  distance: null,
  ...body,
});

/**
 * Snap and ball as they were before the event that is ruled on anew, whoever it was credited to.
 */
function momentOf(event, s) {
  if (event.body.type === "snap") return { suggestion: snapBefore(event.body, s) };
  const events = ofItsPlay(event, s);
  const at = events.findIndex((one) => one.number === event.number);
  const before = events.slice(0, at < 0 ? events.length : at).map((one) => one.body);
  const snap = event.snap ?? before.findLast((body) => body.type === "snap") ?? s.snap;
  const moves = before.filter((body) => body.type !== "snap");
  const ball =
    event.ball ??
    (snap && s.rules ? ballAfter(snap, moves, { ...s.clubs, book: s.rules }) : s.ball);
  return { snap, ball, passed: before.find((body) => body.type === "pass") ?? null };
}
