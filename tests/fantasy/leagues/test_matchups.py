"""Who plays whom (PRODUCT B5): a fair round robin, and pairs that stay once they are made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from sqlalchemy import select

from app.core.db import db
from app.fantasy.standings.matchups import match_points, pair_gameweek, pairings
from app.fantasy.standings.models import LeagueMember, Matchup
from tests.worlds.league_season import LeagueWorld


@pytest.mark.parametrize("size", [2, 4, 6, 12])
def test_an_even_number_all_meet_once_a_lap(size: int) -> None:
    members = list(range(10, 10 + size))
    for lap in range(3):
        met = Counter(
            frozenset(pair) for turn in range(size - 1) for pair in pairings(members, lap * (size - 1) + turn)
        )
        assert len(met) == size * (size - 1) // 2
        assert set(met.values()) == {1}


@pytest.mark.parametrize("size", [3, 5, 11])
def test_of_an_odd_number_each_plays_the_average_once_a_lap(size: int) -> None:
    members = list(range(size))
    pairs = [pair for turn in range(size) for pair in pairings(members, turn)]
    assert Counter(home for home, away in pairs if away is None) == Counter(members)
    met = Counter(frozenset(pair) for pair in pairs if pair[1] is not None)
    assert len(met) == size * (size - 1) // 2
    assert set(met.values()) == {1}


@pytest.mark.parametrize("size", [2, 3, 4, 7, 12])
def test_everybody_has_one_game_a_round_and_the_second_lap_exchanges_home_and_away(size: int) -> None:
    members = list(range(size))
    rounds = size - 1 if size % 2 == 0 else size
    for turn in range(rounds):
        pairs = pairings(members, turn)
        assert sorted(member for pair in pairs for member in pair if member is not None) == members
        assert {(away, home) for home, away in pairs if away is not None} == {
            (home, away) for home, away in pairings(members, turn + rounds) if away is not None
        }


def test_a_league_of_one_has_no_games() -> None:
    assert pairings([7], 3) == []
    assert pairings([], 0) == []


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


def test_a_gameweek_is_paired_once_and_only_where_leagues_play_head_to_head(
    make_world: Callable[..., LeagueWorld],
) -> None:
    world = make_world()
    duel, table = world.league("Duel", mode="head_to_head"), world.league("Table")
    for name in ("bob", "cat", "dan"):
        world.join(duel, name)
        world.join(table, name)
    first, second = world.gameweeks[:2]
    assert pair_gameweek(first.id) == 2
    made = pairs_of(duel.id, first.id)
    assert sorted(member for pair in made for member in pair if member is not None) == sorted(world.ids.values())
    assert pairs_of(table.id, first.id) == []

    db.session.add(LeagueMember(league_id=duel.id, member_id=world.member("eve"), team_name="Late"))
    db.session.commit()
    assert pair_gameweek(first.id) == 0
    assert pairs_of(duel.id, first.id) == made
    assert pair_gameweek(second.id) == 3
    assert [home for home, away in pairs_of(duel.id, second.id) if away is None] != []
