/** States around the entry: who scores, the line, the queue, hand-over, switches, dialogs. */
import { drawHandover, handoverView } from "../../console/queue/handover.js";
import { droppedBy, theirsView } from "../../console/queue/waiting.js";
import { askToLeave } from "../../console/panel/leave_dialog.js";
import {
  drawLease,
  drawLine,
  drawNotices,
  drawStrip,
  drawUnsent,
  openHelp,
  say,
  sayHindrance,
  sayOutcome,
  sayRecorded,
  sayRefused,
  sayTakenOut,
} from "../../console/panel/screen.js";
import { drawSwitches } from "../../console/panel/switches.js";
import { leaseView, lineOf, noticesOf, stripOf } from "../../console/panel/views.js";
import { CUT } from "../../console/queue/send.js";
import {
  contextIn,
  entryIn,
  known,
  lines,
  queueOf,
  serverIn,
  setup,
  unsentItem,
} from "../sample.js";
import { statesOf } from "./state.js";

const AS_OF = "19:42";
const HEAD = { parts: [".entry-head", ".notices"] };

const run = () => entryIn("live", "run", "r", "22", "+4", "55", "");
const timeout = () => entryIn("live", "timeout", "h", "");
const pass = () => entryIn("live", "pass", "", "i", "81", "", "");
const item = (state, more) => unsentItem("first", state, run(), more);
const next = () => unsentItem("second", "waiting", timeout());
const REFUSED = { fault: "#10 would be the second run of play 3." };
const HELD = {
  fault:
    "Tom had the game after you entered this. Compare it with the record, then send or drop it.",
};

/** @param {string} state @param {string} holder @param {number} unsent */
const drawHolder = (state, holder = "", unsent = 0) =>
  drawLease(leaseView(/** @type {any} */ ({ state, holder, since: AS_OF }), unsent));

const drawQueue = (items, more = {}, online = true) =>
  drawLine(lineOf(queueOf(items, more), online, lines[0], AS_OF));

const OTHER_BROWSER = "tom:sample";
const bodiesOf = ({ entries }) => entries.map(({ body }) => body);

/** What Tom has recorded since, an entry for each of these. */
function recordedSince(...items) {
  let number = 10;
  const entries = items.map((recorded) => ({
    numbers: recorded.entries.map(() => number++),
    play_number: 3,
    words: recorded.words,
    by: "Tom",
    stands: true,
    bodies: bodiesOf(recorded),
  }));
  return { earlier: 0, entries };
}

const waitingRow = ({ words, key, entries }) => ({
  key,
  console: OTHER_BROWSER,
  holder: "Tom",
  words,
  bodies: bodiesOf({ entries }),
  made_under: 1,
  dropped_by: null,
  is_recorded: false,
});

const DROPPED = droppedBy(
  [{ ...waitingRow({ words: "", key: "first", entries: [] }), dropped_by: "Tom" }],
  OTHER_BROWSER,
);

