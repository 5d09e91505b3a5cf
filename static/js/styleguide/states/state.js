/**
 * @typedef {{of: string, title: string, draw: () => void|Promise<void>, element?: string, parts?:
 *   string[]}} State  `of`: the component (scorer_console/styleguide/states.py); `draw`: draws it
 *   on the stage, which is at rest; `element`: what is shown of the stage, else the command panel;
 *   `parts`: which of its children, else all
 */

/**
 * The states of one component.
 * @param {string} component
 * @param {{element?: string, parts?: string[]}} look
 * @param {Record<string, () => void|Promise<void>>} draws  by title
 * @returns {State[]}
 */
export const statesOf = (component, look, draws) =>
  Object.entries(draws).map(([title, draw]) => ({ of: component, title, draw, ...look }));
