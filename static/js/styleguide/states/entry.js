/** States of an entry in hand: guided, in one line, whole, odd, refused. */
import { movedBy } from "../../console/entry/preview.js";
import { nextSnapWords } from "../../console/entry/next_snap.js";
import { caretOf, lineView } from "../../console/line/view.js";
import { readLine } from "../../console/line/line.js";
import { ACTIONS, cmd } from "../../console/page.js";
import { drawCaret, drawPrompt, say } from "../../console/panel/screen.js";
import { heldView, idleView, watchView } from "../../console/panel/views.js";
import { contextIn, drawEntry, entryIn, known, serverIn, unsentItem } from "../sample.js";
import { statesOf } from "./state.js";

const RUN = ["r", "22", "+4", "55", ""];
const HEAD = ".entry-head";
const PROMPT = [HEAD, ".sentence-box", ".question", ".cmd-row", ".said", ".hint", ".offers-box"];
const SENTENCE = [HEAD, ".opens", ".sentence-box", ".question", ".said", ".hint"];
const LINE = [HEAD, ".sentence-box", ".question", ".cmd-row", ".caret", ".said", ".hint"];

const runIn = (name) => entryIn(name, "run", ...RUN);

/**
 * Draws a one-line entry.
 * @param {string} name  of the situation @param {string} text @param {Record<string, string>} macros
 */
function drawTyped(name, text, macros = {}) {
  const s = contextIn(name);
  const line = readLine(text, ACTIONS, s, macros);
  const next = line.fault
    ? ""
    : nextSnapWords(line.entry, { server: serverIn(name), items: [], known });
  cmd.value = text;
  drawPrompt(lineView(line, s, next));
  drawCaret(caretOf(text, line.fault));
}

/** Draws a whole run with what the server answers about it. @param {any} posted */
const drawPreview = (posted) => drawEntry("live", runIn("live"), "", { moved: movedBy(posted) });

const MOVED = [
  { title: "Statistics and points", lines: ["Deniz Hill: 9 → 13 rushing yards, points 0.9 → 1.3"] },
  { title: "League totals", lines: ["The Press Row, Deadline Dozen: 61.02 → 61.42"] },
];

export const ENTRY_STATES = [
  ...statesOf("panel", {}, { "At rest": () => undefined }),
  ...statesOf(
    "prompt",
    { parts: PROMPT },
    {
      "Nothing is recorded": () => drawPrompt(idleView(contextIn("empty"), undefined)),
      "Ready, the ball is live": () => drawPrompt(idleView(contextIn("live"), undefined)),
      "Ready, something was set aside": () =>
        drawPrompt(idleView(contextIn("between"), entryIn("between", "run"))),
      "Ready, by what is not recorded yet": () =>
        drawPrompt(
          idleView(contextIn("live", [unsentItem("k", "sending", runIn("live"))]), undefined),
        ),
      "Ready, play is delayed": () => drawPrompt(idleView(contextIn("delayed"), undefined)),
      "One of a few answers": () => drawEntry("live", entryIn("live", "pass", "")),
      "Who, filtered by what is typed": () => drawEntry("live", entryIn("live", "run", "r"), "2"),
      "Several players, one taken": () =>
        drawEntry("live", entryIn("live", "run", "r", "22", "+4", "55")),
      Where: () => drawEntry("live", entryIn("live", "run", "r", "22")),
      "The snap": () => drawEntry("between", entryIn("between", "snap")),
      "An earlier play": () => drawEntry("between", entryIn("between", "plays", "e")),
      "An answer that cannot be read": () => {
        drawEntry("live", entryIn("live", "run", "r", "22"), "+400");
        say(/** @type {any} */ (entryIn("live", "run", "r", "22").take("+400")).error, "fault");
      },
      "A refused entry is corrected": () =>
        drawEntry("live", entryIn("live", "run", "r", "22"), "", { correcting: "k" }),
      "Someone else is scoring": () => drawPrompt(watchView({ state: "theirs" })),
      "The game was taken over": () => drawPrompt(watchView({ state: "lost" })),
      "An entry is to be compared": () =>
        drawPrompt(heldView(unsentItem("k", "held", runIn("live")), true, true)),
    },
  ),
  ...statesOf(
    "sentence",
    { parts: SENTENCE },
    {
      "Whole, with the next snap": () => drawEntry("live", runIn("live")),
      "Opens the next play": () => drawEntry("between", runIn("between")),
      Odd: () => drawEntry("live", entryIn("live", "run", "r", "22", "d0", "55", "")),
      "What it changes": () => drawPreview({ response: { ok: true }, answer: { moved: MOVED } }),
      "Would be refused": () =>
        drawPreview({
          response: { ok: false, status: 422 },
          answer: { error: "end_yard must be between 0 and 100." },
        }),
      "What it changes is not known": () => drawPreview({}),
      "Takes an entry back": () => drawEntry("between", entryIn("between", "undo", "")),
    },
  ),
  ...statesOf(
    "line",
    { parts: LINE },
    {
      Begun: () => drawTyped("live", "r22"),
      "A play without its spot": () => drawTyped("live", "r"),
      Whole: () => drawTyped("live", "r22+4/55"),
      "With its snap": () => drawTyped("between", "31 r22+4/55"),
      "With an abbreviation": () => drawTyped("live", ",h+4", { h: "r22" }),
      "A snap, though the ball is live": () => drawTyped("live", "31 r22+4/55"),
      "A mistake at its character": () => drawTyped("live", "r22+4/x"),
      "No such foul": () => drawTyped("live", "n h zz 54"),
      Odd: () => drawTyped("live", "r22d0/55"),
    },
  ),
];
