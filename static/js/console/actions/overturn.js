/** Overturn: a new ruling for one event. Pure. */
import { ballAfter } from "../rules/ball.js";
import { carriedAlong, untrueAfter, untrueBefore } from "./shared/aftermath.js";
import { choices, numbersOf, snapBefore } from "./shared/corrections.js";
import { chosenEvent, eventSteps } from "./shared/finding.js";
import { lean } from "./shared/parts.js";

const CAUSES = [
  { key: "o", value: "officials", label: "new ruling by the officials: published as overturned" },
  { key: "s", value: "slip", label: "entry mistake: published as corrected" },
];

/**
 * A new ruling for one event, which may change its type. Events of the play that can no longer be
 * true are struck out with it.
 */
export const overturn = {
  name: "overturn",
  title: "Overturn",
  corrects: true,
  offers: (action) => action.isRuling,
  compose(rulings, keys) {
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
    /** The ruling, with the fields of the event that were not asked for. */
    const rulingOf = (a, s) => {
      const { body } = chosenEvent(a);
      const [ruling] = rulings[a.as].build(a, inner(a, s));
      return a.as === body.type ? { ...body, ...ruling } : ruling;
    };
    /** The events of the play that continue from this one and are not struck out. */
    const goesOn = (a, s) =>
      carriedAlong(rulingOf(a, s), chosenEvent(a), inner(a, s)).filter(
        ({ number }) => !a.also?.includes(number),
      );
    /** Whether the officials may have reviewed the play. If not, only the scorer corrected it. */
    const mayBeOfficials = (event, s) => correctionType(s) === "overturn" && isReviewed(event, s);
    // after the game only credits are corrected
    const correctionType = (s) => (s.status === "final" ? "stat_correction" : "overturn");
    return {
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
              ...untrueBefore(rulingOf(a, s), event, inner(a, s)),
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
        const cause = type === "overturn" && !isOfficial ? { reason, by_scorer: true } : { reason };
        const corrected = (number, body) => ({ type, event: number, ruling: lean(body), ...cause });
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
  },
  sentences: {
    overturn: (b, s, sentence) =>
      `${b.by_scorer ? "Corrected" : "OVERTURNED"} #${b.event}: ${sentence(b.ruling, s)}`,
    stat_correction: (b, s, sentence) => `Stat correction of #${b.event}: ${sentence(b.ruling, s)}`,
  },
};

/** @param {{number: number}[]} along  what went on from the corrected event @returns {Step} */
function alongStep(along) {
  const options = [
    { key: "y", value: true, label: `yes: ${numbersOf(along.map(({ number }) => number))}` },
    { key: "n", value: false, label: "no, they stay as they are" },
  ];
  return {
    name: "along",
    label: "Move what follows from it too?",
    kind: "choice",
    default: true,
    options,
  };
}

/** The events of the play that count. An event of an earlier play brings its own. */
const ofItsPlay = (event, s) => event.play_events ?? s.play_events;

/** Whether a review of the play is pending or has changed the call. */
const isReviewed = (event, s) =>
  ofItsPlay(event, s).some(
    (played) =>
      played.type === "challenge" && ["pending", "overturned"].includes(played.body.ruling),
  );

function lastMove({ play_events: events, types }) {
  return Math.max(
    0,
    events.findLastIndex((event) => types[event.type].part === "action"),
  );
}

/** Snap and ball before the event that gets a new ruling, regardless of whom it was credited to. */
function momentOf(event, s) {
  if (event.body.type === "snap") return { suggestion: snapBefore(event.body, s) };
  const events = ofItsPlay(event, s);
  const at = events.findIndex((played) => played.number === event.number);
  const before = events.slice(0, at < 0 ? events.length : at).map((played) => played.body);
  const snap = event.snap ?? before.findLast((body) => body.type === "snap") ?? s.snap;
  const moves = before.filter((body) => body.type !== "snap");
  const ball =
    event.ball ??
    (snap && s.rules ? ballAfter(snap, moves, { ...s.clubs, book: s.rules }) : s.ball);
  return { snap, ball, passed: before.find((body) => body.type === "pass") ?? null };
}
