/** The actions by the scorer's own keys. */
import { ACTIONS } from "./catalogue.js";
import { openingOf } from "./shared/opening.js";

/**
 * @param {Record<string, string>} keys  key by name of the action
 * @returns {Record<string, object>} action by key
 */
export function actionsOn(keys) {
  return Object.fromEntries(ACTIONS.map((action) => [keys[action.name], withOthers(action, keys)]));
}

/** An action that combines others, or opens the next play, with what it needs for that. */
function withOthers(action, keys) {
  if (action.compose) return { ...action, ...action.compose(offeredBy(action), keys) };
  return action.opensPlay ? openingOf(action) : action;
}

/** The actions that another one offers, by name. */
const offeredBy = ({ offers }) =>
  Object.fromEntries(ACTIONS.filter(offers).map((action) => [action.name, action]));
