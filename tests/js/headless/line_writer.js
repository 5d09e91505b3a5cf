/**
 * Writes an answered guided entry as a one-line entry, as short as its grammar allows
 * (static/js/console/line/codes.js).
 */
import { FIELDS } from "../../../static/js/console/entry/fields.js";

const CLOCK = /^(?:\d{2,4}|\d{0,2}:\d{2})$/;

/** The words of a snap, its clock last: letters may follow it without a space. @param {any} entry */
export function snapText(entry) {
  const words = (entry.typed.snap ?? "").split(/\s+/).filter(Boolean);
  const clock = words.filter((word) => CLOCK.test(word));
  const others = words.filter((word) => !CLOCK.test(word));
  if (!clock.length) return others.map((word) => `${word} `).join("");
  return [...others, ...clock].join(" ");
}

/** @param {any} entry @returns {string|null}  null where a line has no form for it */
export function lineFor(entry) {
  const write = WRITERS[entry.action.name];
  if (!write) return null;
  const signs = new Signs(entry);
  const text = write(signs);
  if (text === null) return null;
  const others = signs.others();
  const front = entry.answers.opensWith ? snapText(entry) : "";
  const joins = entry.answers.joins ? "=" : "";
  return `${joins}${front}${others === null ? text[0] + signs.all() : text + others}`;
}

function answersOf(texts) {
  const last = texts.findLastIndex(Boolean);
  return texts
    .slice(0, last + 1)
    .map((text) => `;${text}`)
    .join("");
}

/** The answers of an entry as signs, and which of them were written. */
class Signs {
  constructor(entry) {
    this.entry = entry;
    this.steps = new Map();
    this.written = new Set();
    /** Questions that the line answers although the likely answer is taken. */
    this.explicit = new Set();
    // what was proposed depends on the answers before
    for (const step of entry.steps) this.steps.set(step.name, step);
  }

  /** "" for the likely answer. */
  of(name) {
    const step = this.steps.get(name);
    if (!step) return "";
    this.written.add(name);
    return this.textOf(step);
  }

  textOf(step) {
    const value = this.entry.answers[step.name];
    const isLikely = this.isLikely(step, value);
    if (step.kind === "players") return isLikely ? "" : this.people(value);
    if (isLikely) return "";
    if (step.kind === "choice") return step.options.find((option) => option.value === value).key;
    if (step.kind === "player") return value === step.beside?.value ? "+" : this.person(value);
    if (step.kind === "spot") return spotText(step, value);
    return `${value}`;
  }

  isLikely(step, value) {
    const reading = FIELDS[step.kind].read(step, "", null, this.entry.scene, []);
    return "value" in reading && JSON.stringify(reading.value) === JSON.stringify(value);
  }

  person(id) {
    if (id === null) return "-";
    const { roster } = this.entry.situation;
    const player = roster.byId.get(id);
    if (!player) return `${id.split("-").at(-1)}`;
    const alone = player.number !== null && roster.wearing(player.number, player.club).length === 1;
    return alone ? `${player.number}` : `'${player.name}'`;
  }

  people(ids) {
    return ids.map((id) => this.person(id)).join(this.of("shared") === "p" ? "+" : ",");
  }

  tack(name = "tacklers") {
    const text = this.of(name);
    return text ? `/${text}` : "";
  }

  /** Two spots of one movement: the first cannot be left out before the second. */
  way(from, to) {
    const [start, end] = [this.of(from), this.of(to)];
    if (start || !end) return `${start}${end}`;
    this.explicit.add(from);
    return `=${end}`;
  }

  mark(name) {
    const { answers } = this.entry;
    const marks = this.steps.get(name)?.marks;
    const index = marks?.options.findIndex((option) => option.value === answers[marks.name]) ?? -1;
    if (index < 0) return "";
    this.explicit.add(name);
    return `@${index + 1}`;
  }

