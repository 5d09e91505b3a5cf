"""Whoever runs a league or a pool erases their account.

The member who has been in it longest runs it then.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import update

from app.accounts.models import Member, MemberSession
from app.accounts.players import player_of
from app.core import clock
from app.core.db import db
from app.predictions import pools
from app.predictions.models import Pool
from tests.conftest import PASSWORD
from tests.e2e.looking import PHONE, looks_right
from tests.worlds.league_season import LeagueWorld
from tests.worlds.seasons import make_weekly_season
from tests.worlds.tournament import World

pytestmark = pytest.mark.e2e


@pytest.fixture
def pool(member: Callable[..., Member]) -> Pool:
    """Ann runs a head-to-head league and a pool; Bob joined both before Cat."""
    now = clock.now()
    season, gameweeks = make_weekly_season(4, now + timedelta(days=2), time_zone="America/New_York")
    world = LeagueWorld(member, season, gameweeks)
    league = world.league("The Row", now=now, mode="head_to_head")
    cup = World(name="Harvest Cup")
    players = {
        name: player_of(db.session.get_one(Member, world.member(name))).id
        for name in ("ann", "bob", "cat")
    }
    pool = pools.create(cup.id, players["ann"], "Red Lion")
    assert isinstance(pool, Pool)
    for name in ("bob", "cat"):
        world.join(league, name, now)
        assert pools.join(pool.id, pool.code, players[name]) is None
    return pool


def erase_account(page: Page, username: str) -> None:
    """By hand, some time after signing in, so that the password is asked for."""
    an_hour_ago = clock.now() - timedelta(hours=1)
    db.session.execute(update(MemberSession).values(verified_at=an_hour_ago))
    db.session.commit()
    page.goto("/account")
    page.get_by_role("link", name="Your data").click()
    page.get_by_label("Type your username").fill(username)
    page.get_by_role("button", name="Delete my account").click()
    page.get_by_label("Password").fill("not my password")
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_text("Wrong password.")).to_be_visible()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()


@pytest.mark.full  # tests/moderation/test_succession.py has the rules
def test_a_league_and_a_pool_pass_to_the_member_who_has_been_in_them_longest(
    pool: Pool, open_page: Callable[..., Page]
) -> None:
    refused = ["403", "422"]  # the page that asks for the password
    ann = open_page("ann", expect_errors=refused)
    bob = open_page("bob", viewport=PHONE, expect_errors=refused)
    bob.goto("/leagues/the-row/matchups")
    expect(bob.locator("#my-fixtures")).to_contain_text("Ann FC")
    erase_account(ann, "ann")

    bob.goto("/notices")
    bob.get_by_role("button", name="You are now commissioner of The Row").click()
    bob.get_by_role("link", name="Settings", exact=True).click()
    bob.get_by_label("League name").fill("Bob's Row")
    bob.get_by_role("button", name="Rename").click()
    expect(bob.get_by_role("heading", name="Bob's Row")).to_be_visible()
    bob.get_by_label("Budget").fill("90.0")
    with bob.expect_navigation():  # "Saved." stands there already, from the name
        bob.get_by_role("button", name="Save rules").click()
    expect(bob.get_by_role("status").filter(has_text="Saved")).to_be_visible()
    expect(bob.get_by_label("Budget")).to_have_value("90.0")
    looks_right(bob)
    bob.get_by_role("link", name="League", exact=True).click()
    bob.get_by_role("link", name="Schedule", exact=True).click()
    fixtures = bob.locator("#my-fixtures")
    expect(fixtures).to_contain_text("Cat FC")
    expect(fixtures).not_to_contain_text("Ann FC")
    expect(fixtures).not_to_contain_text("Erased team")

    bob.goto(f"/tournaments/{pool.tournament_id}/pools/{pool.id}")
    bob.get_by_label("Pool name").fill("Blue Lion")
    bob.get_by_role("button", name="Rename").click()
    expect(bob.get_by_role("heading", name="Blue Lion")).to_be_visible()

    # The heir goes too: the next one has both.
    erase_account(bob, "bob")
    cat = open_page("cat")
    cat.goto("/leagues/the-row/settings")
    with cat.expect_navigation():
        cat.get_by_role("button", name="Get a new code").click()
    expect(cat.get_by_role("heading", name="Bob's Row")).to_be_visible()
    cat.goto(f"/tournaments/{pool.tournament_id}/pools/{pool.id}")
    with cat.expect_navigation():
        cat.get_by_role("button", name="Get a new code").click()
    expect(cat.get_by_role("heading", name="Blue Lion")).to_be_visible()
