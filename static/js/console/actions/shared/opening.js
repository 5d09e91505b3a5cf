/**
 * A movement of the ball after a dead play opens the next play with the likely snap, so that the
 * scorer presses the snap key only if it differs. A visible line says so, and `=` adds the entry to
 * the previous play instead. Pure.
 */
import { ballAfter } from "../../rules/ball.js";
import { situationOf } from "../../rules/suggestion.js";
import { sentenceOf } from "../../entry/words.js";

export const JOINS = "=";

const MOVES = [
  "pass",
  "run",
  "sack",
  "fumble",
  "recovery",
  "interception",
  "kick",
  "conversion",
  "safety",
];

/**
 * Whether the last snapped play is over, by what stands of it: the ball moved, the rules go on with
 * another snap (a flag struck what moved, a period ended), or a flag has it played again.
 */
function isOver(s) {
  if (!s.snap || s.live || s.suggestion.over) return false;
  const bodies = (s.play_events ?? []).map(({ body }) => body);
  if (bodies.some(({ type }) => MOVES.includes(type)) || bodies.some(isRepeated)) return true;
  // a flag that is added to what moved stands before it: that is still to be entered
  const isAwaited = bodies.some(isAdded) && s.snap.period === s.suggestion.period;
  return goesOn(s) && !isAwaited;
}

const isAdded = (body) => body.type === "penalty" && body.outcome === "downfield";

const FACTS = ["period", "situation", "possession", "spot", "down", "distance"];

function goesOn({ snap, suggestion }) {
  const snapped = { ...snap, situation: situationOf(snap) };
  return FACTS.some((name) => (snapped[name] ?? null) !== (suggestion[name] ?? null));
}

const isRepeated = (body) =>
  body.type === "penalty" &&
  body.status !== "declined" &&
  ["nullify", "repeat_down", "offsetting"].includes(body.outcome);

/** @param {Action} action @returns {EventBody} */
export function likelySnap({ choice }, s) {
  const next = s.suggestion;
  const chosen =
    next.choices?.find(({ act }) => act === choice) ??
    (choice === "two" ? forTwo(next, s.rules) : next);
  const { possession, spot, situation, down, distance } = chosen;
  return {
    type: "snap",
    possession,
    spot,
    period: next.period,
    clock: next.clock,
    situation,
    down,
    distance,
  };
}

/** The same try for two points. A flag that moved the try moves it as far, at most to the 1. */
function forTwo(next, rules) {
  if (next.situation !== "try" || !rules) return next;
  return { ...next, spot: Math.min(99, rules.two_point_spot + next.spot - rules.try_spot) };
}

/**
 * The action with a snap before it if the previous play is over. `opensWith` among the answers is
 * the snap of a one-line entry.
 * @param {Action} action
 */
export function openingOf(action) {
  const canOpen = (a, s) => isOver(s) && action.opensPlay(a, s);
  const opened = (a, s) => {
    if (a.joins || !(a.opensWith ? action.opensPlay(a, s) : canOpen(a, s))) return null;
    return a.opensWith ?? likelySnap(action, s);
  };
  const scene = (a, s) => {
    const snap = opened(a, s);
    if (!snap) return s;
    const ball = ballAfter(snap, [], { ...s.clubs, book: s.rules });
    return { ...s, snap, ball, live: true, passed: null, play_events: [] };
  };
  return {
    ...action,
    opened,
    canJoin: canOpen,
    steps: (a, s) => action.steps(a, scene(a, s)),
    build(a, s) {
      const snap = opened(a, s);
      const bodies = action.build(a, scene(a, s));
      return snap ? [snap, ...bodies] : bodies;
    },
    context: scene,
  };
}

/**
 * The play that the entry goes into, if that needs saying; else "".
 * @param {import("../../entry/entry.js").Entry} entry
 */
export function openingWords({ action, answers, situation: s }) {
  if (!action.canJoin?.(answers, s)) return "";
  const snap = action.opened(answers, s);
  if (!snap) return `Added to play ${s.play_number}. Press ${JOINS} to open the next play instead.`;
  const isProposed = snap.possession === s.suggestion.possession && snap.spot === s.suggestion.spot;
  const check =
    isProposed && s.suggestion.check && s.suggestion.why ? ` Check: ${s.suggestion.why}` : "";
  return `Opens the next play: ${sentenceOf([snap], s)}${check} If it differs, press Esc, then ${s.keys.snap}. ${JOINS} adds this to play ${s.play_number}.`;
}
