/** A pass: thrown, caught or not, and the run after the catch. Pure. */
import { interceptionBodies, interceptionSteps } from "./shared/interceptions.js";
import { equallyLikely, likelyPasser } from "./shared/likely.js";
import { playerWords, spotOf, touchdownWords } from "./shared/naming.js";
import {
  deadAt,
  lossCredit,
  lossSteps,
  proposedEnd,
  safetyBodies,
  safetySteps,
  snapClub,
  snapYard,
  standing,
  standingEnd,
  standingOf,
  standingRun,
  standingYard,
  tackleSteps,
  tackles,
} from "./shared/parts.js";

const RESULTS = [
  { key: "c", value: "complete", label: "complete" },
  { key: "i", value: "incomplete", label: "incomplete" },
  { key: "d", value: "dropped", label: "incomplete: dropped" },
  { key: "t", value: "thrown_away", label: "incomplete: thrown away" },
  { key: "x", value: "intercepted", label: "intercepted" },
  { key: "s", value: "spike", label: "spike" },
];

/** The result in the record's terms, and why a pass was incomplete. */
const resultOf = (a) => (FALLEN.includes(a.result) ? "incomplete" : a.result);

const FALLEN = ["dropped", "thrown_away"];

/** The direction of the throw, seen by the passer: one more key, which scorers may skip. */
const THROWN = {
  name: "thrown",
  hint: "optional first: 1 2 3 short left, middle, right, 4 5 6 deep",
  options: ["short", "deep"].flatMap((length, row) =>
    ["left", "middle", "right"].map((location, column) => ({
      key: `${1 + 3 * row + column}`,
      value: `${length} ${location}`,
      label: `${length} ${location}`,
    })),
  ),
};

/** The recorded direction of a pass that is corrected. */
const standingThrow = ({ was }) =>
  was?.location ? `${was.length ?? ""} ${was.location}` : undefined;

/** @returns {EventBody} */
function thrownBody(a, s, team) {
  const caught = a.result === "complete" ? a.caughtAt : null;
  return {
    type: "pass",
    team,
    passer: a.passer,
    receiver: a.receiver ?? null,
    result: resultOf(a),
    throw_yard: snapYard(s),
    reception_yard: (caught ?? a.aimedAt)?.yard ?? null,
    is_touchdown: Boolean(caught?.touchdown),
    ...thrownTo(a, s),
    incompletion: FALLEN.includes(a.result) ? a.result : null,
  };
}

/** How far and in which direction it was thrown, if recorded. */
function thrownTo(a, s) {
  const [length, location] = (a.thrown ?? standingThrow(s))?.split(" ") ?? [];
  return { length: length || null, location: location || null };
}

