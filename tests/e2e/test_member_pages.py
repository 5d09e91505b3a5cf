"""What a member's pages do by themselves.

Close what is open, lock, show the focus, fit long names, work offline.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.market.models import SheetDeadline
from app.fantasy.sheets import services as sheets
from tests.e2e.cable import DEAD_LINE, Cable
from tests.e2e.looking import NARROWEST, PHONE, fits_the_window
from tests.e2e.test_member_offline import KEPT
from tests.waiting import until
from tests.worlds.played_league import played_league
from tests.worlds.team_sheets import World, make_world, team

pytestmark = pytest.mark.e2e


# The element with the focus, where it lies under the bar at the bottom.
IS_HIDDEN = """() => {
  const bar = document.querySelector(".save-bar"), one = document.activeElement;
  const [edge, focus] = [bar, one].map((element) => element.getBoundingClientRect());
  const isBeside = focus.left >= edge.right || focus.bottom <= edge.top || focus.top >= edge.bottom;
  const isHidden = one !== document.body && !bar.contains(one) && !isBeside;
  return isHidden ? one.closest("li")?.id ?? one.outerHTML : "";
}"""


@pytest.fixture
def world(member: Callable[..., Member], site: str) -> World:
    """Ann has a team saved."""
    ann = member("ann")
    world = make_world(real=True, first=clock.now() + timedelta(days=2))
    saved = sheets.save(
        ann.id, world.team_rules.id, world.gameweeks[0].id, team(version=0), clock.now()
    )
    assert isinstance(saved, sheets.Saved)
    return world


@pytest.fixture
def cable(site: str) -> Iterator[Cable]:
    cable = Cable(site)
    yield cable
    cable.cut()


def test_an_open_editor_closes_its_market_on_back_and_locks_by_itself(
    world: World, open_page: Callable[..., Page]
) -> None:
    page = open_page("ann", viewport=PHONE, timezone_id="America/New_York", locale="en-GB")
    page.goto("/leagues")
    page.goto("/team")
    market = page.get_by_role("dialog")
    page.locator("#place-7 button").click()
    expect(market.get_by_role("button", name="Close")).to_be_visible()
    page.go_back()
    expect(market).to_be_hidden()
    expect(page.get_by_role("heading", name="Your team · Week 1")).to_be_visible()
    page.locator("#place-7 button").click()
    market.get_by_role("button", name="Remove").click()
    expect(page.locator(".sums")).to_contain_text("6 of 7")
    market.get_by_role("button", name="Close").click()
    page.wait_for_url("**/team/*p=*")
    page.reload()
    expect(page.locator(".sums")).to_contain_text("6 of 7")  # the draft's address stays
    page.go_back()
    expect(page).to_have_url(re.compile("/leagues$"))  # one step leads where the member came from

    page.goto("/team")
    deadline = db.session.get_one(SheetDeadline, (world.team_rules.id, world.gameweeks[0].id))
    deadline.locks_at = clock.now() - timedelta(seconds=1)
    db.session.commit()
    page.evaluate("document.getElementById('time-left').dateTime = new Date().toISOString()")
    alert = page.get_by_role("alert")
    expect(alert.get_by_role("heading", name="Locked")).to_be_visible()
    zone = page.evaluate(
        "new Date(document.querySelector('[role=alert] time').dateTime).getHours()"
    )
    # the viewer's clock, not the league's
    expect(alert.locator("time")).to_contain_text(f"{zone:02}:")
    expect(alert).not_to_contain_text("Europe/Berlin")


def test_what_has_the_focus_is_never_under_the_bar_that_saves(
    world: World, open_page: Callable[..., Page]
) -> None:
    """WCAG 2.2, 2.4.11: focus not obscured."""
    page = open_page("ann")
    for height in (800, 500):
        page.set_viewport_size({"width": 1280, "height": height})
        page.goto("/team")
        page.locator("#desk-title").click()
        hidden = []
        for _ in range(16):  # the places and their armbands, down to the bar
            page.keyboard.press("Tab")
            hidden.append(page.evaluate(IS_HIDDEN))
        assert [name for name in hidden if name] == []


def test_a_name_of_one_long_word_widens_no_page(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    ids = {name: member(name).id for name in ("ann", "bob")}
    league = played_league(ids, ({"ann": 50, "bob": 40},), mode="head_to_head").league
    db.session.execute(db.text("UPDATE league_members SET team_name = repeat('W', 30)"))
    db.session.execute(db.text("UPDATE members SET display_name = repeat('M', 30)"))
    db.session.execute(db.text("UPDATE leagues SET name = repeat('W', 60)"))
    db.session.commit()
    page = open_page("ann", viewport={"width": NARROWEST, "height": 800})
    here = f"/leagues/{league.slug}"
    paths = [
        "/",
        "/leagues",
        "/team",
        "/account",
        f"/gamers/{ids['bob']}",
        here,
        f"{here}/members",
        f"{here}/settings",
    ]
    paths += [
        f"{here}{part}"
        for part in ("/history", "/race", "/replay/1", f"/matchups/1/{ids['ann']}", "/rules")
    ]
    for path in paths:
        page.goto(path)
        fits_the_window(page)


def test_a_member_who_does_not_stay_signed_in_gets_a_page_that_says_there_is_no_connection(
    member: Callable[..., Member], open_page: Callable[..., Page], cable: Cable
) -> None:
    member("ann")
    page = open_page(
        "ann", base_url=cable.address, service_workers="allow", expect_errors=DEAD_LINE
    )
    page.goto("/friends")
    until(lambda: page.evaluate(KEPT, "/offline"), "the worker is there")
    cable.cut()
    page.goto("/leagues")
    expect(page.get_by_role("heading", name="You're offline")).to_be_visible()
    expect(page.get_by_role("heading", name="Available offline")).to_be_hidden()
