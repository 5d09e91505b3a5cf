/**
 * The sentence of a body, shown before it is sent; it must work without a network.
 * The log's own sentences come from the server (app/record/words.py).
 */
import { clockWords, gainWords, ordinal, periodWords, spotWords } from "./spots.js";

/**
 * One line for a whole entry.
 * @param {object[]} bodies
 * @param {{roster: import("../roster.js").Roster, other: (club: string) => string}} s
 */
export function sentenceOf(bodies, s) {
  // an entry may name whom it has just brought in
  const named = { ...s, roster: s.roster.with(bodies) };
  return bodies.map((body) => WORDS[body.type](body, named)).join(" ");
}

const who = (id, club, s) => s.roster.name(id) ?? `${club}, an unnamed player,`;
/** The same before a colon or the end of a sentence. */
const whoLast = (id, club, s) => who(id, club, s).replace(/,$/, "");
const at = (club, yard, s) => spotWords(club, yard, s.other(club));
const td = (body) => (body.is_touchdown ? ", TOUCHDOWN" : "");

const RUNS = {
  rush: "runs",
  scramble: "scrambles",
  kneel: "kneels",
  after_catch: "runs after the catch",
  after_lateral: "takes the lateral",
  return: "returns it",
  after_recovery: "runs with it",
};
const KICKS = {
  kickoff: "kicks off",
  onside: "kicks onside",
  free_kick: "takes the free kick",
  punt: "punts",
  field_goal: "tries a field goal",
  extra_point: "tries the extra point",
};
const LANDED = {
  short: "short of the landing zone",
  landing_zone: "touchback from the landing zone",
};
const RESULTS = {
  good: "good",
  missed: "no good",
  blocked: "BLOCKED",
  aborted: "not kicked",
  returned: "returned",
  touchback: "touchback",
  fair_catch: "fair catch",
  out_of_bounds: "out of bounds",
  downed: "downed",
  recovered: "loose ball",
};
const TOSSED = {
  receive: "receives",
  kick: "kicks",
  defend: "chooses a goal",
  defer: "defers to the second half",
};
const STATUS = {
  dressed: "is dressed",
  starter: "starts",
  in: "comes in",
  out: "goes out",
  injured: "is injured",
  inactive: "is inactive",
  ejected: "is ejected",
};
const OUTCOMES = {
  nullify: "play nullified",
  downfield: "downfield",
  decline: "declined",
  change_down: "change of down",
  repeat_down: "repeat the down",
  first_down: "first down",
  offsetting: "offsetting",
};

