/** A run: rush, scramble, kneel, and runs after a catch, a lateral or a recovery. Pure. */
import { gainWords } from "../entry/spots.js";
import { likelyPasser } from "./shared/likely.js";
import { playerWords, spotOf, touchdownWords } from "./shared/naming.js";
import {
  deadAt,
  lossCredit,
  lossSteps,
  safetyBodies,
  safetySteps,
  snapClub,
  snapYard,
  standing,
  standingEnd,
  tackleSteps,
  tackles,
} from "./shared/parts.js";

const RUNS = [
  { key: "r", value: "rush", label: "rush" },
  { key: "s", value: "scramble", label: "scramble" },
  { key: "k", value: "kneel", label: "kneel" },
  { key: "c", value: "after_catch", label: "after the catch" },
  { key: "l", value: "after_lateral", label: "after a lateral" },
  { key: "b", value: "return", label: "brought back (return)" },
  { key: "v", value: "after_recovery", label: "after a recovery" },
];

const CARRIES = ["rush", "scramble", "kneel"];

// digits are the carrier's number already; as they lie on the keyboard
const HOLE_KEYS = "qwemuio";

/** Where it goes through the line, seen by the runner, in the order of the holes. */
const HOLES = {
  name: "hole",
  hint: "optional first: q left end, w tackle, e guard, m middle, u right guard, i tackle, o end",
  options: [
    "left end",
    "left tackle",
    "left guard",
    "middle",
    "right guard",
    "right tackle",
    "right end",
  ].map((hole, index) => ({ key: HOLE_KEYS[index], value: hole, label: hole })),
};

/** The recorded hole of a run that is corrected. */
const standingHole = ({ was }) =>
  was?.location ? `${was.location} ${was.gap ?? ""}`.trim() : undefined;

const VERBS = {
  rush: "runs",
  scramble: "scrambles",
  kneel: "kneels",
  after_catch: "runs after the catch",
  after_lateral: "takes the lateral",
  return: "returns it",
  after_recovery: "runs with it",
};

/**
 * Whether the run begins the play. Laterals, returns and runs after a catch or a recovery continue
 * it.
 */
const isFirstRun = (a) => a.kind === undefined || ["rush", "scramble", "kneel"].includes(a.kind);

export const run = {
  name: "run",
  title: "Run",
  needsBall: true,
  isRuling: true,
  opensPlay: isFirstRun,
  steps(a, s) {
    /** @type {Step[]} */
    const steps = [
      {
        name: "kind",
        label: "Kind of run",
        kind: "choice",
        default: s.was?.kind ?? "rush",
        options: RUNS,
        marks: HOLES,
        yields: true,
      },
    ];
    if (!a.kind) return steps;
    const { team, start } = carrier(a, s);
    steps.push(
      {
        name: "player",
        label: `Carried by (${team})`,
        kind: "player",
        club: team,
        default: standing(s, "player", likelyCarrier(a.kind, team, s)),
      },
      {
        name: "to",
        label: `Ran to (${team})`,
        kind: "spot",
        team,
        from: start,
        default:
          standingEnd(s, "end_yard", team) ??
          (a.kind === "kneel" ? Math.max(0, start - 1) : undefined),
        score: true,
      },
    );
    if (s.single || !a.to || a.to.touchdown) return steps;
    if (a.kind !== "kneel")
      steps.push(...tackleSteps(a, s.other(team), s), ...lossSteps(a, s, endOf(a)));
    return [
      ...steps,
      ...safetySteps(a, s, {
        club: team,
        from: team === snapClub(s) ? snapYard(s) : start,
        end: a.to.yard,
        by: a.tacklers,
      }),
    ];
  },
  build(a, s) {
    const { team, start } = carrier(a, s);
    const stop = deadAt(a, a.to.yard, start);
    const [location, gap] = (a.hole ?? standingHole(s))?.split(" ") ?? [];
    const body = {
      type: "run",
      team,
      player: a.player,
      kind: a.kind,
      start_yard: start,
      end_yard: stop,
      is_touchdown: a.to.touchdown,
      location: location || null,
      gap: gap || null,
    };
    return s.single
      ? [body]
      : [
          body,
          ...tackles(a, s.other(team), a.player, stop),
          ...lossCredit(a, s, s.other(team), endOf(a)),
          ...safetyBodies(a, s, team),
        ];
  },
  sentences: {
    run(b, s) {
      const end = b.is_touchdown ? "" : ` to ${spotOf(b.team, b.end_yard, s)}`;
      const direction = [b.location, b.gap]
        .filter(Boolean)
        .map((word) => ` ${word}`)
        .join("");
      return `${playerWords(b.player, b.team, s)} ${VERBS[b.kind]}${direction}${end} (${gainWords(b.end_yard - b.start_yard)})${touchdownWords(b)}.`;
    },
  },
};

/** Where a run of the club that snapped the ball ended; undefined for returns. */
const endOf = (a) => (CARRIES.includes(a.kind) || a.kind === "after_catch" ? a.to.yard : undefined);

function likelyCarrier(kind, team, s) {
  if (kind === "rush") return s.recent_players.runner[team];
  if (CARRIES.includes(kind)) return likelyPasser(team, s);
  return kind === "after_lateral" ? null : s.ball.player;
}

function carrier(a, s) {
  if (CARRIES.includes(a.kind)) return { team: snapClub(s), start: snapYard(s) };
  return { team: s.ball.team, start: s.was?.start_yard ?? s.ball.yard };
}
