/**
 * The letters of a one-line entry: which action each begins, and which of its questions the signs
 * after it answer. The letters are the same for every scorer, whatever keys they have chosen. Pure.
 *
 * `form` stands in the manual and below the line; [ ] is what may be left out, because the guided
 * entry would propose it.
 */
import { foulNamed } from "./fouls.js";

/** @typedef {import("./reader.js").Reader} Reader */
/** @typedef {{action: string, form: string, read: (line: Reader, s: Situation) => void}} Code */

const SPOTS = "a spot (o35, d20, e5, g)";

/** @param {Reader} line */
function readRun(line) {
  line.mark("kind", 7);
  line.choice("kind", "skclbv", "s scramble, k kneel, c after the catch, l lateral, b return");
  line.player("player");
  line.spot("to");
  line.tacklers();
}

const PASSES = {
  c: readCatch,
  i: readMiss,
  d: readMiss,
  t: () => undefined,
  s: () => undefined,
  x: readInterception,
};

/** @param {Reader} line */
function readPass(line) {
  line.player("passer");
  line.mark("result", 6);
  const words = "c complete, i incomplete, d dropped, t thrown away, x intercepted or s spike";
  const result = line.choice("result", "cidtxs", words);
  if (!result) throw line.open(words);
  PASSES[result](line);
}

/** @param {Reader} line */
function readCatch(line) {
  line.player("receiver");
  if (line.spot("caughtAt")) line.spot("ranTo");
  line.tacklers();
}

