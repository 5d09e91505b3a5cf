/** A sack, with who is credited for it. Pure. */
import { gainWords } from "../entry/spots.js";
import { equallyLikely, likelyPasser } from "./shared/likely.js";
import { playerWords, spotOf } from "./shared/naming.js";
import {
  deadAt,
  safetyBodies,
  safetySteps,
  snapClub,
  snapYard,
  standing,
  standingOf,
  standingYard,
  tackles,
} from "./shared/parts.js";

const SACK_CREDITS = [
  { key: "b", value: "both", label: "hit on the passer and tackle for loss" },
  { key: "h", value: "hit", label: "hit on the passer" },
  { key: "l", value: "loss", label: "tackle for loss" },
  { key: "n", value: "neither", label: "neither" },
];

/**
 * A sack hits the passer. If one player made it and the passer is down behind the line, it is also
 * a tackle for loss.
 */
const sackCredits = (a, s) =>
  a.sackers.length === 1 && a.held === "tackled" && a.to.yard < snapYard(s) ? "both" : "hit";

function standingSackCredits(s) {
  const [hit, loss] = ["qb_hit", "tackle_for_loss"].map(
    (kind) => standingOf(s, "credit", (body) => body.kind === kind).length > 0,
  );
  if (hit && loss) return "both";
  if (hit) return "hit";
  return loss ? "loss" : "neither";
}

export const sack = {
  name: "sack",
  title: "Sack",
  needsBall: true,
  isRuling: true,
  opensPlay: () => true,
  steps(a, s) {
    const team = snapClub(s);
    /** @type {Step[]} */
    const steps = [
      {
        name: "player",
        label: `Passer (${team})`,
        kind: "player",
        club: team,
        default: standing(s, "player", likelyPasser(team, s)),
        among: equallyLikely("passer", team, s),
      },
      {
        name: "to",
        label: `Down at (${team})`,
        kind: "spot",
        team,
        from: snapYard(s),
        default: standingYard(s, "end_yard", team),
      },
      {
        name: "sackers",
        label: `Sacked by (${s.other(team)}), one or two`,
        kind: "players",
        club: s.other(team),
        max: 2,
        none: "nobody named",
        default: s.was?.by,
      },
    ];
    if (!s.single && a.sackers?.length) {
      steps.push({
        name: "held",
        label: "Then",
        kind: "choice",
        default: s.stood && !standingOf(s, "tackle").length ? "fumbled" : "tackled",
        options: [
          { key: "t", value: "tackled", label: "the passer was tackled" },
          { key: "f", value: "fumbled", label: "the ball came loose (continue with f)" },
        ],
      });
      if (a.held)
        steps.push({
          name: "credits",
          label: "Credited with",
          kind: "choice",
          default: s.stood ? standingSackCredits(s) : sackCredits(a, s),
          options: SACK_CREDITS,
        });
    }
    if (!a.to || !a.sackers || a.held === "fumbled") return steps;
    return [
      ...steps,
      ...safetySteps(a, s, { club: team, from: snapYard(s), end: a.to.yard, by: a.sackers }),
    ];
  },
  build(a, s) {
    const team = snapClub(s);
    const stop = deadAt(a, a.to.yard, snapYard(s));
    const body = {
      type: "sack",
      team,
      player: a.player,
      start_yard: snapYard(s),
      end_yard: stop,
      by_team: s.other(team),
      by: a.sackers,
    };
    if (s.single) return [body];
    const kinds =
      { both: ["qb_hit", "tackle_for_loss"], hit: ["qb_hit"], loss: ["tackle_for_loss"] }[
        a.credits
      ] ?? [];
    const credits = (a.sackers ?? []).flatMap((player) =>
      kinds.map((kind) => ({ type: "credit", team: s.other(team), player, kind })),
    );
    const end = safetyBodies(a, s, team);
    if (a.held !== "tackled") return [body, ...credits, ...end];
    return [
      body,
      ...tackles({ tacklers: a.sackers, shared: "assist" }, s.other(team), a.player, stop),
      ...credits,
      ...end,
    ];
  },
  sentences: {
    sack(b, s) {
      const by = b.by?.length
        ? ` by ${b.by.map((id) => playerWords(id, b.by_team, s)).join(" and ")}`
        : "";
      return `${playerWords(b.player, b.team, s)} sacked${by} at ${spotOf(b.team, b.end_yard, s)} (${gainWords(b.end_yard - b.start_yard)}).`;
    },
  },
};
