"""A league as members, founders and prospective members see it, on phone and laptop."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Page, Route, expect

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.services import NewLeague
from app.fantasy.standings.models import League
from tests.e2e.looking import PHONE, looks_right
from tests.fantasy.leagues.test_first_week import BETWEEN
from tests.waiting import until
from tests.worlds.played_league import CHOICE, add_sheet, played_league
from tests.worlds.seasons import make_weekly_season

pytestmark = pytest.mark.e2e

YARDS = ({"ann": 50, "bob": 40, "cat": 30, "dan": 20}, {"ann": 10, "bob": 40, "cat": 30, "dan": 90})


def test_a_league_is_read_before_joining_and_says_from_when_it_counts(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    ids = {name: member(name).id for name in YARDS[0]}
    played = played_league(ids, YARDS, mode="head_to_head")
    late = leagues.create(
        ids["ann"],
        NewLeague(
            "The Late Row",
            "Ann FC",
            played.league.season_id,
            CHOICE,
            "standard_idp",
            is_public=True,
        ),
        BETWEEN,
    )
    assert isinstance(late, League)
    member("eve")
    db.session.commit()
    eve, ann = open_page("eve", viewport=PHONE), open_page("ann", viewport=PHONE)

    eve.goto("/leagues/public")
    eve.get_by_role("link", name="Standings").click()
    expect(eve.get_by_role("heading", name="The Late Row")).to_be_visible()
    expect(eve.get_by_text("Counts from Week 3.")).to_be_visible()
    looks_right(eve, "public-table")
    eve.get_by_role("link", name="Join this league").click()
    expect(eve.get_by_role("heading", name="Join The Late Row")).to_be_visible()

    ann.goto("/leagues/the-row/matchups?week=1")
    expect(ann.get_by_role("heading", name="Week 1 matchups")).to_be_visible()
    ann.goto("/leagues/the-row/adjust")
    ann.get_by_label("Find by team or name").press_sequentially("da")
    expect(ann.get_by_role("radio")).to_have_count(1)
    looks_right(ann, "find-member")


def test_what_is_typed_before_htmx_is_there_is_searched_for(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    played_league({name: member(name).id for name in YARDS[0]}, YARDS)
    db.session.commit()
    ann = open_page("ann", viewport=PHONE)
    routes: list[Route] = []
    ann.route("**/vendor/htmx-*", lambda route: routes.append(route))  # a slow network
    ann.goto("/leagues/the-row/adjust", wait_until="commit")
    ann.get_by_label("Find by team or name").press_sequentially("da")
    until(lambda: bool(ann.evaluate("1") and routes), "the browser asks for htmx")
    expect(ann.get_by_role("radio")).to_have_count(4)
    routes[0].continue_()
    expect(ann.get_by_role("radio")).to_have_count(1)


def test_the_founder_reads_which_teams_stop_counting_before_the_rules_change(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    season, (gameweek,) = make_weekly_season(1, clock.now() + timedelta(days=30), 2099)
    founder = member("ann").id
    league = leagues.create(
        founder, NewLeague("The Row", "Ann FC", season.id, CHOICE, "standard_idp"), clock.now()
    )
    assert isinstance(league, League)
    add_sheet(founder, league, gameweek, "", clock.now())
    db.session.commit()
    ann = open_page("ann", viewport=PHONE, expect_errors=["422"])

    ann.goto("/leagues/the-row/settings")
    ann.get_by_label("Budget").fill("110.0")
    ann.get_by_role("button", name="Save rules").click()
    expect(ann.get_by_role("heading", name="1 lineup stops counting")).to_be_visible()
    expect(ann.get_by_role("row", name="Ann FC")).to_contain_text("none yet")
    looks_right(ann, "stopping")
    ann.get_by_role("button", name="Change the rules").click()
    expect(ann.get_by_text("Saved.")).to_be_visible()
    expect(ann.get_by_label("Budget")).to_have_value("110.0")
