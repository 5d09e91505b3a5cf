/** What the spotter's panel says of a play and of the line that is typed for it. */
import { wearers } from "./line.js";

const byId = (id) => document.getElementById(id);

/**
 * @typedef {import("./line.js").Play} Play
 * @typedef {{mode: string, tone: string, label: string, sentence: string, sure: boolean, hint:
 *   string}} SpotterView
 */

/**
 * @param {{play: Play|null, newest: Play|null, isAimed?: boolean, reading?:
 *   import("./line.js").Reading|null}} on  `play`: the one that the line is for; `isAimed`: it stays
 *   that one when the next play comes; `reading`: of the line, null for an empty one
 * @returns {SpotterView}
 */
export function spotterView({ play, newest, isAimed = false, reading = null }) {
  return {
    mode: play ? `Play ${play.number}` : "No play yet",
    tone: toneOf(reading),
    label: play ? labelOf(play, isAimed && play !== newest ? newest : null) : "",
    sentence: sentenceOf(play, reading),
    sure: Boolean(reading && !reading.error),
    hint: hintOf(play, reading),
  };
}

/** @param {SpotterView} view */
export function drawSpotter({ mode, tone, label, sentence, sure, hint }) {
  byId("mode").textContent = mode;
  byId("entry").dataset.tone = tone;
  byId("sentence-label").textContent = label;
  byId("sentence").textContent = sentence;
  byId("sentence-box").classList.toggle("is-sure", sure);
  byId("hint").textContent = hint;
}

/** Marks the play that the line is for. @param {number|undefined} number */
export function drawChosen(number) {
  for (const card of document.querySelectorAll("[data-play]")) {
    if (Number(/** @type {HTMLElement} */ (card).dataset.play) === number)
      card.setAttribute("aria-current", "true");
    else card.removeAttribute("aria-current");
  }
}

/** Who wears this number. @param {string} number @param {import("../console/roster.js").Roster} roster */
export const wearerOffers = (number, roster) =>
  wearers(number, roster).map((player) => ({
    label: `${roster.label(player.id)} (${player.club})`,
  }));

function toneOf(reading) {
  if (!reading) return "ready";
  return reading.error ? "asking" : "sure";
}

/** @param {Play} play @param {Play|null} newer  which has come while the line was typed */
const labelOf = (play, newer) =>
  newer ? `${play.title} · the newest play is ${newer.number}` : play.title;

function sentenceOf(play, reading) {
  if (!play) return "No plays yet. They appear when the scorer enters them.";
  if (reading) return reading.words.join(" ");
  const happened = play.lines.map(([, words]) => words).join(" ");
  const reason = {
    struck: "It was struck out.",
    waiting: "The ball is live.",
    open: play.missing.length ? `Who? ${play.missing.join(", ")}` : "Everyone is named.",
  };
  return `${happened} ${reason[play.state]}`.trim();
}

function hintOf(play, reading) {
  if (reading) return reading.error || "Enter adds it to the play.";
  if (!play) return "";
  return `${play.tackling ? `Tackles: ${play.tackling}. ` : ""}52t tackle, 54a assist, 80r target · ↑ ↓ another play · ? all keys`;
}
