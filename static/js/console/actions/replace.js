/** Replace: takes an entry back and enters it anew, in one step. Pure. */
import { ballAfter } from "../rules/ball.js";
import { choices, logged, openedBy, snapBefore } from "./shared/corrections.js";

/**
 * Takes an entry back and enters it anew, in one step and in the same play. The snap of an entry
 * that opened its play stays, because it is corrected separately.
 */
export const replace = {
  name: "replace",
  title: "Replace",
  corrects: true,
  offers: (action) => action.isRuling,
  compose(rulings, keys) {
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
      before.play_events = s.play_events.filter(
        (event) => !replacedNumbers(a.entry).includes(event.number),
      );
      return first.type === "snap" ? { ...before, suggestion: snapBefore(first, s) } : before;
    };
    return {
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
  },
};

/** The bodies of an entry that are entered anew. */
const anew = (entry) => (openedBy(entry) ? entry.bodies.slice(1) : entry.bodies);

/** The numbers of the events that are replaced. */
const replacedNumbers = (entry) => (openedBy(entry) ? entry.numbers.slice(1) : entry.numbers);

/**
 * The bodies of the entry that still count, because some may have been struck out since.
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
  const bodies = entry.undo.map((body) =>
    body.type === "nullify"
      ? { ...body, events: body.events.filter((number) => number !== snap) }
      : body,
  );
  return bodies.filter((body) => body.type !== "nullify" || body.events.length);
}

/**
 * The new bodies at the place of the old ones, so that later events of the play still follow, and
 * the play stays in its place.
 * @param {EventBody[]} bodies @param {{room?: [number, number]|null, bodies: EventBody[]}} entry
 */
function inPlace(bodies, entry) {
  const place = entry.bodies[0].play_place;
  const placed =
    place === undefined
      ? bodies
      : bodies.map((body) => (body.type === "snap" ? { play_place: place, ...body } : body));
  if (!entry.room) return placed;
  const [from, to] = entry.room;
  return placed.map((body, index) => ({
    ...body,
    place: from + ((to - from) * index) / bodies.length,
  }));
}
