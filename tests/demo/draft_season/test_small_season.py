"""A small season of a draft league, from its founding to the champion, and its recomputation."""

from __future__ import annotations

import re

import pytest
from flask import Flask
from msgspec.structs import replace
from sqlalchemy import text

from app.core.db import db
from app.demo.draft_season.games import simulated_games
from app.demo.draft_season.preparation import SeasonExistsError
from app.demo.draft_season.results import result_lines
from app.demo.draft_season.run import SeasonPlan, play, weeks_of
from app.draft_leagues.settings import PRESETS
from tests.demo.draft_season.comparing import compare

BASE = PRESETS["redraft"]
SMALL = replace(
    BASE,
    franchises=4,
    roster=replace(BASE.roster, bench=2),
    waivers=replace(BASE.waivers, kind="blind_bids"),
    season=replace(
        BASE.season, first_week=1, regular_weeks=2, playoff_teams=2, weeks_per_round=(1,)
    ),
)


# Each changes one number that the app stored.
CHANGES = {
    "points of a week": "UPDATE league_scores SET points = points + 1 "
    "WHERE ctid = (SELECT min(ctid) FROM league_scores)",
    "rosters": "UPDATE roster_spots SET franchise = 5 - franchise "
    "WHERE ctid = (SELECT min(ctid) FROM roster_spots)",
    "budgets": "UPDATE franchise_budgets SET amount = amount + 1 WHERE franchise = 2",
    "claim": "UPDATE waiver_claims SET result = 'lost' "
    "WHERE id = (SELECT min(id) FROM waiver_claims WHERE result = 'won')",
    "priorities": "UPDATE waiver_runs SET priorities = '{4,3,2,1}' "
    "WHERE id = (SELECT min(id) FROM waiver_runs)",
    "picked out of turn": "UPDATE draft_picks SET franchise = 5 - franchise WHERE number = 1",
    "stored games of a play-off week": "DELETE FROM matchups WHERE ctid = "
    "(SELECT max(m.ctid) FROM matchups m JOIN gameweeks w ON w.id = m.gameweek_id WHERE week = 3)",
    "due were": "UPDATE waiver_claims SET placed_at = placed_at + interval '9 days' "
    "WHERE id = (SELECT min(id) FROM waiver_claims WHERE run_id IS NOT NULL)",
    "champion": "UPDATE draft_leagues SET champion = 5 - champion",
    "(points of )?a week": "UPDATE stat_lines SET stats = stats || '{\"rushing_yards\": 999}' "
    "WHERE (game_id, player_id) = (SELECT l.game_id, l.player_id FROM stat_lines l "
    "JOIN team_sheets t ON t.picks[1] = l.player_id JOIN gameweeks w ON w.id = t.gameweek_id "
    "JOIN games g ON g.id = l.game_id AND g.week = w.week LIMIT 1)",
}


def test_a_small_season_comes_out_as_a_plain_recomputation(app: Flask) -> None:
    plan = SeasonPlan(5, SMALL, simulated_games(5, weeks_of(SMALL)))
    lines: list[str] = []
    done = play(plan, lines.append)
    comparison = compare(done.league_id)
    assert comparison.differences == []
    assert lines[-1] == "gameweek 3 of 3 is settled"
    assert (done.games, done.real_games) == (12, 0)
    counts = comparison.compared
    assert (counts["points of a week"], counts["picks of the draft"]) == (12, 44)
    assert counts["claims won"] > 5
    assert counts["claims that were due"] == counts["claims"]
    assert counts["trades executed"] > 0
    assert f"Champion: Team {comparison.champion}" in result_lines(done.league_id)

    for subject, change in CHANGES.items():
        assert db.session.execute(text(change)).rowcount == 1, subject
        differences = compare(done.league_id).differences
        db.session.rollback()
        assert any(re.search(subject, line) for line in differences), (subject, differences)

    with pytest.raises(SeasonExistsError, match="another --seed"):
        play(plan, lines.append)
