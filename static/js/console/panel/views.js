/** The texts of the command panel in each mode. Pure: state in, words out; screen.js draws them. */
import { openingWords } from "../actions/shared/opening.js";
import { consequencesOf } from "../entry/consequences.js";
import { absurdities, followingWords } from "../entry/following.js";
import { CUT } from "../queue/send.js";
import { clockWords, ordinal, periodWords, spotWords } from "../entry/spots.js";
import { whyImpossible } from "../entry/recording.js";
import { warningsOf } from "../entry/warnings.js";
import { sentenceOf } from "../entry/words.js";
import { SWITCH } from "../line/control.js";

const ready = (keys) =>
  `Press a key: ${keys.snap} snap, ${keys.pass} pass, ${keys.run} run, ${keys.kick} kick … ? shows all keys`;

const LINE_READY = `Type a play in one line (31r20+3/54) or press the key of another entry; ${SWITCH} switches to questions`;

/** @typedef {{mode: string, tone: string, question: string, hint: string, trail: {label: string, value: string}[],
 *             label: string, sentence: string, sure: boolean, consequences:
 *             import("../entry/consequences.js").Consequence[],
 *             warnings: string[], opens: string, next?: string}} View  `opens`: which play the entry
 *             goes into, where that needs saying; `next`: the snap that follows it */

/** What a game needs that is not being played. @type {Record<string, (key: string) => string>} */
const NOT_PLAYED = {
  scheduled: (key) =>
    `The game hasn’t started. Press ${key} for the coin toss and the start, or enter the first snap.`,
  postponed: (key) => `The game is postponed. Press ${key} to start it, or enter the first snap.`,
  suspended: (key) => `The game is suspended. Press ${key} to resume it, or enter the next snap.`,
  cancelled: (key) => `The game is cancelled. Press ${key}, then a, if it is played after all.`,
  forfeited: (key) => `The game is forfeited. Press ${key}, then a, if it is played after all.`,
};

const NOTHING_ELSE = { consequences: [], warnings: [], opens: "" };

/**
 * Nothing is being entered: what comes next, and what was set aside.
 * @param {object} s  the situation
 * @param {import("../entry/entry.js").Entry|undefined} aside
 * @returns {View}
 */
export function idleView(s, aside) {
  const next = s.suggestion;
  const why = next.why ? ` (${next.check ? "check: " : ""}${next.why})` : "";
  return {
    mode: "Ready",
    tone: "ready",
    question: ready(s.keys),
    hint: aside
      ? `Set aside: ${aside.action.title.toLowerCase()}. Press a to resume it, z to drop it.`
      : (NOT_PLAYED[s.status]?.(s.keys.game) ?? ""),
    trail: [],
    label: s.delayed
      ? `Play is delayed. When it resumes: ${s.keys.game}, then Enter`
      : s.live
        ? "The ball is live"
        : `Likely next${s.waits ? ", based on unrecorded entries" : ""}: ${next.over ? s.keys.game : s.keys.snap}, then Enter`,
    sentence: s.live
      ? sentenceOf([s.snap], s)
      : next.over
        ? next.why
        : `${sentenceOf([{ type: "snap", ...next }], s)}${why}`,
    sure: false,
    ...NOTHING_ELSE,
  };
}

/** The texts of the strip at the top, by the names of its cells (templates/console/_strip.html). */
function cellsOf(s) {
  const next = s.suggestion;
  return {
    away: `${s.score[s.clubs.away]}`,
    home: `${s.score[s.clubs.home]}`,
    clock: `${periodWords(next.period)} ${clockWords(next.clock)}`,
    down: downWords(next),
    ball: next.possession,
    spot: spotWords(next.possession, next.spot, s.other(next.possession)),
    play: `${s.play_number}`,
    event: `#${s.next_event}`,
    status: s.delayed ? "delayed" : s.status,
  };
}

const CELLS = {
  away: "score",
  home: "score",
  clock: "clock",
  down: "down",
  ball: "possession",
  spot: "spot",
  status: "status of the game",
};

