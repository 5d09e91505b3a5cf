/**
 * The play list: insert a forgotten play, add an event to an earlier play, move a play, enter it
 * anew, or strike it out. Pure.
 */
import { ballAfter } from "../rules/ball.js";
import { choices } from "./shared/corrections.js";
import { lean } from "./shared/parts.js";

const WORK = [
  { key: "i", value: "insert", label: "insert a forgotten play" },
  { key: "e", value: "add", label: "add an event to an earlier play" },
  { key: "m", value: "move", label: "move a play" },
  { key: "w", value: "anew", label: "rewrite a whole play" },
  { key: "x", value: "strike", label: "delete a whole play" },
];
const QUESTIONS = {
  insert: "After which play was it? 0: before the first",
  add: "To which play?",
  move: "Move which play?",
  anew: "Rewrite which play?",
  strike: "Delete which play?",
};

/**
 * The middle between a place and the next one. After the last play there is room up to the next
 * number.
 */
const between = ({ place, next }, s) => (place + (next ?? s.last_play + 1)) / 2;

export const plays = {
  name: "plays",
  title: "Play list",
  corrects: true,
  offers: (action) => action.isRuling,
  compose(rulings, keys) {
    const { snap, ...actions } = rulings;
    const options = choices(actions, keys);

    /** The usual questions about what happened. @returns {Step[]} */
    function happened(a, s, likely) {
      const which = {
        name: "as",
        label: "What happened?",
        kind: "choice",
        default: likely,
        options,
      };
      return a.as ? [which, ...actions[a.as].steps(a, scene(a, s))] : [which];
    }

    return {
      steps(a, s) {
        /** @type {Step[]} */
        const steps = [
          {
            name: "work",
            label: "What do you want to do?",
            kind: "choice",
            default: "insert",
            options: WORK,
          },
        ];
        if (!a.work) return steps;
        steps.push({
          name: "play",
          label: QUESTIONS[a.work],
          kind: "play",
          first: a.work === "insert",
        });
        if (!a.play || a.work === "strike") return steps;
        if (a.work === "move") return [...steps, BEHIND];
        if (a.work === "add")
          return a.afterEvent
            ? [...steps, afterStep(a), ...happened(a, s)]
            : [...steps, afterStep(a)];
        steps.push(...snap.steps(a, scene({ ...a, snap: undefined }, s)));
        return a.snap ? [...steps, ...happened(a, s, likelyAction(a, options))] : steps;
      },
      build: (a, s) => BUILDERS[a.work](a, s, () => actions[a.as].build(a, scene(a, s))),
      context: (a, s) => (a.play ? scene(a, s) : s),
      playNumber: (a) => (a.work === "insert" ? null : a.play.number),
    };
  },
};

/** @type {Step} */
const BEHIND = {
  name: "behind",
  label: "After which play does it belong? 0: before the first",
  kind: "play",
  first: true,
};

/** @returns {Step} */
function afterStep(a) {
  const options = a.play.events.map((event) => ({
    label: `#${event.number} ${event.words}`,
    numbers: [event.number],
    value: { ...event, label: `#${event.number}` },
  }));
  return {
    name: "afterEvent",
    label: "After which event of the play?",
    kind: "logged",
    options,
    default: options.length - 1,
  };
}

/**
 * Snap and ball for the new entry: those of the new snap, or of the chosen play up to the chosen
 * event.
 */
function scene(a, s) {
  const game = { ...s.clubs, book: s.rules };
  const likely = a.work === "anew" ? snapOf(a) : a.play?.suggestion;
  const asked = { ...s, passed: null, play_events: [], suggestion: { ...s.suggestion, ...likely } };
  if (a.snap) return { ...asked, snap: a.snap, ball: ballAfter(a.snap, [], game) };
  if (a.work !== "add" || !a.afterEvent) return asked;
  const upto = a.play.events.slice(
    0,
    a.play.events.findIndex((event) => event.number === a.afterEvent.number) + 1,
  );
  const bodies = upto.map((event) => event.body).filter((body) => body.type !== "snap");
  const passed = bodies.find((body) => body.type === "pass") ?? null;
  return {
    ...asked,
    snap: a.play.snap,
    ball: ballAfter(a.play.snap, bodies, game),
    play_events: upto,
    passed,
  };
}

/**
 * The function that builds the bodies of each choice.
 * @type {Record<string, (a: any, s: Situation, happened: () => EventBody[]) => EventBody[]>}
 */
const BUILDERS = {
  insert: (a, s, happened) => [
    { type: "snap", ...a.snap, play_place: between(a.play, s) },
    ...happened(),
  ],
  add: (a, s, happened) => spread(happened(), a.afterEvent),
  move(a, s) {
    const { number, body } = a.play.events.find((event) => event.type === "snap");
    const ruling = { ...body, play_place: between(a.behind, s) };
    return [
      {
        type: "overturn",
        event: number,
        ruling,
        by_scorer: true,
        reason: a.behind.number
          ? `moved after play ${a.behind.number}`
          : "moved before the first play",
      },
    ];
  },
  strike: (a) => [
    {
      type: "nullify",
      events: a.play.events.map((event) => event.number),
      reason: "struck out by the scorer",
    },
  ],
  anew,
};

const snapOf = (a) => a.play?.events.find((event) => event.type === "snap")?.body;

/** The current kind of the play, if it can be entered. */
function likelyAction(a, options) {
  const first =
    a.work === "anew"
      ? a.play.events.find((event) => options.some((option) => option.value === event.type))
      : undefined;
  return first?.type ?? "run";
}

/** The bodies after an event of a play, before the event that follows it. */
function spread(bodies, { place, next }) {
  if (next === null || next === undefined) return bodies;
  return bodies.map((body, index) => ({
    ...body,
    place: place + ((next - place) * (index + 1)) / (bodies.length + 1),
  }));
}

/**
 * The snap keeps its event, so that the play keeps its number and place. Flags, reviews and
 * timeouts stay.
 */
function anew(a, s, happened) {
  const { number } = a.play.events.find((event) => event.type === "snap");
  const replaced = a.play.events
    .filter((event) => ["action", "credit"].includes(s.types[event.type].part))
    .map((event) => event.number);
  const reason = "rewritten by the scorer";
  return [
    {
      type: "overturn",
      event: number,
      ruling: lean({ type: "snap", ...a.snap }),
      by_scorer: true,
      reason,
    },
    ...(replaced.length ? [{ type: "nullify", events: replaced, reason }] : []),
    ...happened(),
  ];
}
