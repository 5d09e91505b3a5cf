/**
 * Warnings about an entry, in football terms. Enter records it all the same. Pure; the server
 * refuses entries that the wire schema does not allow.
 */
import { outOfTheGame, rosterWarnings } from "../actions/roster.js";
import { foulOf, isLate } from "../rules/rulebook.js";
import { situationOf } from "../rules/suggestion.js";
import { tooFar } from "./following.js";
import { impossible } from "./impossible.js";
import { clockWords, ordinal, periodWords, spotWords, yardsWords } from "./spots.js";

const LONGEST_FIELD_GOAL = 70;

/**
 * @param {object[]} bodies
 * @param {object} s  the situation
 * @returns {string[]} a sentence each
 */
export function warningsOf(bodies, s) {
  const named = { ...s, roster: s.roster.with(bodies) };
  // a flag before the snap is part of the same entry
  const opened = bodies.find((body) => body.type === "snap");
  const flagged = opened ? { ...s, snap: opened, ball: { ...s.ball, turned: false } } : s;
  const odd = (body) => CHECKS[body.type]?.(body, body.type === "penalty" ? flagged : s) ?? [];
  const sentences = bodies.flatMap((body) => [
    ...strangers(body, body.type === "roster" ? s : named),
    ...odd(body),
  ]);
  // several bodies may name one stranger
  return [...new Set([...impossible(bodies, s), ...sentences])];
}

/**
 * Which club each named footballer must play for: the fields are those that the event's type
 * declares.
 */
function sidesOf(body, s) {
  const { own: ownFields = [], opponents = [] } = body.team ? (s.types[body.type] ?? {}) : {};
  const opponentOf = (field) => body[`${field}_team`] ?? s.other(body.team);
  return [
    ...ownFields.map((field) => [body[field], body.team]),
    ...opponents.flatMap((field) =>
      [body[field] ?? []].flat().map((id) => [id, opponentOf(field)]),
    ),
  ];
}

function strangers(body, s) {
  if (body.type === "roster" && body.name) return [];
  const sides = sidesOf(body, s).filter(([id]) => id);
  const missing = sides
    .filter(([id, club]) => s.roster.clubOf(id) !== club)
    .map(([id, club]) => `${s.roster.label(id)} is not on ${club}’s roster.`);
  return body.type === "roster"
    ? missing
    : [
        ...missing,
        ...outOfTheGame(
          sides.map(([id]) => id),
          s,
        ),
      ];
}

const CHECKS = {
  roster: rosterWarnings,
  snap(b, s) {
    const warnings = [...tooFar(b), ...emptied(b, s), ...unstarted(s)];
    if (s.suggestion.over) warnings.push(`By rule the game is over: ${s.suggestion.why}`);
    if (!s.snap) return warnings;
    warnings.push(...backwards(b, s.snap));
    const next = s.suggestion;
    if (situationOf(b) !== next.situation) return [...warnings, ...notDue(b, next)];
    if (next.check) return [...warnings, ...unlikeGuess(b, next)];
    warnings.push(...unlikeNext(b, next, s));
    const distance = Math.min(10, 100 - b.spot);
    if (situationOf(b) === "scrimmage" && b.down === 1 && b.distance !== distance)
      warnings.push(`First down is ${yardsWords(distance)} from there.`);
    return warnings;
  },
  run(b, s) {
    const warnings = [];
    if (b.end_yard === 100 && !b.is_touchdown)
      warnings.push("The run ends in the end zone without a touchdown.");
    if (b.kind === "rush" && s.ball && !s.single && b.start_yard !== startOf(b.team, s)) {
      warnings.push(`The ball was at ${spotWords(b.team, startOf(b.team, s), s.other(b.team))}.`);
    }
    return warnings;
  },
  sack: (b) => (b.end_yard > b.start_yard ? ["A sack that gains yards."] : []),
  kick: (b, s) => (b.kind === "field_goal" ? lengthOdd(b, s) : backwardsKick(b)),
  period: (b, s) => (b.phase === "end" ? early(s) : []),
  penalty(b, s) {
    const odd = [
      ...unknownFoul(b, s),
      ...foulOfOtherSide(b, s),
      ...runoff(b, s),
      ...unmatched(b, s),
    ];
    const usual = [0, 5, 10, 15];
    // to the goal line of the club that fouled
    const half = Math.floor((b.enforcement_yard ?? -1) / 2);
    if (
      b.status !== "accepted" ||
      usual.includes(b.yards) ||
      b.yards === half ||
      /interference|ground/i.test(b.foul ?? "")
    )
      return odd;
    return [...odd, `${yardsWords(b.yards)}. Half the distance, or a typo?`];
  },
  overturn: ruled,
  stat_correction: ruled,
  timeout: (b, s) =>
    b.team && s.timeouts?.left[b.team] === 0
      ? [`${b.team} has no timeouts left, so this one is in excess.`]
      : [],
  scoreboard: (b, s) =>
    b.home_score < s.score[s.clubs.home] || b.away_score < s.score[s.clubs.away]
      ? ["The board shows less than the plays add up to. The game is unconfirmed until they agree."]
      : [],
  game_ended: (b, s) =>
    s.suggestion.over
      ? []
      : [
          `The game doesn’t seem to be over: ${periodWords(s.suggestion.period)}, ${clockWords(s.suggestion.clock)} on the clock.`,
        ],
  final(b, s) {
    const warnings = [];
    if (b.home_score !== s.score[s.clubs.home] || b.away_score !== s.score[s.clubs.away])
      warnings.push("The plays don’t add up to this. The game is unconfirmed until they do.");
    if (s.under_review?.length)
      warnings.push(
        `Still under review: play ${s.under_review.join(", ")}. The final score ends the review and its points count as entered.`,
      );
    return warnings;
  },
};