function downWords({ situation, down, distance, spot }) {
  if (situation !== "scrimmage" || !down)
    return { kickoff: "Kickoff", free_kick: "Free kick", try: "Try" }[situation] ?? "Snap";
  return `${ordinal(down)} & ${spot + distance >= 100 ? "goal" : distance}`;
}

/**
 * The strip: what stands with the unsent entries, and what of it is not recorded yet.
 * @param {Situation} recorded  as the server has it
 * @param {Situation} s  with the unsent entries on top
 * @returns {{cells: Record<string, string>, changed: string[], ball: "home"|"away", mode: string,
 *   note: string}}
 */
export function stripOf(recorded, s) {
  const [was, cells] = [cellsOf(recorded), cellsOf(s)];
  const changed = Object.keys(cells).filter((name) => cells[name] !== was[name]);
  const parts = [...new Set(changed.map((name) => CELLS[name]).filter(Boolean))];
  const record = `${was.down} at ${was.spot}, ${was.clock}, ${s.clubs.away} ${was.away}, ${s.clubs.home} ${was.home}`;
  return {
    cells,
    changed,
    ball: s.suggestion.possession === s.clubs.home ? "home" : "away",
    mode: s.live ? "Ball live" : s.suggestion.over ? "Game over" : "Next",
    note: s.waits
      ? `Not recorded yet: ${parts.join(", ") || "what you entered last"}. The record stands at ${record}.`
      : "",
  };
}

/**
 * Who scores the game, in one line. `canTake`: the button that takes it is shown.
 * @param {import("../queue/lease.js").Lease} lease
 * @param {number} unsent
 */
export function leaseView(lease, unsent) {
  const unsentWords = unsent
    ? ` ${unsent} of your entries ${unsent === 1 ? "is" : "are"} saved here, not recorded.`
    : "";
  const words = {
    mine: "You are scoring.",
    free: `Nobody is scoring. Your first entry takes the game.${unsentWords}`,
    theirs: `${lease.holder} has been scoring since ${lease.since}. You are watching.${unsentWords}`,
    lost: `${lease.holder} took the game over at ${lease.since}.${unsentWords}`,
  }[lease.state];
  return {
    state: lease.state,
    words,
    take: { theirs: "Take over", lost: "Take back the game" }[lease.state] ?? "",
  };
}

/** Why a key does nothing now; empty if it works. */
export function keyFault(key, action, s) {
  if (!action) return `The key ‘${key}’ does nothing. Press ? for all keys.`;
  if (action.needsBall && !s.ball)
    return `Nothing was snapped yet. Press ${s.keys.snap} for the first snap, ${s.keys.game} for the start of the game.`;
  return ["undo", "replace"].includes(action.name) && !s.recent.length
    ? "There is nothing to undo."
    : "";
}

/**
 * The first of the entries that wait because another scorer had the game, with its keys.
 * @param {import("../queue/queue.js").Item} item @param {boolean} open  the game is ours to score
 * @param {boolean} isRead  what the record has got since is known
 * @returns {View}
 */
export function heldView(item, open, isRead) {
  const snap = item.entries.some((event) => event.body.type === "snap");
  const place =
    snap || !item.made?.play
      ? "If sent, it comes after everything recorded."
      : `If sent, it is added to play ${item.made.play}.`;
  return {
    mode: "Hand-over",
    tone: "fault",
    question: !open
      ? "z drops it; Shift+T takes the game back to send it"
      : isRead
        ? "Shift+S sends it, z drops it, a changes it"
        : "Loading newer entries; z drops it",
    hint: `None of it was recorded. ${place}`,
    trail: [],
    label: "Yours, to compare with the record",
    sentence: item.words,
    sure: false,
    ...NOTHING_ELSE,
  };
}

/**
 * Nothing is in hand: an entry to compare, the keys, or that somebody else has the game.
 * @param {object} s  the situation
 * @param {{held: import("../queue/queue.js").Item|null, lease: import("../queue/lease.js").Lease,
 *   isRead: boolean, aside: import("../entry/entry.js").Entry|undefined, isOneLine: boolean}} on
 * @returns {View}
 */
