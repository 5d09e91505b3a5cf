/** Every action of the console, in the order of the help (scorer_console/keys/rules.py). */
import { conversion } from "./conversion.js";
import { credit } from "./credit.js";
import { earlier } from "./earlier.js";
import { fumble } from "./fumble.js";
import { game } from "./game.js";
import { interception } from "./interception.js";
import { kick } from "./kick.js";
import { overturn } from "./overturn.js";
import { pass } from "./pass.js";
import { penalty } from "./penalty.js";
import { period } from "./period.js";
import { plays } from "./plays.js";
import { recovery } from "./recovery.js";
import { replace } from "./replace.js";
import { review } from "./review.js";
import { roster } from "./roster.js";
import { run } from "./run.js";
import { sack } from "./sack.js";
import { safety } from "./safety.js";
import { scoreboard } from "./scoreboard.js";
import { snap } from "./snap.js";
import { tackle } from "./tackle.js";
import { timeout } from "./timeout.js";
import { undo } from "./undo.js";

/** @type {Action[]} */
export const ACTIONS = [
  snap,
  pass,
  run,
  sack,
  kick,
  interception,
  fumble,
  recovery,
  conversion,
  safety,
  tackle,
  credit,
  penalty,
  review,
  timeout,
  period,
  game,
  scoreboard,
  roster,
  earlier,
  undo,
  replace,
  overturn,
  plays,
];
