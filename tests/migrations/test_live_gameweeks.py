"""Migration 0132, in the middle of a gameweek whose points the version before had stored."""

from __future__ import annotations

import flask_migrate
import pytest
from flask import Flask
from sqlalchemy import text

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.market.models import Gameweek
from app.fantasy.standings.models import DRAFT, League, LeagueMember, LeagueScore
from app.fantasy.standings.ranking import HEAD_TO_HEAD, MODES, TIE_RULES, SeasonSoFar, standing
from tests.test_migrations import MIGRATIONS, empty
from tests.worlds.games import KICKOFF, make_game
from tests.worlds.leagues import make_league

__all__ = ["empty"]

MODES_AND_TIES = [
    (mode, ties)
    for mode in MODES
    for ties, rule in TIE_RULES.items()
    if mode == HEAD_TO_HEAD or not rule.is_between
]
# By member: points and transfers of week 2, which is settled, and of weeks 1 and 3, which are not.
WEEKS = {1: {2: (40_000, 2), 1: (3_000, 1), 3: (5_500, 3)}, 2: {2: (51_000, 0), 3: (-2_000, 4)}}


def season_so_far(member: int, weeks: set[int]) -> SeasonSoFar:
    played = {week: row for week, row in WEEKS[member].items() if week in weeks}
    return SeasonSoFar(
        match_points=3 if member == 1 else 0,
        total=sum(points for points, _ in played.values()),
        transfers=sum(transfers for _, transfers in played.values()),
        latest=tuple(played.get(week, (0, 0))[0] for week in (3, 2, 1)),
        between=3 if member == 1 else 0,
    )


def standing_of(league: League, season: SeasonSoFar) -> list[int]:
    """What the league ranks by; a draft league by a record that points do not move."""
    if league.game == DRAFT:
        return [-1, 1, 0, 0]
    return list(standing(league.mode, league.ties, season))


@pytest.fixture
def before(empty: Flask) -> list[League]:
    """Leagues of every mode and tie rule, with rows as the version before wrote them."""
    flask_migrate.upgrade(directory=str(MIGRATIONS), revision="0131")
    make_game()
    names = ("ann", "bob", "cat", "dan")
    members = [Member(username=name, display_name=name, password_hash="!") for name in names]
    db.session.add_all(members)
    db.session.flush()
    leagues = []
    for number, (mode, ties) in enumerate([*MODES_AND_TIES, ("total", "shared")]):
        teams = {1: "Anns", 2: "Bobs", 3: "Cats"}
        league = make_league(1, teams, slug=f"league{number}", weeks=3)
        league.mode, league.ties = mode, ties
        league.game = DRAFT if number == len(MODES_AND_TIES) else league.game
        leagues.append(league)
    db.session.flush()
    weeks = {week.week: week for week in db.session.scalars(db.select(Gameweek))}
    weeks[2].settled_at = KICKOFF
    for league in leagues:
        for member in WEEKS:
            row = db.session.get_one(LeagueMember, (league.id, member))
            season = season_so_far(member, {1, 2, 3})
            row.total_points = season.total
            row.standing = standing_of(league, season)
        for member, of_member in (*WEEKS.items(), (4, {1: (9_000, 0)})):
            db.session.add_all(
                LeagueScore(
                    league_id=league.id,
                    member_id=member,
                    gameweek_id=weeks[week].id,
                    team_name="Team",
                    points=points,
                    transfers=transfers,
                )
                for week, (points, transfers) in of_member.items()
            )
    db.session.flush()
    db.session.execute(
        text("""
            INSERT INTO counted_footballers (gameweek_id, counts_moved, rules, footballer_id,
              position, points, held, played, is_out)
            SELECT id, true, 'standard', 'H1', 'QB', 0, 0, true, false FROM gameweeks WHERE week = 3
        """)
    )
    db.session.commit()
    return leagues


def test_no_points_are_counted_twice(before: list[League]) -> None:
    """Week 1 was forgotten for a sheet that came late, and waits for its next refresh."""
    flask_migrate.upgrade(directory=str(MIGRATIONS), revision="0132")
    db.session.expire_all()
    for league in before:
        for member in WEEKS:
            row = db.session.get_one(LeagueMember, (league.id, member))
            season = season_so_far(member, {2})
            assert row.total_points == season.total
            assert list(row.standing) == standing_of(league, season), (league.mode, league.ties)
        cat = db.session.get_one(LeagueMember, (league.id, 3))
        assert (cat.total_points, list(cat.standing)) == (0, [0])
    score_weeks = db.session.execute(
        text("""
            SELECT DISTINCT s.member_id, w.week FROM league_scores s
            JOIN gameweeks w ON w.id = s.gameweek_id ORDER BY 1, 2
        """)
    )
    assert [tuple(row) for row in score_weeks] == [(1, 2), (2, 2), (4, 1)], (
        "what the settlement stored"
    )
    under_way = db.session.scalars(
        text("SELECT week FROM live_gameweeks JOIN gameweeks w ON w.id = gameweek_id ORDER BY 1")
    )
    assert under_way.all() == [1, 3]


def test_down_and_up_again(before: list[League]) -> None:
    flask_migrate.upgrade(directory=str(MIGRATIONS), revision="0132")
    flask_migrate.downgrade(directory=str(MIGRATIONS), revision="0131")
    assert db.session.scalar(text("SELECT count(*) FROM counted_footballers")) == 0
    db.session.commit()
    flask_migrate.upgrade(directory=str(MIGRATIONS), revision="0132")
    totals = db.session.execute(
        text("SELECT DISTINCT member_id, total_points FROM league_members ORDER BY 1")
    )
    assert [tuple(row) for row in totals] == [(1, 40_000), (2, 51_000), (3, 0)]
