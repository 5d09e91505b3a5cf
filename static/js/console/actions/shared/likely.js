/**
 * Proposals for players who have not acted in this game yet, by their position on the roster. Pure.
 */

/** The positions for each role, the likeliest first. */
const POSITIONS = { passer: ["QB"], punter: ["P", "K", "PK"], place_kicker: ["K", "PK", "P"] };
const OUT = ["ejected", "inactive", "injured", "out"];

/**
 * Who did it last, else the only one of the first position that anybody plays, or the only starter
 * among them.
 * @param {"passer"|"punter"|"place_kicker"} role @param {string} club @param {object} s  the
 *   situation
 * @returns {string|undefined} the player's id
 */
export function likelyOf(role, club, s) {
  const last = s.recent_players[role][club];
  if (last) return last;
  const fit = ableTo(role, club, s);
  const starters = fit.filter((player) => player.status === "starter");
  if (starters.length === 1) return starters[0].id;
  return fit.length === 1 ? fit[0].id : undefined;
}

export const likelyPasser = (team, s) => likelyOf("passer", team, s);

/**
 * Who is offered beside the proposal: where several are equally likely, all of them.
 * @param {"passer"|"punter"|"place_kicker"} role @param {string} club @param {object} s  the
 *   situation
 * @returns {string[]} the players' ids
 */
export const equallyLikely = (role, club, s) =>
  likelyOf(role, club, s) ? [] : ableTo(role, club, s).map((player) => player.id);

/** The players of the first position that anybody plays who are in the game. */
function ableTo(role, club, s) {
  const able = s.roster.players.filter(
    (player) => player.club === club && !OUT.includes(player.status ?? ""),
  );
  const fit = POSITIONS[role].map((position) =>
    able.filter((player) => player.position === position),
  );
  return fit.find((players) => players.length) ?? [];
}
