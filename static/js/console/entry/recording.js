/** A complete entry, as it goes into the queue. */
import { lean } from "../actions/shared/parts.js";
import { compared, madeIn } from "../queue/handover.js";
import { entriesOf, otherByNow } from "../situation.js";
import { impossible } from "./impossible.js";
import { sentenceOf } from "./words.js";

/**
 * Why a complete entry can never be recorded; "" if it can. Corrections and entries into an earlier
 * play are left to the server, which knows the snap of that play.
 * @param {import("./entry.js").Entry} entry
 * @param {any} context  the situation with the page's own
 * @returns {string}
 */
export function whyImpossible(entry, context) {
  if (entry.action.corrects || entry.playNumber !== null) return "";
  return impossible(entry.bodies.map(lean), { ...context, ...entry.situation })[0] ?? "";
}

/**
 * @param {import("./entry.js").Entry} entry
 * @param {{server: Situation, situation: Situation, context: any, correcting: string, own: string,
 *          held: import("../queue/queue.js").Item|null}} on  `server`: the situation as the server had it
 *          last, `situation` with what is unsent, `context` with the page's own; `correcting`: the
 *          key of the refused entry that this one takes the place of; `own`: this console; `held`:
 *          the first entry that waits to be compared
 * @returns {{made?: object, fault?: string}}
 */
export function readyEntry(
  entry,
  { server, situation, context, correcting, own: ownItems, held: heldItem },
) {
  const bodies = entry.bodies.map(lean);
  const cannotBe = whyImpossible(entry, context);
  if (cannotBe) return { fault: `${cannotBe} Nothing is recorded.` };
  const [stray] = otherByNow(bodies, entry.situation, situation);
  if (stray)
    return {
      fault: `#${stray} has changed since. Press Esc until it says Ready, then enter this again.`,
    };
  const numbers = {
    first: (correcting ? server : situation).next_event,
    recorded: server.next_event,
  };
  const plain = {
    entries: entriesOf(bodies, (body) => entry.playNumberOf(body), numbers),
    words: sentenceOf(bodies, context),
    source: entry,
  };
  if (heldItem && heldItem.key === correcting)
    return { made: compared(plain, heldItem.made, server, ownItems) };
  return { made: { ...plain, made: madeIn(entry.situation, ownItems) } };
}
