"""The simulated season's calendar and cast, and that it goes on where it was cut short."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask

from app.core.db import db
from app.demo.clubs import CLUBS
from app.demo.year import cast, preparation, run
from app.demo.year.calendar import calendar, fit
from app.demo.year.preparation import Options
from app.demo.year.run import simulate
from app.demo.year.tables import FinalTable, final_tables
from tests.conftest import emptied
from tests.fantasy.seasons import plain_facts, plain_season

SMALL = Options(seed=7, gameweeks=2, leagues=12, gamers=40)


@pytest.mark.parametrize("seed", range(5))
def test_every_club_plays_at_most_once_a_gameweek_and_all_meet(seed: int) -> None:
    weeks = calendar(seed, 18)
    for week in weeks:
        playing = Counter(club for game in week.games for club in (game.home, game.away))
        assert set(playing.values()) == {1}
        assert len(week.games) == (3 if week.number in range(6, 10) else 4)
    pairs = {frozenset((game.home, game.away)) for week in weeks for game in week.games}
    assert len(pairs) == len(CLUBS) * (len(CLUBS) - 1) // 2
    assert len({game.id for week in weeks for game in week.games}) == 18 * 4 - 4


def test_games_begin_at_the_same_hour_by_the_clocks_of_both_halves_of_the_year() -> None:
    sundays = [week.games[1].kickoff for week in calendar(1, 18)]
    assert [sundays[7].hour, sundays[8].hour] == [17, 18]  # 13:00 in summer and in winter time
    assert sundays[8] - sundays[7] == timedelta(days=7, hours=1)


def test_a_club_can_field_a_team_whoever_is_injured() -> None:
    for week in calendar(1, 18):
        for roster in fit(week).values():
            fielded = Counter(player.position for player in roster)
            assert all(
                fielded[position]
                for position in ("QB", "RB", "WR", "TE", "OL", "K", "P", "DL", "LB", "CB", "S")
            )
    assert any(week.injured for week in calendar(1, 18))


def test_the_same_seed_is_the_same_season_and_another_another() -> None:
    assert calendar(3, 5) == calendar(3, 5) != calendar(4, 5)
    assert cast.gamers(3, 50) == cast.gamers(3, 50) != cast.gamers(4, 50)


def test_more_leagues_than_planned_have_names_of_their_own() -> None:
    plans = cast.leagues(30)
    assert len({plan.name for plan in plans}) == 30
    assert sum(plan.is_overall for plan in plans) == 1


def test_an_odd_league_stays_odd_in_a_small_season() -> None:
    odd = [plan for plan in cast.PLANS if plan.size % 2]
    assert odd
    assert all(len(cast.members(1, plan, 100)) % 2 for plan in odd)


def test_every_number_of_a_small_season_is_the_recomputed_one(app: Flask) -> None:
    """The same for the whole season, and that one wrong number would be found.

    Test_whole_season.py.
    """
    season_id = simulate(SMALL, lambda _: None).season_id
    facts = plain_facts.read(db.session, season_id)
    assert len(facts.sheets) > 0
    assert plain_season.differences(db.session, season_id, plain_season.recompute(facts)) == []


class _CutShortError(Exception):
    pass


def _cut(function: Callable[..., Any], at: int) -> Callable[..., Any]:
    """The function, interrupted at call number `at`."""
    calls = iter(range(1, 100_000))

    def cut(*args: Any, **kwargs: Any) -> Any:
        if next(calls) == at:
            raise _CutShortError
        return function(*args, **kwargs)

    return cut


def _played() -> list[FinalTable]:
    return final_tables(simulate(SMALL, lambda _: None).season_id)


# In this order: each lets the season come as far as the next.
CUTS: tuple[tuple[Any, str, int], ...] = (
    (preparation.leagues, "join", 30),
    (run.sheets, "save", 70),
    (run, "ingest_batch", 3),
    (run.live, "refresh_game", 2),
    (run.settlement, "settle", 2),
)


@pytest.mark.full
@pytest.mark.timeout(600)
def test_a_season_that_was_cut_short_goes_on_and_ends_as_if_it_had_not_been(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = _played()
    db.session.rollback()  # an open reading would keep the tables from being emptied
    with emptied(app):
        for module, name, at in CUTS:
            with monkeypatch.context() as patch:
                patch.setattr(module, name, _cut(getattr(module, name), at))
                with pytest.raises(_CutShortError):
                    _played()
        assert _played() == whole
