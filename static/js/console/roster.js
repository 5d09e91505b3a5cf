/**
 * Finds the players of both clubs by jersey number or name, with what the game's events changed.
 */

/**
 * @typedef {{id: string, club: string, number: number|null, name: string, position: string,
 *   status?: string}} Player
 */

const UNKNOWN = /^\?(.{1,16})-(\d{1,2})$/;

/** The id of a player of whom only the jersey is known (app/record/unknown_numbers.py). */
export const unknownId = (club, number) => `?${club}-${number}`;

/** @param {string|null} id @returns {{club: string, number: number}|null} */
export function unknownNumber(id) {
  const match = UNKNOWN.exec(id ?? "");
  return match && { club: match[1], number: Number(match[2]) };
}

export class Roster {
  /** @param {Player[]} players  as registered */
  constructor(players) {
    this.registered = players;
    this.learn([]);
  }

  /**
   * Takes what the facts of the game say of some players, and then what entries on their way will
   * say.
   * @param {Player[]} people  @param {object[]} bodies
   */
  learn(people, bodies = []) {
    this.byId = new Map([...this.registered, ...people].map((player) => [player.id, player]));
    for (const body of bodies) if (body.type === "roster") this.#told(body);
    this.players = [...this.byId.values()].filter((player) => !unknownNumber(player.id));
  }

  /** As it is once these bodies are recorded; this one stays as it is. @param {object[]} bodies */
  with(bodies) {
    if (!bodies.some((body) => body.type === "roster")) return this;
    const after = new Roster(this.registered);
    after.learn([...this.byId.values()], bodies);
    return after;
  }

  #told(fact) {
    const known = this.byId.get(fact.player) ?? {
      id: fact.player,
      number: null,
      name: this.name(fact.player),
      position: "",
    };
    const changes = {
      name: fact.name,
      number: fact.number,
      position: fact.position,
      status: fact.status,
    };
    const now = { ...known, club: fact.team };
    for (const [name, value] of Object.entries(changes))
      if (value !== undefined && value !== null) now[name] = value;
    this.byId.set(fact.player, now);
  }

  /** The name of a player; the id where the roster does not have them. @param {string|null} id */
  name(id) {
    if (id === null || id === undefined) return null;
    const unknown = unknownNumber(id);
    return unknown
      ? `unknown number ${unknown.number} of ${unknown.club}`
      : (this.byId.get(id)?.name ?? id);
  }

  /** `12 T. Brady`. @param {string|null} id */
  label(id) {
    const player = id === null || unknownNumber(id) ? null : this.byId.get(id);
    if (!player) return this.name(id) ?? "nobody named";
    return player.number === null ? player.name : `${player.number} ${player.name}`;
  }

  /** @param {string|null} id */
  clubOf(id) {
    return id === null ? null : (unknownNumber(id)?.club ?? this.byId.get(id)?.club ?? null);
  }

  /**
   * What the game's facts say last of a player: ejected, inactive ...; empty for nothing.
   * @param {string|null} id
   */
  statusOf(id) {
    return this.byId.get(id)?.status ?? "";
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
      .filter((candidate) => candidate.rank < 9)
      .sort(
        (a, b) =>
          a.rank - b.rank ||
          (a.player.number ?? 999) - (b.player.number ?? 999) ||
          (a.player.id < b.player.id ? -1 : 1),
      )
      .slice(0, limit)
      .map((candidate) => candidate.player);
  }

  /** Everybody of a club who wears this number now, by id. @returns {Player[]} */
  wearing(number, club) {
    return this.players
      .filter((player) => player.club === club && player.number === number)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
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
  return text
    .trim()
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{Diacritic}/gu, "");
}