  /**
   * The answers behind the last one that has a sign, after `;`.
   * @returns {string|null}  null if one before it has none: then all of them stand after `;`
   */
  others() {
    const steps = [...this.steps.values()];
    const last = steps.findLastIndex((step) => this.isSaid(step));
    const isLost = steps.slice(0, last).some((step) => !this.isSaid(step) && this.textOf(step));
    return isLost ? null : answersOf(steps.slice(last + 1).map((step) => this.textOf(step)));
  }

  all() {
    return answersOf([...this.steps.values()].map((step) => this.textOf(step)));
  }

  /** Whether the line has said it: then it does not answer a question after `;`. */
  isSaid(step) {
    if (this.explicit.has(step.name)) return true;
    return this.written.has(step.name) && this.textOf(step) !== "";
  }
}

function spotText(step, { yard, touchdown }) {
  const mark = touchdown ? "!" : "";
  if (touchdown && yard === 100) return "t";
  if (yard < 0) return `e${-yard}`;
  if (yard >= 100) return "d0";
  const side = yard <= 50 ? `o${yard}` : `d${100 - yard}`;
  if (step.from === null || step.from === undefined) return side + mark;
  const gain = yard - step.from;
  const gained = `${gain < 0 ? "" : "+"}${gain}`;
  return (gained.length <= side.length ? gained : side) + mark;
}

const WRITERS = {
  run: (s) => `r${s.mark("kind")}${s.of("kind")}${s.of("player")}${s.of("to")}${s.tack()}`,
  pass: writePass,
  interception: (s) => `i${s.of("receiver")}${s.of("aimedAt")}${theft(s)}`,
  sack(s) {
    const text = `s${s.of("player")}${s.of("to")}${s.tack("sackers")}`;
    return s.entry.answers.held === "fumbled" ? `${text}${s.of("held")}` : text;
  },
  kick: writeKick,
  fumble: writeFumble,
  recovery: (s) => `v${recovered(s)}`,
  conversion(s) {
    const [kind, passer, who] = [s.of("kind"), s.of("passer"), s.of("player")];
    return `c${kind}${passer ? `${passer}.` : ""}${who}${s.of("good")}`;
  },
  safety(s) {
    const [club, who, points] = [s.of("team"), s.of("player"), s.of("points")];
    return `y${club}${who}${points ? `=${points}` : ""}`;
  },
  tackle: (s) => (s.entry.answers.tacklers.length ? `t${s.of("team")}${s.of("tacklers")}` : null),
  credit(s) {
    // without its kind it would be a spot: d17
    const { kind } = s.entry.answers;
    s.explicit.add("kind");
    const key = s.steps.get("kind").options.find((option) => option.value === kind).key;
    return `d${key}${s.of("team")}${s.of("player")}`;
  },
  timeout: (s) => `o${s.of("team")}${s.of("reason")}`,
  period: (s) => `e${s.of("phase")}${s.of("period")}`,
  penalty: writeFlag,
};

function writePass(s) {
  const { result } = s.entry.answers;
  const key = s.steps.get("result").options.find((option) => option.value === result).key;
  s.explicit.add("result");
  const begun = `p${s.of("passer")}${s.mark("result")}${key}`;
  if (result === "complete")
    return `${begun}${s.of("receiver")}${s.way("caughtAt", "ranTo")}${s.tack()}`;
  if (result === "intercepted") return `${begun}${s.of("receiver")}${s.of("aimedAt")}${theft(s)}`;
  const breaker = s.of("defended");
  return `${begun}${s.of("receiver")}${s.of("aimedAt")}${breaker ? `/${breaker}` : ""}`;
}

const theft = (s) => {
  const text = `${s.of("thief")}${s.way("stolenAt", "returnedTo")}${s.tack()}`;
  return text ? `/${text}` : "";
};