export const pass = {
  name: "pass",
  title: "Pass",
  needsBall: true,
  isRuling: true,
  opensPlay: () => true,
  steps(a, s) {
    const team = snapClub(s);
    /** @type {Step[]} */
    const steps = [
      {
        name: "passer",
        label: `Passer (${team})`,
        kind: "player",
        club: team,
        default: standing(s, "passer", likelyPasser(team, s)),
        among: equallyLikely("passer", team, s),
        yields: true,
      },
      {
        name: "result",
        label: "The pass was",
        kind: "choice",
        default: s.was?.incompletion ?? s.was?.result ?? "complete",
        options: RESULTS,
        marks: THROWN,
      },
    ];
    if (a.result === undefined || a.result === "spike" || (a.result === "thrown_away" && !s.was))
      return steps;
    return [...steps, ...afterThrow(a, s, team)];
  },
  build(a, s) {
    const team = snapClub(s);
    const caught = a.result === "complete" ? a.caughtAt : null;
    const body = thrownBody(a, s, team);
    if (s.single) return [body];
    if (a.result === "intercepted") return [body, ...interceptionBodies(a, s, s.other(team))];
    const credit = a.defended
      ? [{ type: "credit", team: s.other(team), player: a.defended, kind: "pass_defended" }]
      : [];
    if (!caught) return [body, ...credit];
    const end = a.ranTo ?? caught;
    const stop = deadAt(a, end.yard, caught.yard);
    /** @type {EventBody[]} */
    const bodies = [body];
    if (a.ranTo && (end.touchdown || stop !== caught.yard)) {
      bodies.push({
        type: "run",
        team,
        player: a.receiver,
        kind: "after_catch",
        start_yard: caught.yard,
        end_yard: stop,
        is_touchdown: end.touchdown,
      });
    }
    return [
      ...bodies,
      ...tackles(a, s.other(team), a.receiver, stop),
      ...lossCredit(a, s, s.other(team), stop),
      ...safetyBodies(a, s, team),
    ];
  },
  sentences: {
    pass(b, s) {
      const to = b.receiver
        ? ` ${b.result === "complete" ? "to" : "meant for"} ${s.roster.name(b.receiver)}`
        : "";
      if (b.result === "spike") return `${playerWords(b.passer, b.team, s)} spikes the ball.`;
      const where =
        b.reception_yard === null || b.reception_yard === undefined
          ? ""
          : `, ${b.result === "complete" ? "caught at" : "thrown to"} ${spotOf(b.team, b.reception_yard, s)}`;
      const direction = [b.length, b.location]
        .filter(Boolean)
        .map((word) => ` ${word}`)
        .join("");
      const fell = b.incompletion ? ` (${b.incompletion.replace("_", " ")})` : "";
      return `${playerWords(b.passer, b.team, s)} passes${direction}${to}, ${b.result}${fell}${where}${touchdownWords(b)}.`;
    },
  },
};

/** @returns {Step[]} */
function afterThrow(a, s, team) {
  const caught = a.result === "complete";
  /** @type {Step} */
  const receiver = {
    name: "receiver",
    label: `${caught ? "Caught by" : "Meant for"} (${team})`,
    kind: "player",
    club: team,
    default: s.was?.receiver,
  };
  if (caught) return [receiver, ...afterCatch(a, s, team)];
  if (s.single) return [receiver, aimed(s, team)];
  const rivals =
    a.result === "intercepted" ? interceptionSteps(a, s, s.other(team)) : defended(s, team);
  return [receiver, aimed(s, team), ...rivals];
}

function afterCatch(a, s, team) {
  /** @type {Step[]} */
  const steps = [
    {
      name: "caughtAt",
      label: `Caught at (${team})`,
      kind: "spot",
      team,
      from: snapYard(s),
      default: standingEnd(s, "reception_yard", team),
      score: true,
      pair: "ranTo",
    },
  ];
  if (s.single || !a.caughtAt || a.caughtAt.touchdown) return steps;
  const start = a.caughtAt.yard;
  const further = proposedEnd(standingRun(s, "after_catch"), start, "down at the catch");
  steps.push({
    name: "ranTo",
    label: `Ran to (${team})`,
    kind: "spot",
    team,
    from: start,
    ...further,
    score: true,
  });
  if (!a.ranTo || a.ranTo.touchdown) return steps;
  steps.push(...tackleSteps(a, s.other(team), s), ...lossSteps(a, s, a.ranTo.yard));
  return [
    ...steps,
    ...safetySteps(a, s, { club: team, from: snapYard(s), end: a.ranTo.yard, by: a.tacklers }),
  ];
}

const aimed = (s, team) => ({
  name: "aimedAt",
  label: `Thrown to (${team})`,
  kind: "spot",
  team,
  from: snapYard(s),
  optional: true,
  default: standingYard(s, "reception_yard", team),
});

function defended(s, team) {
  const [stood] = standingOf(s, "credit", (body) => body.kind === "pass_defended");
  return [
    {
      name: "defended",
      label: `Broken up by (${s.other(team)})`,
      kind: "player",
      club: s.other(team),
      default: stood?.player,
    },
  ];
}
