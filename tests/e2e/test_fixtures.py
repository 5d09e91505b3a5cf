"""The season's fixtures of a head-to-head league on a phone, before and after somebody joins."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.standings.models import League
from app.fantasy.standings.schedules import pair_gameweek
from tests.e2e.looking import PHONE, looks_right
from tests.worlds.league_season import LeagueWorld
from tests.worlds.seasons import make_weekly_season

pytestmark = pytest.mark.e2e

PLAYED, WEEKS = 2, 6


@pytest.fixture
def league(member: Callable[..., Member]) -> League:
    """Ann, Bob and Cat play head to head; two of six gameweeks have been played."""
    first = clock.now() - timedelta(days=8)
    season, gameweeks = make_weekly_season(WEEKS, first, time_zone="America/New_York")
    world = LeagueWorld(member, season, gameweeks)
    founded = first - timedelta(days=3)
    league = world.league("The Row", now=founded, mode="head_to_head", ties="result_between")
    for name in ("bob", "cat"):
        world.join(league, name, founded)
    for gameweek in gameweeks[:PLAYED]:
        pair_gameweek(gameweek.id)
        gameweek.locked_at = gameweek.deadline
        db.session.commit()
    return league


def fixtures(page: Page) -> list[str]:
    """Gameweek, opponent and result of each fixture of the member."""
    expect(page.locator("#my-fixtures tbody tr")).to_have_count(WEEKS)
    return [
        " ".join(text.split()) for text in page.locator("#my-fixtures tbody tr").all_inner_texts()
    ]


def test_fixtures_of_the_season_are_seen_from_the_start_and_past_ones_stay_when_somebody_joins(
    league: League, member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    """A round robin: each of four teams meets each other once in any three gameweeks in a row."""
    member("dan")
    ann, dan = open_page("ann", viewport=PHONE), open_page("dan", viewport=PHONE)
    ann.goto("/leagues/the-row")
    ann.get_by_role("link", name="League", exact=True).click()
    looks_right(ann, "season-table")
    ann.get_by_role("link", name="Schedule", exact=True).click()
    weeks = ann.get_by_role("navigation", name="Weeks").get_by_role("link")
    expect(weeks).to_have_count(WEEKS)
    before = fixtures(ann)
    # of three teams one meets the average each week
    assert sum("The average" in fixture for fixture in before) == 2
    looks_right(ann, "fixtures")
    weeks.last.click()
    expect(ann.get_by_role("heading", name=f"Week {WEEKS} matchups")).to_be_visible()
    expect(ann.get_by_text("Upcoming").first).to_be_visible()
    expect(ann.locator(".matches li")).to_have_count(2)

    dan.goto(f"/join/{league.invite_code}")
    dan.get_by_label("Team name").fill("Dan FC")
    dan.get_by_role("button", name="Join the league").click()
    expect(dan.get_by_role("heading", name="The Row", exact=True)).to_be_visible()

    ann.reload()
    after = fixtures(ann)
    assert after[:PLAYED] == before[:PLAYED]
    to_come = [fixture.removesuffix(" Upcoming") for fixture in after[PLAYED:]]
    assert not any("The average" in fixture for fixture in to_come)
    opponents = [
        name for fixture in to_come for name in ("Bob FC", "Cat FC", "Dan FC") if name in fixture
    ]
    assert len(opponents) == len(to_come)
    assert set(opponents[:3]) == {"Bob FC", "Cat FC", "Dan FC"}
    ann.goto("/leagues/the-row/rules")
    expect(ann.get_by_text("Ties on match points go to")).to_be_visible()
