/**
 * Late entries for an earlier play: a tackle, a credit, a flag or a review, also after the final
 * score. Pure.
 */
import { choices, openedBy } from "./shared/corrections.js";
import { isSet } from "../rules/suggestion.js";
import { chosenEvent, eventSteps } from "./shared/finding.js";

export const earlier = {
  name: "earlier",
  title: "Earlier play",
  needsBall: true,
  offers: (action) => action.isLate,
  compose(late, keys) {
    const options = choices(late, keys);
    const inner = (a, s) => {
      const event = chosenEvent(a);
      const known = s.recent.filter(
        (entry) => entry.play_number === event.play_number && !entry.correction,
      );
      const ball = ballOf(event.body, s);
      const events = event.play_events ?? known.flatMap(eventsOf);
      return {
        ...s,
        late: true,
        snap: event.snap ?? { ...s.snap, possession: ball.team },
        ball,
        play_events: events,
      };
    };
    return {
      steps(a, s) {
        const entries = s.recent.filter((entry) => !entry.correction && entry.play_number);
        const before = entries.findIndex(
          (entry) => entry.play_number !== s.play_number && entry.bodies.some(isOfPlay),
        );
        const steps = eventSteps(
          a,
          "Which play? An entry, or the number of one of its events",
          entries.map(offer),
          Math.max(0, before),
        );
        if (!chosenEvent(a)) return steps;
        steps.push({
          name: "what",
          label: "What to add",
          kind: "choice",
          default: "tackle",
          options,
        });
        return a.what ? [...steps, ...late[a.what].steps(a, inner(a, s))] : steps;
      },
      build: (a, s) => late[a.what].build(a, inner(a, s)),
      context: (a, s) => (chosenEvent(a) ? inner(a, s) : s),
      playNumber: (a) => chosenEvent(a).play_number,
    };
  },
};

/** Whether the event belongs to the play itself, unlike a delay, a timeout or the like. */
const isOfPlay = (body) =>
  ![
    "delay",
    "coin_toss",
    "timeout",
    "challenge",
    "game_status",
    "game_ended",
    "final",
    "scoreboard",
    "roster",
    "period",
  ].includes(body.type);

/** An entry as a choice, represented by its last event that is not a tackle or a credit. */
function offer(entry) {
  const label = entry.numbers.map((n) => `#${n}`).join(" ");
  const moved =
    entry.bodies.findLast((body) => body.type !== "tackle" && body.type !== "credit") ??
    entry.bodies[0];
  return {
    label: `${label} ${entry.words}`,
    numbers: entry.numbers,
    value: {
      label,
      body: moved,
      play_number: entry.play_number,
      snap: openedBy(entry) ?? entry.snap ?? (moved.type === "snap" ? moved : null),
    },
  };
}

const eventsOf = (entry) =>
  entry.bodies.map((body, index) => ({
    number: entry.numbers[index],
    play_number: entry.play_number,
    type: body.type,
    words: "",
    body,
  }));

/** The fields that say where the ball was, the latest moment of the event first. */
const SPOTS = ["end_yard", "reception_yard", "yard", "start_yard", "throw_yard", "spot"];
const MIDFIELD = 50;

/** Where the ball was after this event, and who had it. */
function ballOf(body, s) {
  const yard = SPOTS.map((field) => body[field]).find(isSet) ?? MIDFIELD;
  if (body.type === "tackle" || body.type === "credit")
    return { ...s.ball, team: s.other(body.team), yard, player: body.tackled ?? null };
  const team = body.team ?? body.possession ?? s.ball.team;
  const player = body.tackled ?? body.receiver ?? body.player ?? null;
  return { ...s.ball, team, yard, player };
}
