/**
 * The data in the page: whose console it is, the clubs with their players, keys and event types.
 */
import { actionsOn } from "./actions/index.js";
import { Roster } from "./roster.js";

/** The values that the server wrote into the page under this id. @param {string} id */
export const readJson = (id) => JSON.parse(document.getElementById(id).textContent);

/** The game's data, which all its scorers share, and the scorer's own. */
export const setup = { ...readJson("setup"), ...readJson("own") };

/** The actions by the scorer's own keys. */
export const ACTIONS = actionsOn(setup.keys);

/** The command line. */
export const cmd = /** @type {HTMLInputElement} */ (document.getElementById("cmd"));

/** @param {string} club */
const other = (club) => (club === setup.clubs.home ? setup.clubs.away : setup.clubs.home);

/** What every action may ask of the page, beside the situation. */
export const known = {
  clubs: setup.clubs,
  rules: setup.rulebook,
  types: setup.eventTypes,
  keys: setup.keys,
  foulCodes: setup.foulCodes,
  roster: new Roster(readJson("roster")),
  other,
};

/** Restores an earlier text, selected: Enter accepts it, typing replaces it. */
export function fill(text) {
  cmd.value = text;
  if (text) cmd.select();
}
