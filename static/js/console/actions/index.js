/** The actions by name, and by the scorer's keys (scorer_console/keys/rules.py names them). */
import { interception, fumble, loose, pass, run, sack, snap } from "./scrimmage.js";
import { conversion, kick, safety } from "./kicks.js";
import { challenge, credit, game, period, scoreboard, tackle, timeout } from "./officials.js";
import { penalty } from "./penalty.js";
import { earlierOf } from "./earlier.js";
import { roster } from "./roster.js";
import { overturnOf, replaceOf, undo } from "./corrections.js";
import { playsOf } from "./plays.js";
import { isAfterTouchdown, isFirstRun, isOwnThrow, openingOf } from "./opening.js";

const RULINGS = {
  snap,
  pass,
  run,
  sack,
  kick,
  interception,
  fumble,
  recovery: loose,
  conversion,
  safety,
  tackle,
  credit,
  penalty,
};

/** Those that open the next play where the one before is over. */
const OPENING = {
  pass: openingOf("pass", pass),
  run: openingOf("run", run, isFirstRun),
  sack: openingOf("sack", sack),
  kick: openingOf("kick", kick),
  interception: openingOf("interception", interception, isOwnThrow),
  conversion: openingOf("conversion", conversion),
  safety: openingOf("safety", safety, isAfterTouchdown),
};

/**
 * @param {Record<string, string>} keys  key by name of the action
 * @returns {Record<string, object>} action by key, each with its `name`
 */
export function actionsOn(keys) {
  const actions = {
    ...RULINGS,
    ...OPENING,
    review: challenge,
    timeout,
    period,
    game,
    scoreboard,
    roster,
    earlier: earlierOf({ tackle, credit, penalty, review: challenge }, keys),
    undo,
    replace: replaceOf(RULINGS, keys),
    overturn: overturnOf(RULINGS, keys),
    plays: playsOf(RULINGS, keys),
  };
  return Object.fromEntries(
    Object.entries(actions).map(([name, action]) => [keys[name], { ...action, name }]),
  );
}