const WORDS = {
  game_started: (b) => `The game begins: ${b.away} at ${b.home}.`,
  period: (b) => `${periodWords(b.period)} ${b.phase === "start" ? "begins" : "ends"}.`,
  snap(b, s) {
    const place = `${at(b.possession, b.spot, s)}, ${clockWords(b.clock)} ${periodWords(b.period)}`;
    if (b.situation === "scrimmage" || !b.situation) {
      const goal = b.spot + b.distance >= 100;
      return `${b.possession} ball, ${ordinal(b.down)} & ${goal ? "goal" : b.distance} at ${place}.`;
    }
    return `${{ kickoff: "Kickoff", free_kick: "Free kick", try: "Try" }[b.situation]} by ${b.possession} from ${place}.`;
  },
  pass(b, s) {
    const to = b.receiver
      ? ` ${b.result === "complete" ? "to" : "meant for"} ${s.roster.name(b.receiver)}`
      : "";
    if (b.result === "spike") return `${who(b.passer, b.team, s)} spikes the ball.`;
    const where =
      b.reception_yard === null || b.reception_yard === undefined
        ? ""
        : `, ${b.result === "complete" ? "caught at" : "thrown to"} ${at(b.team, b.reception_yard, s)}`;
    const way = [b.length, b.location]
      .filter(Boolean)
      .map((word) => ` ${word}`)
      .join("");
    const fell = b.incompletion ? ` (${b.incompletion.replace("_", " ")})` : "";
    return `${who(b.passer, b.team, s)} passes${way}${to}, ${b.result}${fell}${where}${td(b)}.`;
  },
  run(b, s) {
    const end = b.is_touchdown ? "" : ` to ${at(b.team, b.end_yard, s)}`;
    const way = [b.location, b.gap]
      .filter(Boolean)
      .map((word) => ` ${word}`)
      .join("");
    return `${who(b.player, b.team, s)} ${RUNS[b.kind]}${way}${end} (${gainWords(b.end_yard - b.start_yard)})${td(b)}.`;
  },
  sack(b, s) {
    const by = b.by?.length ? ` by ${b.by.map((id) => who(id, b.by_team, s)).join(" and ")}` : "";
    return `${who(b.player, b.team, s)} sacked${by} at ${at(b.team, b.end_yard, s)} (${gainWords(b.end_yard - b.start_yard)}).`;
  },
  fumble(b, s) {
    const forced = b.forced_by
      ? `, forced by ${s.roster.name(b.forced_by)}`
      : b.forced_by_team
        ? ", forced"
        : "";
    return `${who(b.player, b.team, s)} fumbles at ${at(b.team, b.yard, s)}${forced}${b.out_of_bounds ? ", out of bounds" : ""}.`;
  },
  recovery: (b, s) =>
    `Recovered by ${who(b.player, b.team, s)} (${b.team}) at ${at(b.team, b.yard, s)}${td(b)}.`,
  interception: (b, s) =>
    `INTERCEPTED by ${who(b.player, b.team, s)} (${b.team}) at ${at(b.team, b.yard, s)}${td(b)}.`,
  kick(b, s) {
    const far = b.distance === null || b.distance === undefined ? "" : ` ${b.distance} yards`;
    const blocked = b.blocked_by ? ` by ${s.roster.name(b.blocked_by)}` : "";
    return `${who(b.kicker, b.team, s)} ${KICKS[b.kind]}${far}: ${LANDED[b.landed] ?? RESULTS[b.result]}${blocked}.`;
  },
  conversion(b, s) {
    const pair =
      b.kind === "pass"
        ? `${who(b.passer, b.team, s)} to ${whoLast(b.player, b.team, s)}`
        : whoLast(b.player, b.team, s);
    return `Two-point try (${b.side === "defence" ? "defence, " : ""}${b.kind}), ${pair}: ${b.good ? "GOOD" : "no good"}.`;
  },
  safety: (b, s) =>
    `SAFETY, ${b.points ?? 2} for ${b.team}${b.player ? ` by ${s.roster.name(b.player)}` : ""}.`,
  tackle: (b, s) =>
    `${{ solo: "Tackle", primary: "Tackle (had help)", assist: "Assist" }[b.kind]}: ${whoLast(b.tackler, b.team, s)}.`,
  credit: (b, s) =>
    `${{ pass_defended: "Pass defended", qb_hit: "Hit on the passer", tackle_for_loss: "Tackle for loss" }[b.kind]}: ${whoLast(b.player, b.team, s)}.`,
  penalty(b, s) {
    const by = b.player ? `, ${s.roster.name(b.player)}` : "";
    const { status = "accepted", yards = 0 } = b; // the server leaves out what is usual
    const how =
      status === "accepted" ? `${yards} yards, ${OUTCOMES[b.outcome] ?? "accepted"}` : status;
    return `PENALTY on ${b.team}${by}: ${b.foul || "foul"}, ${how}.`;
  },
  challenge(b) {
    const ruling = {
      pending: "under review",
      upheld: "upheld",
      stands: "stands",
      overturned: "OVERTURNED",
    }[b.ruling];
    return `Review by ${b.by ?? "the booth"}: ${ruling}${b.reason ? ` (${b.reason})` : ""}.`;
  },
  timeout: (b) => `Timeout, ${b.team ?? "officials"}${b.reason ? `: ${b.reason}` : ""}.`,
  scoreboard: (b, s) =>
    `The stadium’s board at ${clockWords(b.clock)} ${periodWords(b.period)}: ${s.clubs.away} ${b.away_score}, ${s.clubs.home} ${b.home_score}.`,
  game_status: (b) =>
    `The game ${b.status === "scheduled" ? "is played after all" : `is ${b.status}`}${b.reason ? ` (${b.reason})` : ""}.`,
  roster(b, s) {
    const status = STATUS[b.status] ?? "";
    if (!b.name)
      return `${who(b.player, b.team, s)} of ${b.team} ${[b.number === undefined ? "" : `wears ${b.number}`, status].filter(Boolean).join(" and ") || "is on the roster"}.`;
    const number = b.number === undefined || b.number === null ? "" : `number ${b.number}, `;
    return `${b.team}: ${number}${b.name}${b.position ? ` (${b.position})` : ""} joins the roster${status ? ` and ${status}` : ""}.`;
  },
  coin_toss: (b) =>
    `${b.winner} wins the toss and ${TOSSED[b.choice]}: ${b.receiver} receives${b.goal ? ` (${b.goal})` : ""}.`,
  delay: (b) =>
    `Play ${b.phase === "start" ? "is delayed" : "resumes"}${b.reason ? ` (${b.reason})` : ""}.`,
  game_ended: () => "The game has ended.",
  final: (b, s) =>
    `FINAL, official: ${s.clubs.away} ${b.away_score}, ${s.clubs.home} ${b.home_score}.`,
  nullify: (b) =>
    `NULLIFIED: ${b.events.map((n) => `#${n}`).join(" ")}${b.reason ? ` (${b.reason})` : ""}.`,
  overturn: (b, s) =>
    `${b.by_scorer ? "Corrected" : "OVERTURNED"} #${b.event}: ${WORDS[b.ruling.type](b.ruling, s)}`,
  stat_correction: (b, s) => `Stat correction of #${b.event}: ${WORDS[b.ruling.type](b.ruling, s)}`,
};