export function restingView(s, { held: heldItem, lease, isRead, aside, isOneLine }) {
  if (heldItem) return heldView(heldItem, lease.open, isRead);
  if (!lease.open) return watchView(lease);
  const view = idleView(s, aside);
  return isOneLine ? { ...view, question: LINE_READY } : view;
}

/** Nothing can be entered while somebody else scores. @returns {View} */
export function watchView(lease) {
  return {
    mode: "Watching",
    tone: lease.state === "lost" ? "fault" : "ready",
    question: "Shift+T takes the game over",
    hint: "The current scorer sees it right away.",
    trail: [],
    label: "",
    sentence: "",
    sure: false,
    ...NOTHING_ELSE,
  };
}

/**
 * An entry in hand: the open question, or the whole sentence to check.
 * @param {import("../entry/entry.js").Entry} entry
 * @param {import("../entry/following.js").Following|null} following  what follows a correction that is
 *   ready to be recorded
 * @returns {View}
 */
export function viewOf(entry, text, s, correcting, following = null) {
  if (!entry.step && whyImpossible(entry, s)) return impossibleView(entry, s);
  return possibleView(entry, text, s, correcting, following);
}

function possibleView(entry, text, s, correcting, following) {
  const step = entry.step;
  const bodies = step ? entry.preview(text) : entry.bodies;
  const isClosed = entry.isClosedBy(text);
  const sure = !step || isClosed || Boolean(entry.action.direct && bodies);
  const tone = sure ? "sure" : "asking";
  return {
    mode: `${entry.action.title} · ${placeOf(entry, step)}`,
    tone: correcting ? "fault" : tone,
    ...askedOf(step, isClosed),
    trail: entry.trail,
    label: labelOf(bodies, sure),
    sentence: bodies
      ? sentenceOf(bodies, s)
      : entry.trail.map((answer) => answer.value).join(" · "),
    sure,
    consequences: bodies ? consequencesWith(bodies, entry, s, following) : [],
    warnings: bodies && sure ? warningsWith(bodies, entry, s, following) : [],
    opens: openingWords(entry),
  };
}

/** A complete entry that can never be recorded, with the reason first among its warnings. */
function impossibleView(entry, s) {
  const { bodies } = entry;
  return {
    mode: entry.action.title,
    tone: "fault",
    question: "This can’t be recorded. Esc goes back to change it",
    hint: "",
    trail: entry.trail,
    label: "So far",
    sentence: sentenceOf(bodies, s),
    sure: false,
    consequences: [],
    warnings: warningsWith(bodies, entry, s),
    opens: openingWords(entry),
  };
}

function askedOf(step, isClosed) {
  if (isClosed)
    return { question: step.label, hint: "Enter another number, or press Enter to record it" };
  if (step) return { question: step.label, hint: step.hint ?? hintOf(step) };
  return {
    question: "Correct? Enter records it, Esc goes back",
    hint: "The key of the next entry also records it",
  };
}

function labelOf(bodies, sure) {
  if (sure) return "Enter records";
  return bodies ? "Will be recorded" : "So far";
}

function consequencesWith(bodies, { answers }, s, following) {
  const moved = consequencesOf(bodies, s, answers.found ?? answers.event ?? answers.entry);
  return following ? [followingWords(following, s), ...moved] : moved;
}

export function warningsWith(bodies, entry, s, following = null) {
  // the scorer checks its snap before it counts
  const opened = entry.action.opened?.(entry.answers, entry.situation) ? 1 : 0;
  const warnings = [
    ...warningsOf(bodies.slice(0, opened), entry.situation),
    ...warningsOf(bodies.slice(opened), entry.scene),
  ];
  return following ? [...warnings, ...absurdities(following, entry, s)] : warnings;
}

