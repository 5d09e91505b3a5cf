"""Swapping players of the team by hand and by keys, undoing it, and locks at the very second."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.sheets import services as sheets
from app.record.models import Game
from tests.e2e.looking import PHONE, looks_right
from tests.worlds.team_sheets import TEAM, World, make_world, rows, team

pytestmark = pytest.mark.e2e


def saved_team(member: Callable[..., Member], **world_options: object) -> World:
    ann = member("ann")
    world = make_world(real=True, **world_options)  # type: ignore[arg-type]
    saved = sheets.save(
        ann.id, world.team_rules.id, world.gameweeks[0].id, team(version=0), clock.now()
    )
    assert isinstance(saved, sheets.Saved)
    return world


def drag(page: Page, place: int, onto: int) -> None:
    """By the name of the place, as with a thumb."""
    start = page.locator(f"#place-{place} .slot").bounding_box()
    end = page.locator(f"#place-{onto}").bounding_box()
    assert start
    assert end
    page.mouse.move(start["x"] + 5, start["y"] + 5)
    page.mouse.down()
    page.mouse.move(start["x"] + 5, start["y"] + 25, steps=3)
    page.mouse.move(end["x"] + 40, end["y"] + 20, steps=5)
    page.mouse.up()


def test_players_are_swapped_by_hand_and_by_keys_and_it_is_undone(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    saved_team(member, first=clock.now() + timedelta(days=2))
    page = open_page("ann", viewport=PHONE)
    page.goto("/team")
    drag(page, 4, onto=5)
    note = page.get_by_role("status").filter(has_text="Swapped")
    expect(note).to_have_text(re.compile("Swapped Dov 3 and Ayr 4"))
    expect(page.locator("#place-4")).to_contain_text("Ayr 4")
    looks_right(page, "team-swapped")
    page.get_by_role("link", name="Undo").click()
    expect(page.locator("#place-4")).to_contain_text("Dov 3")
    expect(page.get_by_role("link", name="Reset")).to_be_hidden()
    drag(page, 1, onto=2)  # no goalkeeper there: nothing happens, and the market stays closed
    expect(page.locator("#place-1")).to_contain_text("Ayr 1")
    page.locator("#place-6 button").press("Enter")
    swaps = page.get_by_role("dialog").get_by_role("group", name="Swap with")
    expect(swaps).to_be_visible()
    looks_right(page, "team-picker")
    swaps.get_by_role("button", name="Bur 6").press("Enter")
    expect(page.locator("#place-6")).to_contain_text("Bur 6")
    page.get_by_role("button", name="Save team").click()
    saved = page.get_by_role("status").filter(has_text="Saved.")
    saved.get_by_role("button", name="Undo this save").click()
    expect(page.locator("#place-6")).to_contain_text("Bur 2")
    expect(page.get_by_role("button", name="Undo this save")).to_have_count(0)
    assert (tuple(rows()[0].picks), rows()[0].version) == (TEAM, 3)
    page.locator("#place-6 button").click()
    page.get_by_role("link", name="Profile").click()
    expect(page.get_by_role("heading", name="Bur 2")).to_be_visible()


def test_a_kickoff_between_a_swap_and_its_save_costs_only_that_swap(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    saved_team(member, lock="game", first=clock.now() + timedelta(hours=1))
    page = open_page("ann", viewport=PHONE, expect_errors=["422"])
    page.goto("/team")
    drag(page, 3, onto=5)
    expect(page.locator("#place-5")).to_contain_text("Crk 5")
    page.locator("#place-7 button").click()
    page.get_by_role("row", name=re.compile("Crk 2")).get_by_role("button").click()
    expect(page.locator("#place-7")).to_contain_text("Crk 2")
    db.session.get_one(Game, "cup-1-AYR").kickoff = clock.now()
    db.session.commit()
    page.get_by_role("button", name="Save team").click()
    alert = page.get_by_role("alert").filter(has_text="Not saved")
    expect(alert).to_contain_text("Ayr 4's game has started")
    expect(alert).to_contain_text("Your other changes are here, but not saved yet.")
    looks_right(page, "team-late-swap")
    page.get_by_role("button", name="Save team").click()
    expect(page.get_by_role("status").filter(has_text="Saved.")).to_be_visible()
    assert rows()[0].picks == [*TEAM[:6], "CRK2"]


def test_a_player_locks_at_their_kickoff_by_the_servers_clock_even_without_a_connection(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    saved_team(member, lock="game", first=clock.now() + timedelta(seconds=20))
    page = open_page("ann", viewport=PHONE, expect_errors=["ERR_INTERNET_DISCONNECTED", "htmx:"])
    page.clock.install(time=clock.now() - timedelta(hours=5))
    page.goto("/team")
    keeper = page.locator("#place-1")
    expect(keeper).not_to_have_class(re.compile("is-locked"))
    page.context.set_offline(True)
    expect(keeper).to_have_class(re.compile("is-locked"))
    expect(keeper).to_contain_text("Locked")
    expect(keeper.get_by_role("button")).to_be_disabled()
    expect(page.locator("#lock-said")).to_contain_text("Locked: Ayr 1")
    expect(page.locator("#place-3")).not_to_have_class(re.compile("is-locked"))
