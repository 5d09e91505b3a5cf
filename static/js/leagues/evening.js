// An evening as numbers (replay_page.as_json): the teams after each of its plays. Does not depend
// on the page.

/** Like decimal_points on the server: exact, with two decimals, or three if the third is not 0. */
export const points = (thousandths) => {
  const digits = String(Math.abs(thousandths) % 1000).padStart(3, "0");
  const sign = thousandths < 0 ? "-" : "";
  return `${sign}${Math.floor(Math.abs(thousandths) / 1000)}.${digits[2] === "0" ? digits.slice(0, 2) : digits}`;
};

export class Evening {
  constructor({ teams, start, plays, duels, turns }) {
    this.teams = teams;
    this.start = start;
    this.plays = plays;
    this.duels = duels;
    this.turns = turns.map(([at]) => at);
    this.at = -1;
    /** Points and rank of each team now, and before the play shown. */
    this.now = [];
    this.before = [];
  }

  /** Goes to the place after so many plays: on from where it is, or from the start. */
  go(to) {
    if (to < this.at || this.at < 0) {
      this.now = [...this.start];
      this.at = 0;
    }
    this.before = [...this.now];
    for (; this.at < to; this.at += 1) {
      this.before = [...this.now];
      for (const [team, total, rank] of this.plays[this.at][5]) this.now[team] = [total, rank];
    }
  }

  /**
   * The ranked teams as the table has them: by rank, name, id. `moved`: what the play shown did to
   * their points.
   */
  table() {
    return this.teams
      .map(([id, name, , ranked], index) => {
        const [total, rank] = this.now[index];
        return { id, name, ranked, index, total, rank, moved: total - this.before[index][0] };
      })
      .filter((row) => row.ranked)
      .sort(
        (a, b) => a.rank - b.rank || (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id - b.id),
      );
  }

  /** The address that shows the place, even without JavaScript. */
  address(to, path) {
    const play = this.plays[to - 1];
    return `${path}?${play ? `game=${encodeURIComponent(play[0])}&at=${play[1]}` : "at=0"}`;
  }
}