function writeKick(s) {
  const { answers } = s.entry;
  const kind = s.of("kind");
  const key = s.steps.get("kind").options.find((option) => option.value === answers.kind).key;
  const kicker = s.of("kicker");
  const rest = kickEnd(s, answers.result);
  // a letter that is a kind of kick too needs the kind before it
  const isTaken = !kicker && "kpfxos".includes(rest[0] ?? "-");
  if (isTaken) s.explicit.add("kind");
  return `k${kind || (isTaken ? key : "")}${kicker}${rest}`;
}

function kickEnd(s, result) {
  const likely = s.of("result");
  const key = s.steps.get("result").options.find((option) => option.value === result).key;
  const text = KICK_ENDS[result]?.(s) ?? "";
  if (!text && !likely) return "";
  s.explicit.add("result");
  return `${key}${text}`;
}

const brought = (s, who) => `${s.of(who)}${s.way("landedAt", "returnedTo")}${s.tack()}`;
const KICK_ENDS = {
  good: (s) => s.of("distance"),
  missed: (s) => s.of("distance"),
  touchback: (s) => s.of("landed"),
  returned: (s) => brought(s, "returner"),
  caught: (s) => brought(s, "returner"),
  short: (s) => s.of("landedAt"),
  fair_catch: (s) => s.of("landedAt"),
  downed: (s) => s.of("landedAt"),
  out_of_bounds: (s) => s.of("landedAt"),
  muffed: (s) => `${s.of("muffedBy")}${s.of("landedAt")}${loose(s)}`,
  recovered: (s) => `${s.of("landedAt")}${recovered(s)}`,
  blocked: (s) => `${s.of("blockedBy")}${loose(s)}`,
};

const loose = (s) => {
  const text = recovered(s);
  return text ? `v${text}` : "";
};

function recovered(s) {
  if (s.entry.answers.recoveredBy === "nobody") {
    s.explicit.add("recoveredBy");
    return `o${s.of("outAt")}`;
  }
  return `${s.of("recoveredBy")}${s.of("recoverer")}${s.way("recoveredAt", "advancedTo")}${s.tack()}`;
}

/** `v` says that it was recovered; without anything after it that is likely anyway. */
function fallenOn(s) {
  const [likely, text] = [s.of("then"), loose(s)];
  if (!text && !likely) return "";
  s.explicit.add("then");
  return text || "v";
}

function writeFumble(s) {
  const [club, who, at, forced] = ["team", "player", "at", "forcedBy"].map((name) => s.of(name));
  const { then } = s.entry.answers;
  const end = then === "recovered" ? fallenOn(s) : s.of("then");
  return `f${club}${who}${at}${forced ? `/${forced}` : ""}${end}`;
}

/** Signs after the foul, by question. */
const OF_FLAGS = {
  outcome: (text) => `=${text}`,
  strike: (text) => `!${text}`,
  when: (text) => `~${text}`,
};

function writeFlag(s) {
  const { team, foul } = s.entry.answers;
  s.explicit.add("team").add("foul");
  const key = s.steps.get("team").options.find((option) => option.value === team).key;
  const who = s.of("player");
  const status = s.of("status");
  const yards = s.of("yards");
  const signs = Object.entries(OF_FLAGS).map(([name, sign]) => {
    const text = s.of(name);
    return text && sign(text);
  });
  const gap = !yards && !who && status ? " " : "";
  const size = yards && `${yards}y`;
  return `n${key}${foulText(foul, s)}${size}${who}${gap}${status}${basis(s)}${signs.join("")}`;
}

function basis(s) {
  const [from, at] = [s.of("from"), s.of("at")];
  if (at) {
    s.explicit.add("from");
    return `@${at}`;
  }
  return from ? `@${from}` : "";
}

function foulText(foul, s) {
  const { rules, foulCodes } = s.entry.situation;
  const known = new Set(Object.keys(rules.fouls));
  const short = Object.entries(foulCodes).find(([, names]) => {
    const name = names.find((candidate) => known.has(candidate.toLowerCase()));
    return name === foul;
  });
  return short ? short[0] : `'${foul}'`;
}