function placeOf(entry, step) {
  if (!step) return "check and record";
  if (entry.action.direct) return "check and record";
  return `question ${entry.steps.findIndex((candidate) => candidate.name === step.name) + 1}`;
}

const hintOf = (step) => HINTS[step.kind]?.(step) ?? "";

/** How a question is answered, by its kind. @type {Record<string, (step: Step) => string>} */
const HINTS = {
  players: (step) =>
    `Number or name, Enter after each; Enter on an empty line continues; - for no name${step.default?.length ? ", -- for nobody" : ""}`,
  player: (step) =>
    `Jersey number or name, ↑ ↓ to choose, - for no name${step.beside ? `, ${step.beside.key} for ${step.beside.label}` : ""}`,
  choice: (step) =>
    `${step.default === undefined ? "One key" : "One key, or Enter for the marked one"}${step.marks ? ` · ${step.marks.hint}` : ""}`,
  spot(step) {
    const gain = step.from === null || step.from === undefined ? "" : " · +7 −3 gain";
    return `35 or o35 own · d20 theirs${gain}${step.score ? " · t touchdown" : ""}`;
  },
};

/**
 * The line's badge: the browser's own state first, then the server's.
 * @param {import("../queue/queue.js").Queue} queue
 * @param {string} asOf  the clock time of the situation shown
 */
export function lineOf(queue, online, line, asOf) {
  const count = queue.items.length + queue.leaving;
  const unsent = `${count} unsent`;
  const unsentWords = `${unsent}, ${movingWords(queue) || "saved here"}`;
  const cut = !online || queue.items[0]?.fault === CUT;
  if (!queue.keeps) return unkeptLine(count ? unsent : "", cut ? asOf : "");
  if (cut)
    return {
      state: "offline",
      words: `Offline: ${count ? unsentWords : "entries are saved here"}. Situation as of ${asOf}`,
    };
  return count ? sendingLine(queue, unsent, unsentWords) : line;
}

/** The line while entries are sent, or one of them holds up the others. */
function sendingLine(queue, unsent, unsentWords) {
  if (queue.refused)
    return { state: "dead", words: `${queue.held ? "To compare" : "Refused"}: ${unsentWords}` };
  if (queue.items[0]?.state === "retrying")
    return { state: "offline", words: `${unsentWords}, retrying` };
  return { state: "waiting", words: queue.leaving ? unsentWords : `${unsent}, sending` };
}

/** Which entries are on their way to the disk or from it. */
function movingWords(queue) {
  const keeping = queue.items.filter((item) => item.state === "keeping").length;
  return [
    keeping ? `${keeping} of them not saved yet` : "",
    queue.leaving ? `${queue.leaving} of them being removed` : "",
  ]
    .filter(Boolean)
    .join(", ");
}

/** The line of a browser without a database. @param {string} unsent @param {string} offlineAsOf */
function unkeptLine(unsent, offlineAsOf) {
  const also = [unsent, offlineAsOf && `offline, situation as of ${offlineAsOf}`]
    .filter(Boolean)
    .join(", ");
  return {
    state: "dead",
    words: `This browser can’t store entries. Don’t close this tab${also ? ` (${also})` : ""}`,
  };
}

/**
 * What else concerns this browser: another tab, entries of other games and of other scorers.
 * @param {import("../queue/queue.js").Queue} queue
 * @param {{game: string, scorer: string, name: string, count: number}[]} elsewhere
 */
export function noticesOf(queue, elsewhere, scorer) {
  const entries = (count, single, more) =>
    count === 1 ? `1 entry ${single}` : `${count} entries ${more}`;
  return [
    ...(queue.leads === false && queue.keeps
      ? ["Another tab of this browser sends for this game. Your entries go through it, in order."]
      : []),
    ...elsewhere.map((place) =>
      place.scorer === scorer
        ? `${entries(place.count, "of yours waits", "of yours wait")} in game ${place.game}. Open that game to send.`
        : `${entries(place.count, `of ${place.name} waits`, `of ${place.name} wait`)} here until ${place.name} signs in (game ${place.game}).`,
    ),
  ];
}
