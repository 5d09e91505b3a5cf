"""Stories of the team sheet.

Picked on a phone, refused and corrected, locked out at kickoff (PRODUCT B2, G6).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.market.models import SheetDeadline
from app.fantasy.sheets import services as sheets
from tests.e2e.looking import PHONE, accessible, fits_the_window, looks_right
from tests.e2e.team_editor import expect_armband, make_captain, open_place
from tests.worlds.team_sheets import TEAM, make_nfl, make_world, reprice, rows, team

pytestmark = pytest.mark.e2e

REFUSED = "422"  # Chromium reports it as an error


def choose(page: Page, place: int, footballer: str) -> None:
    """Picks a footballer for a place, which is opened unless the pick before has opened it."""
    open_place(page, place)
    page.get_by_role("button", name=f"Pick {footballer}", exact=True).click()
    expect(page.locator(f"#place-{place}")).to_contain_text(footballer)


@pytest.mark.everyday("the member's story")
def test_a_team_is_picked_from_nothing_on_a_phone(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    member("ann")
    make_nfl(first=clock.now() + timedelta(days=2))
    ann = open_page("ann", viewport=PHONE)
    ann.goto("/")
    ann.get_by_role("link", name="Team", exact=True).click()
    expect(ann.get_by_role("heading", name="Your team · Week 1")).to_be_visible()
    ann.locator("#place-1 button").click()
    market = ann.get_by_role("dialog")
    for place in range(1, 14):  # after a pick the next empty place is open
        expect(market.get_by_role("heading", name=f"Slot {place}")).to_be_visible()
        if place in (2, 4, 5):
            market.get_by_text("Filters").click()
        if place == 2:
            market.get_by_label("Sort by").select_option("% owned")
            expect(market.get_by_role("table", name="by % owned")).to_be_visible()
        if place == 4:
            market.get_by_label("Club").select_option("Northfjord Narwhals")
            expect(market.get_by_text("5 players", exact=True)).to_be_visible()
        if place == 5:
            market.get_by_label("Club").select_option("Any")
            market.get_by_label("Price up to").fill("5.5")
            expect(market.locator("td.number").last).to_have_text("5.5")
        if place == 8:
            accessible(ann)
            market.get_by_label("Search by name").fill("florian")
            expect(market.get_by_text("2 players", exact=True)).to_be_visible()
        market.get_by_role("button", name="Pick").nth(place % 2).click()
    expect(market).to_be_hidden()
    expect(ann.locator(".place.is-empty")).to_have_count(0)
    make_captain(ann, 1)
    make_captain(ann, 6, "Vice-captain")
    make_captain(ann, 6)  # the armbands are exchanged
    expect_armband(ann, 1, "Vice-captain")
    ann.reload()  # the draft is in the address
    expect_armband(ann, 6)
    make_captain(ann, 1)
    expect_armband(ann, 6, "Vice-captain")
    ann.get_by_role("button", name="Save team").click()
    expect(ann.get_by_role("status").filter(has_text="Saved.")).to_be_visible()
    fits_the_window(ann)
    [row] = rows()
    assert (row.captain, row.vice_captain, len(set(row.picks))) == (1, 6, 13)


# Places that are not wholly between the top of the window and the bar at its foot.
OUT_OF_SIGHT = """() => {
    const foot = document.querySelector(".save-bar").getBoundingClientRect().top;
    return [...document.querySelectorAll(".place")].filter((place) => {
        const { top, bottom } = place.getBoundingClientRect();
        return top < 0 || bottom > foot;
    }).map(({ id }) => id);
}"""


def test_a_phone_shows_the_whole_team_at_once_and_can_list_it(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    member("ann")
    world = make_nfl(first=clock.now() + timedelta(days=2))
    page = open_page("ann", viewport=PHONE)
    page.goto(f"/team/{world.team_rules.id}?fill=1")
    expect(page.locator(".place")).to_have_count(13)
    assert page.evaluate(OUT_OF_SIGHT) == []
    looks_right(page, "team-tiles")
    page.get_by_role("button", name="List", exact=True).click()
    expect(page.get_by_text("Opp", exact=True)).to_be_visible()
    looks_right(page, "team-list")
    heights = page.locator(".place").evaluate_all("rows => rows.map((row) => row.clientHeight)")
    assert max(heights) <= 56
    page.get_by_role("button", name="Save team").click()
    expect(page.get_by_role("status").filter(has_text="Saved.")).to_be_visible()
    expect(page.get_by_text("Opp", exact=True)).to_be_visible()  # the view stays


def test_a_full_team_takes_a_player_of_the_market_for_one_of_its_own(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    ann = member("ann")
    world = make_world(real=True, first=clock.now() + timedelta(days=2))
    sheets.save(ann.id, world.team_rules.id, world.gameweeks[0].id, team(), clock.now())
    page = open_page("ann")
    page.goto("/team")
    save = page.get_by_role("button", name="Save team")
    expect(save).to_be_disabled()
    page.get_by_role("button", name="Swap Dov 6").click()
    expect(page.get_by_role("heading", name="Swap in Dov 6")).to_be_focused()
    swap = page.get_by_role("group", name="For")
    expect(swap.get_by_role("button")).to_have_count(6)  # not for the goalkeeper
    looks_right(page, "team-swap-in")
    swap.get_by_role("button", name="Crk 3").click()
    expect(page.get_by_role("status").filter(has_text="Dov 6 in for Crk 3.")).to_be_visible()
    save.click()
    expect(page.get_by_role("status").filter(has_text="Saved.")).to_be_visible()
    expect(save).to_be_disabled()
    assert rows()[0].picks == [*TEAM[:6], "DOV6"]


def test_a_team_is_refused_for_three_reasons_at_once_and_corrected(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    member("ann")
    world = make_world(real=True, first=clock.now() + timedelta(days=2))
    reprice(world.season_id, AYR5=120)
    ann = open_page("ann", expect_errors=[REFUSED])
    ann.goto("/team")
    for place, footballer in enumerate(
        ("Ayr 1", "Bur 6", "Crk 6", "Dov 6", "Ayr 6", "Ayr 5"), start=1
    ):
        choose(ann, place, footballer)
    ann.get_by_text("Filters").click()
    ann.get_by_label("Only players I can afford").uncheck()  # the money is spent
    choose(ann, 7, "Ayr 4")
    make_captain(ann, 2)
    expect(ann.locator(".sums")).to_contain_text("-2.0")
    expect(ann.locator(".sums")).to_contain_text("4 from Ayr (max 3)")
    ann.get_by_role("button", name="Save team").click()
    alert = ann.get_by_role("alert", name="Not saved: 3 problems to fix")
    expect(alert.get_by_role("listitem")).to_have_text(
        [
            "4 players from Ayr (Ayr 1, Ayr 6, Ayr 5, Ayr 4). The limit is 3 per club: replace 1.",
            "The team is 2.0m over budget. Choose a cheaper player.",
            "You have no vice-captain. Choose one of your starters.",
        ]
    )
    assert rows() == []
    accessible(ann)
    choose(ann, 6, "Bur 2")
    make_captain(ann, 4, "Vice-captain")
    ann.get_by_role("button", name="Save team").click()
    expect(ann.get_by_role("status").filter(has_text="Saved.")).to_be_visible()
    assert rows()[0].picks == ["AYR1", "BUR6", "CRK6", "DOV6", "AYR6", "BUR2", "AYR4"]


def test_a_team_is_locked_out_at_kickoff_whatever_the_browsers_clock_says(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    ann = int(member("ann").id)
    now = clock.now()
    world = make_world(real=True, first=now + timedelta(hours=1))
    assert isinstance(
        sheets.save(ann, world.team_rules.id, world.gameweeks[0].id, team(), clock.now()),
        sheets.Saved,
    )
    page = open_page("ann", viewport=PHONE, expect_errors=[REFUSED])
    page.clock.set_fixed_time(now - timedelta(hours=5))
    page.goto("/team")
    # by the server's clock
    expect(page.get_by_text("Locks ")).to_contain_text(re.compile("in (1 hour 0|59) min"))
    make_captain(page, 4)
    deadline = db.session.get_one(SheetDeadline, (world.team_rules.id, world.gameweeks[0].id))
    deadline.locks_at = clock.now()
    db.session.commit()
    page.get_by_role("button", name="Save team").click()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("Your last saved team counts.")
    expect(page.get_by_role("button", name="Save team")).to_have_count(0)
    accessible(page)
    [row] = rows()
    assert (tuple(row.picks), row.captain, row.version) == (TEAM, 2, 1)
    alert.get_by_role("link", name="Edit Week 2").click()
    expect(page.get_by_role("heading", name="Your team · Week 2")).to_be_visible()
    expect(page.get_by_text("last week's team will be used")).to_be_visible()


def test_a_team_is_picked_without_javascript(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    member("ann")
    make_world(real=True, first=clock.now() + timedelta(days=2))
    ann = open_page("ann", viewport=PHONE, java_script_enabled=False, expect_errors=[REFUSED])
    ann.goto("/team")
    for place, footballer in enumerate(
        ("Ayr 1", "Bur 6", "Crk 5", "Dov 3", "Ayr 4", "Bur 2"), start=1
    ):
        choose(ann, place, footballer)
    ann.get_by_label("Search by name").fill("crk 3")
    ann.get_by_role("button", name="Show").click()
    expect(ann.get_by_text("1 player", exact=True)).to_be_visible()
    ann.get_by_role("button", name="Pick Crk 3").click()
    make_captain(ann, 2)
    ann.get_by_role("button", name="Save team").click()
    expect(ann.get_by_role("alert")).to_contain_text("You have no vice-captain")
    make_captain(ann, 3, "Vice-captain")
    ann.get_by_role("button", name="Save team").click()
    expect(ann.get_by_role("status").filter(has_text="Saved.")).to_be_visible()
    assert tuple(rows()[0].picks) == TEAM
