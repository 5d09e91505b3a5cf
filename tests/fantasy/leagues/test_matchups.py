"""Head-to-head leagues (PRODUCT B5).

Match points, and fixtures that are stored for the season and stay once locked.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import delete, select, text

from app.accounts.models import Member
from app.accounts.players import player_of
from app.core.db import db
from app.fantasy.leagues import services as leagues
from app.fantasy.market.models import Gameweek
from app.fantasy.market.seasons import gameweeks_of
from app.fantasy.standings import results
from app.fantasy.standings.fixtures import match_points
from app.fantasy.standings.models import LeagueMember, Matchup
from app.fantasy.standings.schedules import pair_gameweek
from app.moderation import privacy, sanctions
from tests.worlds.added_weeks import add_gameweek
from tests.worlds.league_season import AFTER, LeagueWorld


def test_match_points() -> None:
    table = {
        "a win and a loss": ({1: 2, 2: 1}, [(1, 2)], {1: 3, 2: 0}),
        "a draw": ({1: -500, 2: -500}, [(1, 2)], {1: 1, 2: 1}),
        "no score is 0": ({1: -1}, [(1, 2)], {1: 0, 2: 3}),
        "better than the average": ({1: 0, 2: 0, 3: 1}, [(1, 2), (3, None)], {1: 1, 2: 1, 3: 3}),
        "worse than the average by a third of a thousandth": (
            {1: 1, 2: 0, 3: 0},
            [(1, 2), (3, None)],
            {1: 3, 2: 0, 3: 0},
        ),
        "the average of those who play alone counts": (
            {1: 5, 2: 5, 3: 5, 9: 99},
            [(1, 2), (3, None)],
            {1: 1, 2: 1, 3: 1},
        ),
    }
    for word, (scores, pairs, expected) in table.items():
        assert match_points(scores, pairs) == expected, word


def pairs_of(league_id: int, gameweek_id: int) -> list[tuple[int, int | None]]:
    query = select(Matchup.home_id, Matchup.away_id).where(
        Matchup.league_id == league_id, Matchup.gameweek_id == gameweek_id
    )
    return [(home, away) for home, away in db.session.execute(query.order_by(Matchup.home_id))]


def lock(gameweek: Gameweek) -> None:
    assert pair_gameweek(gameweek.id) > 0
    gameweek.locked_at = gameweek.deadline
    db.session.commit()


def test_a_gameweek_is_paired_once_and_only_where_leagues_play_head_to_head(
    make_world: Callable[..., LeagueWorld],
) -> None:
    world = make_world()
    duel, table = world.league("Duel", mode="head_to_head"), world.league("Table")
    for name in ("bob", "cat", "dan"):
        world.join(duel, name)
        world.join(table, name)
    first, second = world.gameweeks[:2]
    lock(first)
    pairs = pairs_of(duel.id, first.id)
    assert sorted(member for pair in pairs for member in pair if member is not None) == sorted(
        world.ids.values()
    )
    assert pairs_of(table.id, first.id) == []

    db.session.add(LeagueMember(league_id=duel.id, member_id=world.member("eve"), team_name="Late"))
    db.session.commit()
    assert pair_gameweek(second.id) == 3
    assert pairs_of(duel.id, first.id) == pairs
    assert [home for home, away in pairs_of(duel.id, second.id) if away is None] != []


def test_a_gameweek_that_is_imported_later_has_fixtures_at_once_and_earlier_ones_stay(
    make_world: Callable[..., LeagueWorld],
) -> None:
    """Four members meet each other once in three gameweeks, then again (fixtures.py)."""
    world = make_world()
    duel = world.league("Duel", mode="head_to_head")
    for name in ("bob", "cat", "dan"):
        world.join(duel, name)
    lock(world.gameweeks[0])
    before = [pairs_of(duel.id, gameweek.id) for gameweek in world.gameweeks]
    add_gameweek(5, world.gameweeks[3].deadline + timedelta(days=7))
    fifth = gameweeks_of(world.season.id)[4]
    assert [pairs_of(duel.id, gameweek.id) for gameweek in world.gameweeks] == before
    assert {frozenset(pair) for pair in pairs_of(duel.id, fifth.id)} == {
        frozenset(pair) for pair in before[1]
    }


def test_games_of_a_gameweek_come_by_the_home_members_id_however_their_rows_lie(
    make_world: Callable[..., LeagueWorld],
) -> None:
    """As standings/games.py lists them.

    The replay showed them in another order each time that fixtures were drawn.
    """
    world = make_world()
    duel = world.league("Duel", mode="head_to_head")
    for name in ("bob", "cat", "dan", "eve", "fay"):
        world.join(duel, name)
    first = world.gameweeks[0]
    lock(first)
    pairs = pairs_of(duel.id, first.id)
    db.session.execute(delete(Matchup).where(Matchup.gameweek_id == first.id))
    for home, away in reversed(pairs):
        db.session.add(Matchup(league_id=duel.id, gameweek_id=first.id, home_id=home, away_id=away))
        db.session.flush()
    # PostgreSQL then gives rows as they lie
    for scan in ("indexscan", "indexonlyscan", "bitmapscan"):
        db.session.execute(text(f"SET LOCAL enable_{scan} = off"))
    assert results.pairs_of(first.id, [duel.id])[duel.id] == pairs


@pytest.mark.parametrize("leaver", ["bob", "cat", "dan"])
def test_the_whole_season_is_there_from_the_start_and_gameweeks_that_are_locked_stay(
    make_world: Callable[..., LeagueWorld], leaver: str
) -> None:
    """Of four everybody meets everybody in three gameweeks.

    Somebody who leaves after the first gives their games to the average, and no pair of the first
    meets again in the second, whoever it is: a round robin of those who stay would repeat the pair
    of Ann and Dan after Bob or Cat has left.
    """
    world = make_world()
    duel = world.league("Duel", mode="head_to_head")
    for name in ("bob", "cat", "dan"):
        world.join(duel, name)

    def season() -> list[set[frozenset[int | None]]]:
        db.session.rollback()
        return [
            {frozenset(pair) for pair in pairs_of(duel.id, week.id)} for week in world.gameweeks
        ]

    before = season()
    assert [len(pairs) for pairs in before] == [2, 2, 2, 2]
    assert len(set.union(*before[:3])) == 6
    lock(world.gameweeks[0])
    assert season() == before

    left = world.ids[leaver]
    assert leagues.leave(left, duel.id, AFTER) is None
    after = season()
    assert after[0] == before[0]
    assert after[1:3] == [
        {frozenset(None if member == left else member for member in pair) for pair in week}
        for week in before[1:3]
    ]
    assert leagues.join(left, duel.id, "Back FC", AFTER) is None
    assert [{member for pair in week for member in pair} for week in season()[1:]] == [
        set(world.ids.values())
    ] * 3


@pytest.mark.parametrize(
    ("measure", "plays"), [("erase", False), (sanctions.BAN, False), (sanctions.SUSPENSION, True)]
)
def test_whoever_is_gone_for_good_is_paired_no_more(
    make_world: Callable[..., LeagueWorld], measure: str, plays: bool
) -> None:
    world = make_world()
    duel = world.league("Duel", mode="head_to_head")
    for name in ("bob", "cat", "dan"):
        world.join(duel, name)
    lock(world.gameweeks[0])
    first = pairs_of(duel.id, world.gameweeks[0].id)
    dan = world.ids["dan"]
    if measure == "erase":
        privacy.erase(dan, by=dan, reason="asked", now=AFTER)
    else:
        until = AFTER + timedelta(days=3) if measure == sanctions.SUSPENSION else None
        player = player_of(db.session.get_one(Member, dan)).id
        sanctions.impose(
            player, sanctions.Measure(measure, until), by=None, reason="cheating", now=AFTER
        )
    assert pairs_of(duel.id, world.gameweeks[0].id) == first
    for gameweek in world.gameweeks[1:]:
        assert (
            dan in {member for pair in pairs_of(duel.id, gameweek.id) for member in pair}
        ) is plays