export const AROUND_STATES = [
  ...statesOf(
    "bar",
    { element: ".bar" },
    {
      "As the device": () => undefined,
      "In one line, in the sun": () => drawSwitches({ light: "light", oneLine: true }),
      "At night": () => drawSwitches({ light: "dark", oneLine: false }),
    },
  ),
  ...statesOf(
    "situation",
    { element: ".strip" },
    {
      "With an entry that is not recorded": () =>
        drawStrip(stripOf({ ...serverIn("live"), ...known }, contextIn("live", [item("sending")]))),
    },
  ),
  ...statesOf("lease", HEAD, {
    "You are scoring": () => drawHolder("mine"),
    "Nobody is scoring": () => drawHolder("free"),
    "Someone else is scoring": () => drawHolder("theirs", "Tom"),
    "Taken over, with an entry of yours": () => drawHolder("lost", "Tom", 1),
  }),
  ...statesOf("connection", HEAD, {
    ...Object.fromEntries(lines.map((line) => [`Server: ${line.state}`, () => drawLine(line)])),
    Offline: () => drawQueue([], {}, false),
    "Offline, two wait": () => drawQueue([item("retrying", { fault: CUT }), next()]),
    "Being sent": () => drawQueue([item("sending")]),
    "Offline, being kept": () => drawQueue([item("keeping")], {}, false),
    "Tried again": () => drawQueue([item("retrying", { fault: "the server answered 503" })]),
    Refused: () => drawQueue([item("refused", REFUSED), next()]),
    "To be compared": () => drawQueue([item("held", HELD)]),
    "The browser cannot keep entries": () => drawQueue([item("waiting")], { keeps: false }),
    "Another tab sends, and others’ entries wait": () =>
      drawNotices(
        noticesOf(
          queueOf([], { leads: false }),
          [
            { game: "g2", scorer: setup.member, name: "Sal", count: 1 },
            { game: "g3", scorer: "tom", name: "Tom", count: 2 },
          ],
          setup.member,
        ),
      ),
  }),
  ...statesOf(
    "unsent",
    { parts: [".unsent-box"] },
    {
      "Being kept": () => drawUnsent([item("keeping")]),
      "Being sent, one behind it": () => drawUnsent([item("sending"), next()]),
      "Kept here": () => drawUnsent([item("waiting")]),
      "Tried again": () => drawUnsent([item("retrying", { fault: CUT }), next()]),
      Refused: () => drawUnsent([item("refused", REFUSED), next()]),
      "To be compared": () => drawUnsent([item("held", HELD)]),
    },
  ),
  ...statesOf(
    "result",
    { parts: [".said"] },
    {
      Plain: () => say("Set aside. Press a to resume it."),
      Recorded: () => sayRecorded([{ event_number: 10, play_number: 3 }]),
      "Recorded before it was changed": () =>
        sayRecorded([{ event_number: 10, play_number: 3, repeated: true }], true),
      Refused: () => sayRefused(item("refused", REFUSED)),
      "To be compared": () => sayRefused(item("held", HELD)),
      "Not sent": () => sayHindrance(item("retrying", { fault: CUT }), false),
      "Under way": () => void sayOutcome("Adopting it …", new Promise(() => {})),
      "Taken out": () =>
        sayTakenOut("Dropping it …", Promise.resolve(true), "Dropped.", () => undefined),
      "Not taken out": () =>
        sayTakenOut("Dropping it …", Promise.resolve(false), "", () => undefined),
    },
  ),
  ...statesOf(
    "handover",
    { parts: [".handover"] },
    {
      "Looks the same, the next does not": () =>
        drawHandover(
          handoverView(
            [item("held"), unsentItem("b", "waiting", pass())],
            recordedSince(item("held")),
          ),
          [],
        ),
      "Not the same": () =>
        drawHandover(
          handoverView(
            [item("held")],
            recordedSince(
              unsentItem("b", "waiting", entryIn("live", "run", "r", "22", "+9", "55", "")),
            ),
          ),
          [],
        ),
      "Nothing like it": () =>
        drawHandover(handoverView([item("held")], recordedSince(next())), []),
      "Dropped by the other scorer": () =>
        drawHandover(handoverView([item("held")], recordedSince(), DROPPED), []),
      "The record cannot be read": () => drawHandover(handoverView([item("held")], null), []),
      "Another browser’s entries": () => {
        const since = recordedSince(item("held"));
        const rows = [item("held"), next()].map(waitingRow);
        drawHandover(handoverView([], since), theirsView(rows, since));
      },
    },
  ),
  ...statesOf("dialogs", { element: "#help" }, { Help: openHelp }),
  ...statesOf(
    "dialogs",
    { element: "#leave" },
    {
      "Leaving, one entry is not sent": () => askToLeave(1, false),
      "Leaving, more are not sent": () => askToLeave(3, false),
      "Leaving without a connection": () => askToLeave(1, true),
    },
  ),
];