/** The first snap of a game that nobody has started. */
const unstarted = ({ status, snap, keys }) =>
  status === "scheduled" && !snap
    ? [`The game hasn’t started. This snap starts it. Enter the coin toss with ${keys.game}.`]
    : [];

/** A snap whose time is before that of the last one. */
function backwards(b, before) {
  if (b.period < before.period)
    return [`${periodWords(b.period)} comes after ${periodWords(before.period)}.`];
  return b.period === before.period && b.clock > before.clock
    ? [`The clock runs backward: ${clockWords(b.clock)} after ${clockWords(before.clock)}.`]
    : [];
}

const DUE = { kickoff: "A kickoff", free_kick: "A free kick", try: "A try" };

/** A snap of another kind than the one that follows, or than one that a club may choose. */
function notDue(b, next) {
  if (next.choices?.some((choice) => choice.situation === situationOf(b))) return [];
  const due = DUE[next.situation];
  return due
    ? [`${due} by ${next.possession} is due.`]
    : [`By the last play ${next.possession} has the ball, ${downWords(next)}.`];
}

/** What differs from a proposal whose spot is a guess; the toss may give the ball to either club. */
function unlikeGuess(b, next) {
  if (b.possession !== next.possession)
    return next.by_toss ? [] : [`By the last play ${next.possession} likely has the ball.`];
  return b.down && next.down && b.down !== next.down
    ? [`By the last play it is likely ${ordinal(next.down)} down.`]
    : unlikeDistance(b, next, "likely ");
}

const downWords = ({ down, distance }) => `${ordinal(down)} & ${distance}`;

/** The differences between a snap and the one that follows from the last play. */
function unlikeNext(b, next, s) {
  if (b.possession !== next.possession)
    return [`By the last play ${next.possession} has the ball.`];
  const warnings = [];
  if (b.spot !== next.spot)
    warnings.push(
      `The last play ended at ${spotWords(next.possession, next.spot, s.other(next.possession))}.`,
    );
  if (b.down && next.down && b.down !== next.down)
    warnings.push(`By the last play it is ${ordinal(next.down)} down.`);
  else if (b.down > 1) warnings.push(...unlikeDistance(b, next));
  return warnings;
}

/** Another distance from the same spot, which only a slip can be. */
const unlikeDistance = (b, next, likely = "") =>
  b.down && b.spot === next.spot && b.distance !== next.distance
    ? [`By the last play it is ${likely}${downWords(next)}.`]
    : [];

/** A foul that the rulebook does not know, which is enforced as any other of five yards. */
const unknownFoul = ({ foul }, { rules }) =>
  foul && rules?.fouls && !rules.fouls[foul.toLowerCase()]
    ? [`The rulebook has no foul ‘${foul}’.`]
    : [];

/**
 * A foul that only the other side can commit by the rulebook. After a change of possession either
 * side can.
 */
export function foulOfOtherSide(b, s) {
  const rows = s.rules?.fouls?.[(b.foul ?? "").toLowerCase()] ?? [];
  if (!rows.length || !s.snap) return [];
  const side = b.team === s.snap.possession ? "offence" : "defence";
  const isOpen = isEitherSide(s);
  const isPossible = (row) => [side, "either"].includes(row.side) || (isOpen && !row.before_snap);
  if (rows.some(isPossible)) return [];
  return [
    `${b.foul} is a foul by the ${rows[0].side === "defence" ? "defense" : "offense"}, and ${b.team} ${side === "offence" ? "had" : "did not have"} the ball.`,
  ];
}

