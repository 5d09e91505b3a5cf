"""A postponed game without a new date, and started games, as seen while picking a team."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text

from app.core import clock
from app.core.db import db
from app.fantasy.market.gameweeks import games_of
from app.fantasy.market.listing import fixtures
from app.fantasy.market.models import TeamRules
from app.fantasy.standings.models import LeagueMember
from app.record.models import Game, GameState
from tests.fantasy.sheets.test_fitting import offers
from tests.fantasy.sheets.test_sheet_views import HTMX, draft, page
from tests.worlds.team_sheets import CLUBS, TEAM, World, make_world

AYR = "cup-1-AYR"


def declare(game_id: str, status: str) -> None:
    db.session.add(
        GameState(
            game_id=game_id,
            status=status,
            home_score=0,
            away_score=0,
            state={},
            version=1,
            updated_at=clock.now(),
        )
    )
    db.session.commit()


@pytest.mark.parametrize(
    ("postponed_games", "words"),
    [("played", "If moved to another week, it counts there."), ("never", "it will not count.")],
)
def test_a_postponed_game_without_a_date_is_explained_where_teams_are_picked_and_compared(
    world: World, ann: FlaskClient, postponed_games: str, words: str
) -> None:
    before = ann.get(page(world)).text
    assert "Postponed without" not in before
    db.session.get_one(TeamRules, world.team_rules.id).postponed_games = postponed_games
    member = db.session.scalar(text("SELECT id FROM members WHERE username = 'ann'"))
    db.session.merge(LeagueMember(league_id=world.overall.id, member_id=member, team_name="Ann FC"))
    declare(AYR, "postponed")
    for address in (page(world), "/leagues/cup-overall"):
        html = ann.get(address).text
        assert "Postponed without a new date: Bur at Ayr. The deadline stays, and" in html, address
        assert "Week 1 finishes without this game." in html, address
        assert words in html, address
    deadline = world.deadline(1).isoformat()
    assert f'<time datetime="{deadline}" data-style="weekday">' in ann.get(page(world)).text
    market = ann.get(
        f"{page(world)}/market",
        query_string=draft(world, ("",) * 7) | {"club": "AYR"},
        headers=HTMX,
    ).text
    assert "AYR vs BUR, postponed</small>" in market, "and no kickoff beside it"


def test_a_club_with_another_game_is_not_off(world: World) -> None:
    other = Game(
        id="cup-1-BUR",
        season=2026,
        season_type="REG",
        week=1,
        kickoff=world.deadline(1) + timedelta(days=2),
        home_id="BUR",
        away_id="AYR",
        competition="cup",
    )
    db.session.add(other)
    declare(AYR, "postponed")
    by_club = fixtures(games_of(world.gameweeks[0]))
    assert (by_club["AYR"].kickoff, by_club["AYR"].is_off, by_club["AYR"].games) == (
        other.kickoff,
        False,
        2,
    )


def test_any_that_fits_lists_nobody_whose_game_has_begun_where_each_locks_at_their_kickoff(
    sign_in: Callable[..., FlaskClient],
) -> None:
    world = make_world(lock="game", real=True, first=clock.now() + timedelta(days=2))
    ann = sign_in(username="ann")
    nobody = draft(world, ("",) * len(TEAM))
    market = f"{page(world)}/market"

    def clubs() -> set[str]:
        pages = (
            ann.get(market, query_string=nobody | {"page": number}, headers=HTMX).text
            for number in (1, 2)
        )
        return {name.split()[0].upper() for text in pages for name in offers(text)}

    assert clubs() == set(CLUBS)
    declare(AYR, "live")
    assert clubs() == {"CRK", "DOV"}
    chosen = ann.get(market, query_string=nobody | {"position": "GK"}, headers=HTMX).text
    assert "Ayr 1" in chosen, "somebody who is looked for by position is shown, with the reason"
