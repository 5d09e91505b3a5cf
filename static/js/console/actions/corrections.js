/** Taking back, replacing and overturning: corrections are new entries, nothing is ever edited. Pure. */
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
  steps(a, s) {
    // An undo is passed over, an overturn is not; a spotter's credit is not what the scorer did last.
    const likely = Math.max(0, s.recent.findIndex((entry) => !entry.undone && !entry.spotter));
    return [{ name: "entry", label: "Take back which entry?", kind: "logged", options: logged(s.recent), default: likely, fetch: "entry" }];
  },
  build: (a) => a.entry.undo,
  playNumber: (a) => a.entry.play_number,
};

/** The rulings as a choice: the scorer's own key for each. */
export const choices = (rulings, keys) => Object.entries(rulings).map(([name, action]) => ({ key: keys[name], value: name, label: action.title.toLowerCase() }));

/**
 * Takes an entry back and enters it anew, in one step and in the same play.
 * @param {Record<string, object>} rulings  the actions that can take its place, by name
 * @param {Record<string, string>} keys
 */
export function replaceOf(rulings, keys) {
  const inner = (a, s) => {
    const first = a.entry.bodies[0];
    const before = { ...s, snap: a.entry.snap ?? s.snap, ball: a.entry.ball ?? s.ball, passed: null, was: a.as === first.type ? first : null };
    before.play_events = s.play_events.filter((event) => !a.entry.numbers.includes(event.number));
    return first.type === "snap" ? { ...before, suggestion: { ...s.suggestion, ...first } } : before;
  };
  return {
    title: "Replace",
    steps(a, s) {
      const entries = s.recent.filter((entry) => !entry.correction && !entry.spotter && entry.bodies[0].type in rulings);
      /** @type {Step[]} */
      const steps = [{ name: "entry", label: "Replace which entry?", kind: "logged", options: logged(entries), default: 0 }];
      if (!a.entry) return steps;
      steps.push({ name: "as", label: "It was a", kind: "choice", default: a.entry.bodies[0].type, options: choices(rulings, keys) });
      return a.as ? [...steps, ...rulings[a.as].steps(a, inner(a, s))] : steps;
    },
    build: (a, s) => [...a.entry.undo, ...inPlace(rulings[a.as].build(a, inner(a, s)), a.entry)],
    context: (a, s) => (a.as ? inner(a, s) : s),
    playNumber: (a) => a.entry.play_number,
  };
}

/**
 * The new bodies where the old ones stood: what follows them in the play still follows, and the play stays in its place.
 * @param {EventBody[]} bodies @param {{room?: [number, number]|null, bodies: EventBody[]}} entry
 */
function inPlace(bodies, entry) {
  const place = entry.bodies[0].play_place;
  const kept = place === undefined ? bodies : bodies.map((body) => (body.type === "snap" ? { play_place: place, ...body } : body));
  if (!entry.room) return kept;
  const [from, to] = entry.room;
  return kept.map((body, index) => ({ ...body, place: from + ((to - from) * index) / bodies.length }));
}

/** A new ruling for one event, which may be of another kind; later events of the play can be struck out with it. */
export function overturnOf(rulings, keys) {
  const options = choices(rulings, keys);
  const inner = (a, s) => {
    const same = a.as === a.event.body.type;
    const then = a.event.snap ? { ...s, snap: a.event.snap, ball: a.event.ball } : s;
    return { ...then, ...positionOf(a.event.body, then), play_events: ofItsPlay(a.event, s), single: true, was: same ? a.event.body : null };
  };
  return {
    title: "Overturn",
    steps(a, s) {
      const events = s.play_events.map((event) => ({
        label: `#${event.number} ${event.words}`,
        numbers: [event.number],
        value: { ...event, label: `#${event.number}` },
      }));
      /** @type {Step[]} */
      const steps = [{ name: "event", label: "Overturn which event?", kind: "logged", options: events, default: lastMove(s), fetch: "event" }];
      if (!a.event) return steps;
      const same = options.find((option) => option.value === a.event.body.type)?.value;
      steps.push({ name: "as", label: "The new ruling is a", kind: "choice", default: same, options });
      if (!a.as) return steps;
      return [
        ...steps,
        ...rulings[a.as].steps(a, inner(a, s)),
        { name: "also", label: "Strike out later events of the play", kind: "numbers", default: a.as === same ? [] : later(a.event, s) },
        { name: "why", label: "Reason", kind: "words", default: "" },
      ];
    },
    build(a, s) {
      const [ruling] = rulings[a.as].build(a, inner(a, s));
      const type = s.status === "final" ? "stat_correction" : "overturn"; // after the game only credit is put right
      /** @type {EventBody[]} */
      const bodies = [{ type, event: a.event.number, ruling: lean(ruling), reason: a.why ?? "" }];
      return a.also?.length ? [...bodies, { type: "nullify", events: a.also, reason: a.why ?? "" }] : bodies;
    },
    context: (a, s) => (a.as ? inner(a, s) : s),
    playNumber: (a) => a.event.play_number ?? null,
  };
}

/** What counts of the play of an event: one of an earlier play brings its own along. */
const ofItsPlay = (event, s) => event.play_events ?? s.play_events;

/** What follows the event in its own play. */
function later(event, s) {
  const events = ofItsPlay(event, s);
  const here = events.findIndex((one) => one.number === event.number);
  return (here < 0 ? [] : events.slice(here + 1)).filter((one) => s.types[one.type].part !== "aside").map((one) => one.number);
}

function lastMove({ play_events: events, types }) {
  return Math.max(0, events.findLastIndex((event) => types[event.type].part === "action"));
}

/** Ball and line as they were for the event that is ruled on anew. */
function positionOf(body, s) {
  if (body.type === "snap") return { suggestion: { ...s.suggestion, ...body } };
  const team = body.team ?? s.ball?.team;
  const yard = body.throw_yard ?? body.start_yard ?? body.yard ?? s.ball?.yard ?? 50;
  const player = body.player ?? body.receiver ?? body.tackled ?? null;
  return { snap: { ...s.snap, possession: team, spot: yard }, ball: { ...s.ball, team, yard, player }, passed: null };
}
