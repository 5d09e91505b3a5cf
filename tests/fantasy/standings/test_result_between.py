"""Head-to-head leagues whose ties are broken by the result between the teams.

By docs/glossary.md: match points of the games among these teams, once, then total points, then a
shared rank.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select, text
from sqlalchemy.exc import IntegrityError

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.leagues import adjustments
from app.fantasy.leagues import export as league_export
from app.fantasy.leagues import importing as league_import
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.adjustments import NewAdjustment
from app.fantasy.leagues.importing import BadLeagueError
from app.fantasy.leagues.rules import read_table_rules
from app.fantasy.standings import places
from app.fantasy.standings.models import LeagueMember, LeagueScore
from app.fantasy.standings.preview import ledger_of, table
from tests.snapshots import made_once
from tests.worlds.played_league import SETTLED, Played, played_league

# Ann meets Dan, Cat, Bob and Dan; Bob meets Cat, Dan, Ann and Cat. Ann, Bob and Cat have five match
# points, Dan six.
YARDS = (
    {"ann": 30, "bob": 10, "cat": 10, "dan": 40},
    {"ann": 30, "bob": 30, "cat": 30, "dan": 20},
    {"ann": 40, "bob": 40, "cat": 10, "dan": 40},
    {"ann": 30, "bob": 10, "cat": 20, "dan": 10},
)
# Of the games among the three Cat has five (two draws and a win), Ann and Bob two (two draws): Cat
# is ahead of both, with fewer points than either, and points decide between those two.
EXPECTED = {
    "dan": (6, 0, 22_000),
    "cat": (5, 5, 14_000),
    "ann": (5, 2, 26_000),
    "bob": (5, 2, 18_000),
}


@pytest.fixture
@made_once
def played(member: Callable[..., Member]) -> Played:
    ids = {name: member(name).id for name in ("ann", "bob", "cat", "dan")}
    return played_league(ids, YARDS, mode="head_to_head", ties="result_between")


def standings(played: Played) -> dict[str, tuple[int, ...]]:
    query = select(LeagueMember.member_id, LeagueMember.standing).where(
        LeagueMember.league_id == played.league.id
    )
    points = dict(db.session.execute(query).all())
    return {
        name: tuple(points[member]) for name, member in played.members.items() if member in points
    }


def ranks(played: Played) -> dict[str, int | None]:
    query = select(LeagueScore.member_id, LeagueScore.rank).where(
        LeagueScore.league_id == played.league.id, LeagueScore.gameweek_id == played.gameweeks[3].id
    )
    points = dict(db.session.execute(query).all())
    return {name: points[member] for name, member in played.members.items()}


def previewed(played: Played) -> dict[str, tuple[int, ...]]:
    places_of = table(ledger_of(played.league))
    return {
        name: places_of[member].standing
        for name, member in played.members.items()
        if member in places_of
    }


def test_games_among_equal_teams_come_before_total_points(played: Played) -> None:
    assert standings(played) == previewed(played) == EXPECTED
    assert ranks(played) == {"dan": 1, "cat": 2, "ann": 3, "bob": 4}


def test_match_points_of_one_order_the_others_anew(played: Played) -> None:
    """Dan loses his first game to Ann by an adjustment.

    Ann has eight, and of Bob and Cat, still level, Cat won a game and drew the other. What is
    written for Ann alone is everybody's order.
    """
    league = played.league
    adjustments.apply(
        league,
        NewAdjustment(played.members["dan"], played.gameweeks[0].id, -3_000),
        "Fielded twice",
        played.members["ann"],
        SETTLED,
    )
    after = {
        "ann": (8, 0, 26_000),
        "cat": (5, 4, 14_000),
        "bob": (5, 1, 18_000),
        "dan": (3, 0, 19_000),
    }
    assert standings(played) == previewed(played) == after
    assert ranks(played) == {"ann": 1, "cat": 2, "bob": 3, "dan": 4}
    db.session.execute(text("UPDATE league_members SET standing = '{0}'"))
    places.stand([(league.id, played.members["ann"])])
    assert standings(played) == after


def test_whoever_is_gone_from_the_table_is_not_among_the_equal_teams(played: Played) -> None:
    """Without Cat the game between Ann and Bob counts, a draw, and then their points."""
    assert leagues.remove(played.league.id, played.members["cat"], SETTLED) is None
    assert (
        standings(played)
        == previewed(played)
        == {"dan": (6, 0, 22_000), "ann": (5, 1, 26_000), "bob": (5, 1, 18_000)}
    )


def test_it_is_for_head_to_head_alone(played: Played) -> None:
    assert read_table_rules("head_to_head", "result_between") == []
    assert [refusal.field for refusal in read_table_rules("total", "result_between")] == ["ties"]
    document = league_export.as_json(league_export.document(played.league, SETTLED, usernames=True))
    with pytest.raises(BadLeagueError, match="needs the mode 'head_to_head'"):
        league_import.read(document.replace(b'"head_to_head"', b'"total"'))
    with pytest.raises(IntegrityError, match="ck_leagues_result_between"):
        db.session.execute(text("UPDATE leagues SET mode = 'total'"))


def test_members_read_it(played: Played, sign_in: Callable[..., FlaskClient]) -> None:
    ann = sign_in(username="ann")
    for page in ("rules", "how-to-play"):
        assert "games between the tied teams" in ann.get(f"/leagues/the-row/{page}").text, page
