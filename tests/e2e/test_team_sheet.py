"""Stories of the team sheet.

Picked on a phone, refused and corrected, locked out at kickoff (PRODUCT B2, G6).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.market.models import SheetDeadline
from app.fantasy.sheets import services as sheets
from tests.e2e.looking import PHONE, accessible, fits_the_window
from tests.worlds.team_sheets import TEAM, make_nfl, make_world, reprice, rows, team

pytestmark = pytest.mark.e2e

REFUSED = "422"  # Chromium reports it as an error


def choose(page: Page, place: int, footballer: str) -> None:
    """Picks a footballer for a place, which is opened unless the pick before has opened it."""
    market = page.locator(f"#market[data-place='{place}']")
    if not market.count():
        page.locator(f"#place-{place} button").click()
    expect(market).to_be_visible()
    page.get_by_role("button", name=f"Pick {footballer}", exact=True).click()
    expect(page.locator(f"#place-{place}")).to_contain_text(footballer)


def armband(page: Page, name: str) -> Locator:
    return page.get_by_role("radio", name=re.compile(f"^{name}"))


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
        if place == 2:
            market.get_by_label("Sort by").select_option("Selected %")
            expect(market.get_by_role("table", name="by selected %")).to_be_visible()
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
    expect(ann.locator(".sums")).to_contain_text("13 of 13")
    armband(ann, "Captain: QB").check()
    armband(ann, "Vice-captain: TE").check()
    armband(ann, "Captain: TE").check()  # the armbands are exchanged
    expect(armband(ann, "Vice-captain: QB")).to_be_checked()
    ann.reload()  # the draft is in the address
    expect(ann.locator(".sums")).to_contain_text("13 of 13")
    armband(ann, "Captain: QB").check()
    armband(ann, "Vice-captain: TE").check()
    ann.get_by_role("button", name="Save team").click()
    expect(ann.get_by_role("status").filter(has_text="Saved.")).to_be_visible()
    fits_the_window(ann)
    [row] = rows()
    assert (row.captain, row.vice_captain, len(set(row.picks))) == (1, 6, 13)


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
    ann.get_by_label("Only players I can afford").uncheck()  # the money is spent
    choose(ann, 7, "Ayr 4")
    armband(ann, "Captain: OUT Bur 6").check()
    expect(ann.locator(".sums")).to_contain_text("-2.0")
    expect(ann.locator(".sums")).to_contain_text("Ayr 4 of 3")
    ann.get_by_role("button", name="Save team").click()
    alert = ann.get_by_role("alert", name="Not saved: 3 things to change")
    expect(alert.get_by_role("listitem")).to_have_text(
        [
            "4 players from Ayr (Ayr 1, Ayr 6, Ayr 5, Ayr 4). The limit is 3 per club: replace 1.",
            "The team is 2.0m over budget. Choose a cheaper player.",
            "There is no vice-captain. Choose one of the starters.",
        ]
    )
    assert rows() == []
    accessible(ann)
    choose(ann, 6, "Bur 2")
    armband(ann, "Vice-captain: OUT Dov 6").check()
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
    armband(page, "Captain: OUT Dov 3").check()
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
    armband(ann, "Captain: OUT Bur 6").check()
    ann.get_by_role("button", name="Save team").click()
    expect(ann.get_by_role("alert")).to_contain_text("There is no vice-captain")
    armband(ann, "Vice-captain: OUT Crk 5").check()
    ann.get_by_role("button", name="Save team").click()
    expect(ann.get_by_role("status").filter(has_text="Saved.")).to_be_visible()
    assert tuple(rows()[0].picks) == TEAM
