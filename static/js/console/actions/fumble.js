/** A fumble, and what became of the ball. Pure. */
import { spotWords } from "../entry/spots.js";
import { isSet } from "../rules/suggestion.js";
import { atSpotOf, playerWords } from "./shared/naming.js";
import {
  clubStep,
  deadAt,
  recoveryBodies,
  recoverySteps,
  safetyBodies,
  safetySteps,
  standing,
  standingOf,
  standingYard,
} from "./shared/parts.js";

/** What became of the loose ball, as a proposal for a correction. */
function likelyEnd(a, s) {
  const end = s.was?.out_of_bounds ? standingOutOfBounds(s) : null;
  if (end) return end;
  if (s.single || (s.stood && !standingOf(s, "recovery").length)) return "loose";
  return a.at?.yard === 100 ? "through" : "recovered";
}

/** What stands of a fumble that went out of bounds; null for one through the far end zone. */
function standingOutOfBounds(s) {
  if (s.was.yard > 0 && standingOf(s, "safety").length) return "safety";
  return s.single || (s.was.yard !== 100 && s.was.out_yard !== 100) ? "out" : null;
}

const FORCED = { label: "forced, not seen by whom", key: "+", value: "+" };

export const fumble = {
  name: "fumble",
  title: "Fumble",
  needsBall: true,
  isRuling: true,
  steps(a, s) {
    /** @type {Step[]} */
    const steps = [clubStep("team", "Who lost the ball?", s, s.was?.team ?? s.ball.team)];
    if (!a.team) return steps;
    const yard = a.team === s.ball.team ? s.ball.yard : 100 - s.ball.yard;
    const carrier = s.roster.clubOf(s.ball.player) === a.team ? s.ball.player : null;
    // another club's player did not lose it there
    const same = s.was && s.was.team !== a.team ? { ...s, was: null } : s;
    steps.push(
      {
        name: "player",
        label: `Lost by (${a.team})`,
        kind: "player",
        club: a.team,
        default: standing(same, "player", carrier),
      },
      {
        name: "at",
        label: `Lost at (${a.team})`,
        kind: "spot",
        team: a.team,
        from: yard,
        default: standingYard(s, "yard", a.team) ?? yard,
      },
      {
        name: "forcedBy",
        label: `Forced by (${s.other(a.team)})`,
        kind: "player",
        club: s.other(a.team),
        beside: FORCED,
        default: standingForcer(same.was),
      },
      {
        name: "then",
        label: "The ball was",
        kind: "choice",
        default: likelyEnd(a, s),
        options: whereabouts(a, s),
      },
    );
    return [...steps, ...afterFumble(a, s)];
  },
  build(a, s) {
    const body = {
      type: "fumble",
      team: a.team,
      player: a.player,
      yard: a.at ? deadAt(a, a.at.yard, a.at.yard) : null,
      forced_by: a.forcedBy === FORCED.value ? null : a.forcedBy,
      forced_by_team: a.forcedBy ? s.other(a.team) : null,
      out_of_bounds: ["out", "through", "safety"].includes(a.then),
      out_yard: outYard(a),
    };
    return [body, ...outcomeOf(a, s)];
  },
  sentences: {
    fumble(b, s) {
      const forced = b.forced_by
        ? `, forced by ${s.roster.name(b.forced_by)}`
        : b.forced_by_team
          ? ", forced"
          : "";
      return `${playerWords(b.player, b.team, s)} fumbles ${atSpotOf(b.team, b.yard, s)}${forced}${outWords(b, s)}.`;
    },
  },
};

/** What became of the ball, beside the fumble itself. @returns {EventBody[]} */
function outcomeOf(a, s) {
  if (a.then === "recovered") return s.single ? [] : recoveryBodies(a, s);
  // The official credits count the ball as lost even if nobody fell on it.
  if (a.then === "through" || (a.outAt?.yard === 100 && !s.single))
    return [
      { type: "recovery", team: s.other(a.team), player: null, yard: 0, is_touchdown: false },
    ];
  if (a.then === "safety") return safetyBodies({ ...a, safety: "yes" }, s, a.team);
  return a.then === "out" ? safetyBodies(a, s, a.team) : [];
}

/** @param {EventBody} b */
function outWords(b, s) {
  if (!b.out_of_bounds) return "";
  return `, out of bounds${isSet(b.out_yard) ? ` ${atSpotOf(b.team, b.out_yard, s)}` : ""}`;
}

/** Where it went out of bounds in the field of play, if the scorer noted it. */
function outYard(a) {
  if (a.then !== "out" || !a.outAt) return null;
  return deadAt(a, a.outAt.yard, a.at.yard);
}

/** Who forced the fumble as it stands. @param {EventBody|null} [was] */
const standingForcer = (was) => was?.forced_by ?? (was?.forced_by_team ? FORCED.value : undefined);

/** @returns {Step[]} */
function afterFumble(a, s) {
  if (!a.at) return [];
  if (a.then === "recovered")
    return recoverySteps(a, s, {
      likely: a.team,
      team: a.team,
      yard: a.at.yard,
      fumbler: a.player ?? null,
    });
  if (a.then !== "out") return [];
  // Fumbled in its own end zone and out of bounds, there or ahead of it (NFL 8-7-3): a safety by
  // its own impetus.
  if (a.at.yard === 0)
    return safetySteps(a, s, { club: a.team, from: sentThere(a.team, s) ? 1 : 0, end: 0 });
  const end = a.outAt?.yard;
  return [outStep(a, s), ...safetySteps(a, s, { club: a.team, from: a.at.yard, end })];
}

/**
 * Where it went out of bounds, which may be left open. Past the spot of the fumble it comes back to the
 * spot of the fumble by most rulebooks (NFL 8-7-3), so the hint says where it comes back.
 * @returns {Step}
 */
function outStep(a, s) {
  const isBroughtBack = s.rules?.forward_fumble_out !== "out";
  return {
    name: "outAt",
    label: `Out of bounds at (${a.team})`,
    kind: "spot",
    team: a.team,
    from: a.at.yard,
    optional: true,
    default: standingYard(s, "out_yard", a.team),
    hint: isBroughtBack
      ? `Past the spot of the fumble it comes back to ${spotWords(a.team, a.at.yard, s.other(a.team))}. d0: through the far end zone`
      : undefined,
  };
}

/**
 * The possible outcomes of a fumble. A correction of the fumble alone omits those that other events
 * record.
 */
function whereabouts(a, s) {
  const rivals = s.other(a.team);
  return [
    { key: "v", value: "recovered", label: "recovered" },
    { key: "o", value: "out", label: "out of bounds" },
    { key: "e", value: "through", label: `out of ${rivals}’s end zone: a touchback for ${rivals}` },
    {
      key: "s",
      value: "safety",
      label: `out of bounds behind ${a.team}’s goal line: a safety for ${rivals}`,
    },
    { key: "l", value: "loose", label: "still loose (continue with v)" },
  ].filter((option) => !s.single || !["recovered", "through", "safety"].includes(option.value));
}

/** Whether the club itself sent a ball into its own end zone. */
const sentThere = (club, s) => !s.ball.turned || s.ball.impetus === club;
