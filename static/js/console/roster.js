/** The players of both clubs: found by jersey number or name. Pure. */

/** @typedef {{id: string, club: string, number: number|null, name: string, position: string}} Player */

export class Roster {
  /** @param {Player[]} players */
  constructor(players) {
    this.players = players;
    this.byId = new Map(players.map((player) => [player.id, player]));
  }

  /** The name of a player; the id where the roster does not have them. @param {string|null} id */
  name(id) {
    return id === null || id === undefined ? null : (this.byId.get(id)?.name ?? id);
  }

  /** `12 T. Brady`. @param {string|null} id */
  label(id) {
    const player = id === null ? null : this.byId.get(id);
    if (!player) return this.name(id) ?? "nobody named";
    return player.number === null ? player.name : `${player.number} ${player.name}`;
  }

  /** @param {string|null} id */
  clubOf(id) {
    return id === null ? null : (this.byId.get(id)?.club ?? null);
  }

  /**
   * Players of a club that fit the text, best first: the exact number, numbers that begin so,
   * the last name, any name; ties by number, then id. At most `limit`.
   * @param {string} text
   * @param {string} club
   */
  find(text, club, limit = 6) {
    const typed = fold(text);
    if (!typed) return [];
    return this.players
      .filter((player) => player.club === club)
      .map((player) => ({ player, rank: rank(player, typed) }))
      .filter((found) => found.rank < 9)
      .sort((a, b) => a.rank - b.rank || (a.player.number ?? 999) - (b.player.number ?? 999) || (a.player.id < b.player.id ? -1 : 1))
      .slice(0, limit)
      .map((found) => found.player);
  }
}

function rank(player, typed) {
  if (/^\d+$/.test(typed)) {
    if (player.number === Number(typed)) return 0;
    return String(player.number ?? "").startsWith(typed) ? 1 : 9;
  }
  const name = fold(player.name);
  const parts = name.split(/[\s.-]+/);
  if (parts.at(-1)?.startsWith(typed)) return 2;
  if (name.startsWith(typed) || parts.some((part) => part.startsWith(typed))) return 3;
  return name.includes(typed) ? 4 : 9;
}

function fold(text) {
  return text.trim().toLowerCase().normalize("NFD").replace(/\p{Diacritic}/gu, "");
}
