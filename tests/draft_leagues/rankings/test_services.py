"""Stored rankings and members' own lists, in the database."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from flask import Flask
from sqlalchemy import func, select, update

from app.accounts.models import Member
from app.core.db import db
from app.draft_leagues.rankings import queries, services
from app.draft_leagues.rankings.models import RankedFootballer, Ranking
from app.draft_leagues.rankings.queries import ListOwner
from app.draft_leagues.settings import PRESETS
from app.draft_leagues.setup import services as setup
from app.draft_leagues.setup.services import NewDraftLeague
from app.fantasy.market.models import FootballerSeason, Season
from app.fantasy.standings.models import League
from tests.worlds.draft_season import make_draft_season
from tests.worlds.games import KICKOFF

NOW = KICKOFF - timedelta(days=7)
REDRAFT = PRESETS["redraft"]


@pytest.fixture
def season(app: Flask) -> Season:
    return make_draft_season()


@pytest.fixture
def draft_league(season: Season, member: Callable[..., Member]) -> League:
    new = NewDraftLeague("The Yard", "Ann FC", season.id, REDRAFT)
    league = setup.found(member("ann").id, new, NOW)
    assert isinstance(league, League)
    return league


def test_a_ranking_is_computed_once_and_shared(season: Season) -> None:
    ranking = services.ranking_of(season.id, REDRAFT, NOW)
    db.session.commit()
    assert services.ranking_of(season.id, REDRAFT, NOW + timedelta(days=1)) == ranking
    assert db.session.scalar(select(func.count()).select_from(Ranking)) == 1
    # 12 clubs with 3 QB, 5 RB, 6 WR, 3 TE, a kicker and a defence; single defenders have no place.
    assert len(ranking) == 12 * (3 + 5 + 6 + 3 + 1 + 1)
    assert [each.rank for each in ranking] == list(range(1, len(ranking) + 1))


def test_a_ranking_follows_the_line_up(season: Season) -> None:
    """Two quarterbacks for each team raise the first of them."""
    first = {
        name: next(
            each.rank
            for each in services.ranking_of(season.id, PRESETS[name], NOW)
            if each.footballer_id == "HAR-QB1"
        )
        for name in ("redraft", "two-quarterback")
    }
    assert first["two-quarterback"] < first["redraft"]


def test_projections_count_the_games_left_and_tell_the_bye(season: Season) -> None:
    """Harbor plays 16 games and has its bye in gameweek 5."""
    ranking = services.ranking_of(season.id, REDRAFT, NOW)
    passer = next(each for each in ranking if each.footballer_id == "HAR-QB1")
    assert passer.bye_week == 5
    assert passer.points == pytest.approx(passer.per_game * passer.share / 1000 * 16, rel=0.01)
    assert queries.bye_weeks(season.id)["CAP"] == 9


def test_whoever_left_the_market_comes_last_in_the_next_ranking(season: Season) -> None:
    assert services.ranking_of(season.id, REDRAFT, NOW)[-1].footballer_id != "HAR-QB1"
    db.session.execute(
        update(FootballerSeason)
        .where(FootballerSeason.footballer_id == "HAR-QB1")
        .values(status="left")
    )
    ranking = services.make_ranking(season.id, REDRAFT, NOW)
    last = ranking[-1]
    assert (last.footballer_id, last.points, last.share) == ("HAR-QB1", 0, 0)
    assert db.session.scalar(select(func.count()).select_from(RankedFootballer)) == len(ranking)


def test_the_job_makes_each_ranking_once(
    draft_league: League, season: Season, member: Callable[..., Member]
) -> None:
    second = NewDraftLeague("Other", "Bob FC", season.id, REDRAFT)
    assert isinstance(setup.found(member("bob").id, second, NOW), League)
    assert services.refresh(NOW) == 1
    assert services.refresh(NOW + timedelta(hours=1)) == 1
    stored = queries.stored_ranking(season.id, REDRAFT.scoring, "10:QB1,RB2,WR2,TE1,FLEX1,K1,DST1")
    assert stored is not None
    assert stored[0] == NOW + timedelta(hours=1)


def test_a_member_orders_footballers_on_top_of_the_ranking(draft_league: League) -> None:
    ann = draft_league.commissioner_id or 0
    ranking = ["a", "b", "c", "d"]

    def move(footballer: str, place: int) -> list[str]:
        refused = services.move(ListOwner(draft_league.id, ann), footballer, place, ranking, NOW)
        return [refusal.code for refusal in refused]

    assert move("d", 1) == []
    assert move("b", 99) == []
    assert queries.order_for(ListOwner(draft_league.id, ann), ranking) == ["d", "a", "c", "b"]
    assert move("x", 1) == ["footballer"]
    services.forget_list(ListOwner(draft_league.id, ann))
    assert queries.order_for(ListOwner(draft_league.id, ann), ranking) == ranking


def test_the_leagues_own_list_is_under_that_of_a_member(draft_league: League) -> None:
    ann = draft_league.commissioner_id or 0
    ranking = ["a", "b", "c", "d"]
    services.replace_list(ListOwner(draft_league.id, None), ["c", "d"], {"c": 5}, "league.csv", NOW)
    services.replace_list(ListOwner(draft_league.id, ann), ["d"], {}, "mine.csv", NOW)
    assert queries.order_for(ListOwner(draft_league.id, ann), ranking) == ["d", "c", "a", "b"]
    assert queries.order_for(ListOwner(draft_league.id, None), ranking) == ["c", "d", "a", "b"]


def test_two_moves_at_once_are_both_kept(app: Flask, draft_league: League) -> None:
    ann = draft_league.commissioner_id or 0
    league_id = draft_league.id
    ranking = [f"f{number}" for number in range(20)]
    together = Barrier(2, timeout=20)

    def move(footballer: str) -> list[object]:
        with app.app_context():
            together.wait()
            return [*services.move(ListOwner(league_id, ann), footballer, 1, ranking, NOW)]

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(move, ("f18", "f19"))) == [[], []]
    db.session.rollback()
    assert set(queries.order_for(ListOwner(league_id, ann), ranking)[:2]) == {"f18", "f19"}