/** An offsetting foul of a play in which the other club has none yet. */
function unmatched(b, { single, play_events: events = [], other }) {
  const isMatched = events.some(
    ({ body }) => body.type === "penalty" && body.team !== b.team && body.status === "offsetting",
  );
  return b.status !== "offsetting" || single || isMatched
    ? []
    : [`Fouls only offset with one by the other club. Enter the flag on ${other(b.team)} next.`];
}

/**
 * Ten seconds that a foul of the offence costs late in a half, if the clock was running (NFL 4-7-1,
 * NCAA 3-4-4): the record has no event for them, so the next snap's clock says it.
 */
function runoff(b, s) {
  if (b.status !== "accepted" || b.team !== s.snap?.possession || !mayRunOff(s)) return [];
  const rule = foulOf(s.rules, b.foul ?? "", true);
  return rule?.before_snap || rule?.loss_of_down
    ? ["If the clock was running, ten seconds run off. Use the board’s clock for the next snap."]
    : [];
}

/** Whether the snap is so late in a half that the clock may run off. */
const mayRunOff = ({ snap, rules }) =>
  Boolean(rules?.fouls) &&
  isLate(rules, snap.period) &&
  snap.clock > 0 &&
  snap.clock <= rules.runoff_clock;

const LAST_PLAY_S = 60; // the longest that a quarter goes on after its last snap

/** A period that ends long before its clock has run out. */
const early = ({ snap, single }) =>
  snap && !single && snap.clock > LAST_PLAY_S
    ? [`The last snap was at ${clockWords(snap.clock)}. Is the quarter over?`]
    : [];

/** Whether either club can have been on either side of the ball: after a kick or a turnover. */
const isEitherSide = (s) => s.ball?.turned || (s.snap.situation ?? "scrimmage") !== "scrimmage";

/** Warnings about a new ruling. A snap is not compared with the next one. */
function ruled(b, s) {
  if (b.ruling.type === "snap") return tooFar(b.ruling);
  return [
    ...impossible([b.ruling], s),
    ...leftBare(b, s),
    ...(CHECKS[b.ruling.type]?.(b.ruling, { ...s, single: true }) ?? []),
  ];
}

/** A flag that is now declined but had struck out its play, which that does not restore. */
function leftBare({ event, ruling }, s) {
  const was = s.play_events?.find((played) => played.number === event)?.body;
  if (ruling.type !== "penalty" || ruling.status !== "declined" || was?.outcome === "decline")
    return [];
  const isLeft = s.play_events.some((played) => s.types[played.type]?.part === "action");
  return isLeft || !was
    ? []
    : [
        `The play stays struck out. To make it count again, undo the flag (${s.keys?.undo ?? "undo"}) and enter it as declined.`,
      ];
}

/** A kick that was not blocked and yet ends behind its line. */
const backwardsKick = (b) =>
  b.distance < 0 && b.result !== "blocked"
    ? [
        `The kick ends ${yardsWords(-b.distance)} behind its line. For its end, own (o) is the side of the receiving club.`,
      ]
    : [];

// how much longer a field goal is than the distance from its snap to the goal line
const HOLDER_AND_END_ZONE = [15, 20];

/** A length that is impossible, or does not fit the spot of the snap. */
function lengthOdd(b, s) {
  if (b.distance === undefined || b.distance === null) return [];
  const warnings =
    b.distance > LONGEST_FIELD_GOAL
      ? [`A field goal of ${b.distance} yards would be a record.`]
      : [];
  const toGoal = 100 - (b.start_yard ?? s.snap?.spot ?? NaN);
  const [least, most] = HOLDER_AND_END_ZONE;
  if (b.distance < toGoal + least || b.distance > toGoal + most)
    warnings.push(
      `From there a field goal is about ${toGoal + 18} yards, measured from the kick to the posts.`,
    );
  return warnings;
}

/** A snap although only the snap of the previous play is recorded. */
function emptied(b, s) {
  const isEmpty = s.live && s.snap && b.play_place === undefined && !s.single;
  return isEmpty ? [`Play ${s.play_number} has nothing but a snap and would stay empty.`] : [];
}

const startOf = (team, s) => (s.ball.team === team ? s.ball.yard : 100 - s.ball.yard);
