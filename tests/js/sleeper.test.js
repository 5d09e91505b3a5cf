// The documents of a Sleeper league, fetched by its number. The league is invented.
import assert from "node:assert/strict";
import test from "node:test";

import { collect, leagueNumber, NoLeagueError } from "../../static/js/draft_leagues/sleeper.js";

const DOCUMENTS = {
  "league/123456": { name: "Row", settings: { playoff_week_start: 3 } },
  "league/123456/users": [{ user_id: "1" }],
  "league/123456/rosters": [
    { roster_id: 1, players: ["7", "SUM"], reserve: null, taxi: ["8"] },
    { roster_id: 2, players: null, reserve: null, taxi: null },
  ],
  "league/123456/traded_picks": [],
  "league/123456/matchups/1": [{ matchup_id: 1 }],
  "league/123456/matchups/2": [],
  "players/nfl": { 7: { position: "QB" }, 8: { position: "RB" }, 9: {}, SUM: { position: "DEF" } },
};

test("a league is collected with the players of its rosters and the weeks before the play-offs", async () => {
  const asked = [];
  const get = async (path) => {
    asked.push(path);
    return DOCUMENTS[path];
  };
  const league = await collect("123456", get, () => {});
  assert.deepEqual(Object.keys(league.players).sort(), ["7", "8", "SUM"]);
  assert.deepEqual(league.matchups, { 1: [{ matchup_id: 1 }], 2: [] });
  assert.deepEqual(new Set(asked), new Set(Object.keys(DOCUMENTS)));
});

test("a number that no league has is said", async () => {
  await assert.rejects(
    collect(
      "123456",
      async () => null,
      () => {},
    ),
    NoLeagueError,
  );
});

test("a number is found in what was typed or in the address of a page", () => {
  assert.equal(leagueNumber(" 650025991288205312 "), "650025991288205312");
  const address = "https://sleeper.com/leagues/650025991288205312/team";
  assert.equal(leagueNumber(address), "650025991288205312");
  assert.equal(leagueNumber("my league"), "");
});
