"""From stat lines to league tables: sheets, captains, versions, boards.

Running twice changes nothing.
"""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import select

from app.core.db import db
from app.core.redis.clients import boards_redis
from app.fantasy.gameweeks import refreshing
from app.fantasy.gameweeks.live import refresh_behind, refresh_game, refresh_gameweek
from app.fantasy.standings import boards, queries
from app.fantasy.standings.boards import league_board, publish_all_boards, table_points
from app.fantasy.standings.models import League, LeagueVersion
from app.record import events as ev
from tests.killing import Killed, die
from tests.worlds.games import DRIVE, NOW, ingest, make_game, messages
from tests.worlds.leagues import make_league
from workers.jobs import ingest_events, reconcile_boards
from workers.jobs import refresh_gameweek as refresh_job


def test_a_table_counts_the_captain_twice_and_everybody_has_a_place(league: League) -> None:
    ingest(messages(DRIVE))
    assert refresh_game("g1", NOW) == [league.id]
    # Ann: 2 x 6.6 for the passer, 1.0 for the runner. Bob: 12.5. Cat has no sheet.
    assert table_points(league.id, 1) == {1: 14_200, 2: 12_500, 3: 0}
    assert league_board(league.id, 1).published() == (1, {"1": 14_200, "2": 12_500, "3": 0})


def test_refreshing_again_changes_nothing(league: League) -> None:
    ingest(messages(DRIVE))
    refresh_game("g1", NOW)
    assert refresh_game("g1", NOW + timedelta(seconds=1)) == []
    assert db.session.scalars(select(LeagueVersion.version)).all() == [1]


def test_points_taken_away_come_off_the_table(league: League) -> None:
    ingest(messages(DRIVE))
    refresh_game("g1", NOW)
    ingest(messages([ev.Nullify(events=(8, 9))], first=12))
    refresh_game("g1", NOW)
    assert table_points(league.id, 1) == {1: 1_000, 2: 0, 3: 0}
    assert league_board(league.id, 1).published() == (2, {"1": 1_000, "2": 0, "3": 0})


def test_a_change_of_a_games_status_alone_makes_a_new_version(league: League) -> None:
    ingest(messages(DRIVE))
    refresh_game("g1", NOW)
    ingest(messages([ev.GameEnded()], first=12))
    assert refresh_game("g1", NOW) == [league.id]


def test_a_game_of_another_week_changes_nothing(league: League) -> None:
    make_game("g2", week=2)
    ingest(messages(DRIVE, "g2"))
    assert refresh_game("g2", NOW) == []
    assert table_points(league.id, 1) == {1: 0, 2: 0, 3: 0}


def test_a_board_that_redis_lost_comes_back_equal(league: League) -> None:
    ingest(messages(DRIVE))
    refresh_game("g1", NOW)
    before = league_board(league.id, 1).published()
    boards_redis().flushall()
    assert publish_all_boards() == 1
    assert league_board(league.id, 1).published() == before
    assert publish_all_boards() == 0


def test_a_refresh_whose_board_was_not_written_is_made_good(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(messages(DRIVE))
    with monkeypatch.context() as patch:
        # killed right after the commit
        patch.setattr("app.fantasy.gameweeks.live.publish_live", lambda *_: None)
        refresh_game("g1", NOW)
    assert league_board(league.id, 1).published() is None
    refresh_game("g1", NOW)
    assert league_board(league.id, 1).published() == (1, {"1": 14_200, "2": 12_500, "3": 0})


def test_a_gameweek_is_behind_until_a_refresh_has_seen_the_last_change_of_its_games(
    league: League,
) -> None:
    assert refreshing.gameweeks_behind() == []
    ingest(messages(DRIVE))
    assert refreshing.gameweeks_behind() == [1]
    refresh_behind(1, NOW)
    assert refreshing.gameweeks_behind() == []
    ingest(messages([ev.Timeout(reason="tv")], first=len(DRIVE) + 1))
    assert refreshing.gameweeks_behind() == [1]
    refresh_game("g1", NOW)
    assert refreshing.gameweeks_behind() == []


def test_a_refresh_that_dies_before_its_commit_leaves_the_gameweek_behind(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(messages(DRIVE))
    with monkeypatch.context() as patch:
        patch.setattr("app.fantasy.standings.versions.bump", die)  # the last step before the commit
        with pytest.raises(Killed):
            refresh_behind(1, NOW)
    db.session.rollback()
    assert refreshing.gameweeks_behind() == [1]


def test_what_comes_in_while_a_refresh_runs_is_behind_after_it(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(messages(DRIVE))
    before = refreshing.seen(1)
    with monkeypatch.context() as patch:
        patch.setattr(refreshing, "seen", lambda _gameweek: before)  # read before the play came
        ingest(messages([ev.Timeout(reason="tv")], first=len(DRIVE) + 1))
        refresh_gameweek(1, NOW)
    assert refreshing.gameweeks_behind() == [1]


def test_running_the_jobs_twice_changes_nothing(league: League) -> None:
    batch = [message.to_json() for message in messages(DRIVE)]
    for _ in range(2):
        ingest_events.run(batch)
        refresh_job.run(1)
        reconcile_boards.run()
    assert league_board(league.id, 1).published() == (1, {"1": 14_200, "2": 12_500, "3": 0})


def test_more_tables_than_a_refresh_publishes_are_worked_out_when_they_are_shown(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_league(2, {2: "Bobs"}, slug="other")
    db.session.commit()
    monkeypatch.setattr(boards, "MOST_PUBLISHED", 1)
    monkeypatch.setitem(boards.LIMITS, "most", 1)
    ingest(messages(DRIVE))
    refresh_game("g1", NOW)
    assert league_board(league.id, 1).published() is None
    assert publish_all_boards() == 0
    rows = queries.standings(league.id, 1)
    assert [(row.member_id, row.points) for row in rows] == [(1, 14_200), (2, 12_500), (3, 0)]
