/** The style guide of the pages beside the console: spotter, keys, rosters, details. */
import { drawKept } from "../console/line/kept.js";
import { parseMacros } from "../console/line/macros.js";
import {
  drawLine,
  drawOffers,
  drawUnsent,
  openHelp,
  say,
  unveil,
} from "../console/panel/screen.js";
import { Roster } from "../console/roster.js";
import { readLine, ROLES } from "../spotter/line.js";
import { drawChosen, drawSpotter, spotterView, wearerOffers } from "../spotter/view.js";
import { showStates, showTemplates } from "./show.js";
import { statesOf } from "./states/state.js";

const readJson = (id) => JSON.parse(document.getElementById(id).textContent);
const inputOf = (id) => /** @type {HTMLInputElement} */ (document.getElementById(id));
const roster = new Roster(readJson("roster"));
/** @type {import("../spotter/line.js").Play[]} the newest first */
const plays = readJson("plays");
const [newest] = plays;
const numbered = (number) => plays.find((play) => play.number === number);
const SNAPPED = 4;
const PASS = 3;
const RUN = 2;
const PANEL = [
  ".entry-head",
  ".sentence-box",
  ".question",
  ".cmd-row",
  ".said",
  ".hint",
  ".offers-box",
];

function drawRest() {
  inputOf("cmd").value = inputOf("macro-list").value = "";
  document.getElementById("macro-said").textContent = "";
  inputOf("macro-list").removeAttribute("aria-invalid");
  drawLine({ state: "clear", words: "Nothing waiting" });
  drawOffers([], null);
  drawUnsent([]);
  say("");
  drawSpotter(spotterView({ play: newest, newest }));
}

/** Draws a line that is typed for a play. @param {number} number @param {string} text */
function drawTyped(number, text) {
  const play = numbered(number);
  const reading = readLine(text, play, roster);
  inputOf("cmd").value = text;
  drawOffers(reading.open ? wearerOffers(reading.open, roster) : [], null);
  drawSpotter(spotterView({ play, newest, isAimed: true, reading }));
}

/** @param {string} text */
function drawMacros(text) {
  inputOf("macro-list").value = text;
  drawKept(/** @type {any} */ (parseMacros(text)).error);
}

const waiting = (state, fault = "") => [
  { key: "k", state, fault, words: "Play 4: Rafael Marsh makes the tackle." },
];

unveil(ROLES, () => undefined);
await showStates(
  [
    ...statesOf(
      "plays",
      { element: ".plays" },
      {
        "One is chosen": () => drawChosen(PASS),
      },
    ),
    ...statesOf("spotter", {}, { "At rest": () => undefined }),
    ...statesOf(
      "spotter",
      { parts: PANEL },
      {
        "No play yet": () => drawSpotter(spotterView({ play: null, newest: null })),
        "The ball is live": () => drawSpotter(spotterView({ play: numbered(SNAPPED), newest })),
        "Someone is missing": () => drawSpotter(spotterView({ play: numbered(PASS), newest })),
        "Everyone is named": () => drawSpotter(spotterView({ play: numbered(RUN), newest })),
        "A number without its letter": () => drawTyped(PASS, "22"),
        Whole: () => drawTyped(PASS, "22t 55a"),
        "A mistake": () => drawTyped(PASS, "99z"),
        Refused: () => say("Play 3 was struck out. You can't add to it.", "fault"),
      },
    ),
    ...statesOf(
      "spotter",
      { parts: [".unsent-box"] },
      {
        "Waits for the scorer": () =>
          drawUnsent(
            waiting(
              "retrying",
              "Play 4 only has its snap so far. This is sent once the scorer has entered what happened.",
            ),
          ),
        "Not accepted": () =>
          drawUnsent(waiting("refused", "Play 4 was struck out. You can't add to it.")),
      },
    ),
    ...statesOf("spotter", { element: "#help" }, { Help: openHelp }),
    ...statesOf(
      "macros",
      { element: "#macros-part" },
      {
        None: () => undefined,
        Kept: () => drawMacros("k rk12-1\nh r22"),
        "One that cannot be read": () => drawMacros("k"),
      },
    ),
  ],
  drawRest,
);
// after the states: the mark of the chosen play is set wherever the play stands
showTemplates();