/** @param {Reader} line */
function readMiss(line) {
  line.player("receiver");
  line.spot("aimedAt");
  if (line.take(/\//y, "/ and who broke it up") && !line.player("defended"))
    throw line.open("who broke it up");
}

/** @param {Reader} line */
function readInterception(line) {
  line.player("receiver");
  line.spot("aimedAt");
  if (!line.take(/\//y, "/ and who intercepted it")) return;
  line.player("thief");
  if (line.spot("stolenAt", SPOTS)) line.spot("returnedTo");
  line.tacklers();
}

/** @param {Reader} line */
function readSack(line) {
  line.player("player");
  line.spot("to");
  if (line.take(/\//y, "/ and the sackers")) line.players("sackers");
  line.choice("held", "f", "f the ball came loose");
}

const KICKS = {
  r: readReturn,
  t: (line) => line.choice("landed", "el", "l landed in the landing zone"),
  s: readLanding,
  f: readLanding,
  d: readLanding,
  o: readLanding,
  m: readMuff,
  v: (line) => {
    line.spot("landedAt", SPOTS);
    readRecovered(line);
  },
  b: readBlock,
  a: () => undefined,
  g: (line) => line.number("distance", /\d{2}/y, "the length"),
  n: (line) => line.number("distance", /\d{2}/y, "the length"),
};

/** @param {Reader} line */
function readKick(line) {
  line.choice(
    "kind",
    "kpfxos",
    "k kickoff, p punt, f field goal, x extra point, o onside, s free kick",
  );
  line.player("kicker");
  const result = line.choice(
    "result",
    "rtsfdomvbagn",
    "r returned, t touchback, f fair catch, d downed, o out, m muffed, v loose, b blocked, g good, n no good",
  );
  if (result) KICKS[result](line);
}

/** @param {Reader} line */
function readReturn(line) {
  line.player("returner");
  if (line.spot("landedAt", SPOTS)) line.spot("returnedTo");
  line.tacklers();
}

/** @param {Reader} line */
function readLanding(line) {
  line.spot("landedAt", SPOTS);
}

/** @param {Reader} line */
function readMuff(line) {
  line.player("muffedBy");
  line.spot("landedAt", SPOTS);
  if (line.take(/v/y, "v and who recovered it")) readRecovered(line);
}

/** @param {Reader} line */
function readBlock(line) {
  line.player("blockedBy");
  if (line.take(/v/y, "v and who recovered it")) readRecovered(line);
}

/** Who fell on a loose ball, where, and how far they brought it. @param {Reader} line */
function readRecovered(line) {
  const by = line.choice("recoveredBy", "hao", "h or a for the club, o out of bounds", true);
  if (by === "o") {
    line.spot("outAt", SPOTS);
    return;
  }
  line.player("recoverer");
  if (line.spot("recoveredAt", SPOTS)) line.spot("advancedTo");
  line.tacklers();
}

/** @param {Reader} line */
function readFumble(line) {
  line.choice("team", "ha", "h or a for the club");
  line.player("player");
  line.spot("at", SPOTS);
  if (line.take(/\//y, "/ and who forced it")) {
    const unseen = line.take(/\+/y, "+ forced, nobody saw by whom");
    if (unseen) line.answer("forcedBy", ["+"], unseen.at);
    else if (!line.player("forcedBy")) throw line.open("who forced it");
  }
  const then = line.choice("then", "voesl", "v recovered, o out of bounds, l loose", true);
  if (then === "v") readRecovered(line);
  if (then === "o") line.spot("outAt", SPOTS);
}

/** @param {Reader} line */
function readTwoPoints(line) {
  const kind = line.choice("kind", "prb", "p pass, r run, b brought back");
  const first = line.playerToken();
  const isPair = first && kind !== "r" && line.take(/\./y, ". and the receiver");
  if (isPair) {
    line.answer("passer", [first.text], first.at);
    line.player("player");
  } else if (first) line.answer("player", [first.text], first.at);
  line.choice("good", "gn", "g good, n no good");
}

/** @param {Reader} line */
function readSafety(line) {
  line.choice("team", "ha", "h or a for the club");
  line.player("player");
  line.number("points", /=[12]/y, "= and the points");
}

/** @param {Reader} line */
function readTackle(line) {
  line.choice("team", "ha", "h or a for the club");
  line.players("tacklers", "shared");
}

/** @param {Reader} line */
function readCredit(line) {
  line.choice("kind", "phl", "p broken up, h hit on the passer, l tackle for loss");
  line.choice("team", "ha", "h or a for the club");
  line.player("player");
}

/** @param {Reader} line */
function readTimeout(line) {
  line.choice("team", "hao", "h or a for the club, o the officials");
  const reason = line.take(/[^;]+/y, "the reason");
  if (reason) line.answer("reason", [reason.text.trim()], reason.at);
}

/** @param {Reader} line */
function readPeriod(line) {
  line.choice("phase", "se", "s starts, e ends");
  line.number("period", /\d{1,2}/y, "which period");
}

/** What may stand after the foul, in any order. @type {((line: Reader) => any)[]} */
const OF_FLAGS = [
  (line) => line.number("yards", /\d{1,2}y/y, "15y yards"),
  (line) => line.player("player"),
  (line) => line.choice("status", "ado", "a accepted, d declined, o offsetting"),
  readBasis,
  (line) => readSigned(line, "outcome", /=[nrc1fs]/y, "= and the outcome"),
  (line) => readSigned(line, "strike", /![yn]/y, "!y or !n strike the play out"),
  (line) => readSigned(line, "when", /~[dab]/y, "~d, ~a or ~b when it was"),
];

/** A sign and the key of an answer. @param {Reader} line */
function readSigned(line, name, pattern, label) {
  const token = line.take(pattern, label);
  if (token) line.answer(name, [token.text.slice(1)], token.at);
  return token;
}

/** From where it is walked off: `@p` the previous spot, `@e` the end, `@d20` the spot of the foul. */
function readBasis(line) {
  if (readSigned(line, "from", /@[pfgentk](?![a-z\d])/y, "@ and from where")) return true;
  const sign = line.take(/@/y, "@ and the spot of the foul");
  if (!sign) return false;
  line.answer("from", ["f"], sign.at);
  if (!line.spot("at", SPOTS)) throw line.open("the spot of the foul, or p, e, n");
  return true;
}

/** @param {Reader} line @param {Situation} s */
function readFlag(line, s) {
  if (!line.club("team")) throw line.open("h or a for the club that fouled");
  const foul = line.take(/'[^']+'|[a-z]+/y, "the foul");
  if (!foul) throw line.open("the foul (dpi, oh, fs …)");
  const isLast = foul.at + foul.text.length === line.text.length;
  line.answer("foul", [foulNamed(foul, s, isLast)], foul.at);
  let unread = OF_FLAGS;
  for (let read = unread.find((part) => part(line)); read; read = unread.find((part) => part(line)))
    unread = withoutPart(unread, read);
}

const withoutPart = (parts, read) => parts.filter((part) => part !== read);

/** @type {Record<string, Code>} by the first letter */
export const CODES = {
  r: { action: "run", form: "r [kind] [who] spot [/tacklers]", read: readRun },
  p: {
    action: "pass",
    form: "p [passer] c receiver +air [+run] [/tacklers] · i [receiver] [spot] [/who broke it up]",
    read: readPass,
  },
  s: { action: "sack", form: "s [passer] spot /sackers [f]", read: readSack },
  x: { action: "sack", form: "x [passer] spot /sackers [f]", read: readSack },
  k: {
    action: "kick",
    form: "k [kind] [kicker] [result] [who] [from] [to] [/tacklers]",
    read: readKick,
  },
  i: {
    action: "interception",
    form: "i [meant for] [spot] /who [at] [to] [/tacklers]",
    read: readInterception,
  },
  f: {
    action: "fumble",
    form: "f [h|a] [who] [at] [/forced by] [v [h|a] [who] [at] [to] [/tacklers]] · o [where]",
    read: readFumble,
  },
  v: { action: "recovery", form: "v [h|a] [who] [at] [to] [/tacklers]", read: readRecovered },
  c: { action: "conversion", form: "c [p|r|b] [passer.]who [g|n]", read: readTwoPoints },
  y: { action: "safety", form: "y [h|a] [who] [=points]", read: readSafety },
  t: { action: "tackle", form: "t [h|a] who[,who|+who]", read: readTackle },
  d: { action: "credit", form: "d [p|h|l] [h|a] who", read: readCredit },
  n: {
    action: "penalty",
    form: "n h|a foul [who] [a|d|o] [@spot] [15y] [=outcome] [!y|!n]",
    read: readFlag,
  },
  o: { action: "timeout", form: "o [h|a|o] [reason]", read: readTimeout },
  e: { action: "period", form: "e [s|e] [period]", read: readPeriod },
};
