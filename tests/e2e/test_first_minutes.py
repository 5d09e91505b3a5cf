"""The first five minutes.

Invited by a friend, a newcomer has a team in a league, and knows what happens next.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.standings.models import League, LeagueMember
from tests.conftest import PASSWORD
from tests.e2e.looking import PHONE, looks_right
from tests.worlds.team_sheets import make_nfl, rows

pytestmark = pytest.mark.e2e


def test_an_invited_newcomer_is_led_to_a_team_that_plays(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    ann = member("ann")
    world = make_nfl(first=clock.now() + timedelta(days=2))
    league = League(
        season_id=world.season_id,
        team_rules_id=world.team_rules.id,
        slug="row",
        name="The Press Row",
        invite_code="ABCDEFGH",
        rules=world.overall.rules,
        commissioner_id=ann.id,
    )
    db.session.add(league)
    db.session.flush()
    db.session.add(LeagueMember(league_id=league.id, member_id=ann.id, team_name="Ann's Eleven"))
    db.session.commit()

    page = open_page(viewport=PHONE)
    page.goto("/join/ABCDEFGH")
    expect(page.get_by_role("heading", name="You are invited to The Press Row")).to_be_visible()
    expect(page.get_by_text("Ann's Eleven")).to_be_visible()
    looks_right(page)
    page.get_by_role("link", name="Register and join").click()
    page.get_by_label("Username").fill("newby")
    page.get_by_label("Display name").fill("New By")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Register").click()
    expect(page.get_by_role("heading", name="Join The Press Row", exact=True)).to_be_visible()
    looks_right(page, "join")
    page.get_by_label("Team name").fill("the Mile-High Owls")
    expect(page.locator(".team-colors symbol text")).to_have_text("TO")
    page.get_by_role("radio", name="Purple").check()
    page.get_by_role("button", name="Join the league").click()
    expect(page.get_by_role("heading", name="Next up")).to_be_visible()
    newcomer = db.session.scalars(db.select(Member).where(Member.username == "newby")).one()
    assert newcomer.colour == 13
    looks_right(page)

    page.goto("/")
    expect(page.get_by_role("heading", name="Three steps to your first points")).to_be_visible()
    looks_right(page, "first-steps")
    page.get_by_role("link", name="Auto-pick my team").click()
    expect(page.locator(".place:not(.is-empty)")).to_have_count(13)
    page.get_by_role("button", name="Save team").click()
    expect(page.get_by_role("status").filter(has_text="Saved.")).to_be_visible()
    [row] = rows()
    assert len(set(row.picks)) == 13

    page.goto("/")
    expect(page.get_by_text("Your team is set.")).to_be_visible()
    looks_right(page, "home-before")
    leagues = page.get_by_role("region", name="Your leagues")
    leagues.get_by_role("link", name="The Press Row").click()
    expect(page.get_by_text("Your team is set for Week 1.")).to_be_visible()
    looks_right(page)
