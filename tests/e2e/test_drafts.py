"""An unsaved team is not lost.

It is kept, leaving warns, a second tab is told, and it can be thrown away.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Dialog, Page, expect

from app.accounts.models import Member
from app.core import clock
from app.fantasy.sheets import services as sheets
from tests.e2e.looking import PHONE, looks_right
from tests.e2e.team_editor import expect_armband, make_captain
from tests.worlds.team_sheets import World, make_world, rows, team

pytestmark = pytest.mark.e2e

REFUSED = "422"  # Chromium reports it as an error
MERGED = "Saved, with your changes from another tab or device."


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


def exchange_captain(page: Page) -> None:
    make_captain(page, 1)
    expect(page.get_by_role("link", name="Reset")).to_be_visible()


def test_a_draft_is_kept_and_can_be_gone_on_with_or_thrown_away(
    world: World, open_page: Callable[..., Page]
) -> None:
    page, asked = open_page("ann", viewport=PHONE), list[str]()

    def leave(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", leave)
    page.goto("/team")
    save = page.get_by_role("button", name="Save team")
    expect(page.get_by_role("link", name="Reset")).to_be_hidden()
    expect(save).to_be_disabled()
    exchange_captain(page)
    expect(save).to_be_enabled()
    page.goto("/leagues")
    assert asked == ["beforeunload"], "leaving warns"
    page.goto("/team")
    expect(page.get_by_text("You have unsaved changes.")).to_be_visible()
    expect(save).to_be_disabled()
    looks_right(page)
    page.get_by_role("link", name="Keep editing").click()
    expect_armband(page, 1)
    page.get_by_role("link", name="Reset").click()
    expect_armband(page, 2)
    expect(page.get_by_text("You have unsaved changes.")).to_be_hidden()
    assert asked == ["beforeunload"], "a reset is meant"


def test_a_second_tab_is_told_and_a_saved_team_leaves_no_draft(
    world: World, open_page: Callable[..., Page]
) -> None:
    page = open_page("ann")
    page.goto("/team")
    other = page.context.new_page()
    other.goto("/team")
    exchange_captain(page)
    expect(other.get_by_text("This team was changed in another tab.")).to_be_visible()
    other.get_by_role("link", name="Show changes").click()
    expect_armband(other, 1)
    page.get_by_role("button", name="Save team").click()
    expect(page.get_by_role("status").filter(has_text="Saved.")).to_be_visible()
    expect(other.get_by_text("This team was saved or reset in another tab.")).to_be_visible()
    other.get_by_role("link", name="Reload").click()
    expect_armband(other, 1)
    expect(other.get_by_role("link", name="Reset")).to_be_hidden()


def test_two_tabs_save_what_each_changed_and_ask_about_what_both_did(
    world: World, open_page: Callable[..., Page]
) -> None:
    page = open_page("ann", expect_errors=[REFUSED])
    page.goto("/team")
    other = page.context.new_page()
    other.goto("/team")
    make_captain(page, 4)
    page.get_by_role("button", name="Save team").click()
    expect(page.get_by_role("status").filter(has_text="Saved.")).to_be_visible()
    make_captain(other, 5, "Vice-captain")
    other.get_by_role("button", name="Save team").click()
    expect(other.get_by_role("status").filter(has_text=MERGED)).to_be_visible()
    expect_armband(other, 4)
    expect_armband(other, 5, "Vice-captain")
    make_captain(page, 1)
    make_captain(other, 2)
    page.get_by_role("button", name="Save team").click()
    expect(page.get_by_role("status").filter(has_text=MERGED)).to_be_visible()
    other.get_by_role("button", name="Save team").click()
    refused = other.get_by_role("alert")
    expect(refused).to_contain_text(
        "Captain: you chose Bur 6, but another tab or device saved Ayr 1. Save again to use Bur 6,"
    )
    expect_armband(other, 2)
    looks_right(other, "team-conflict")
    other.get_by_role("button", name="Save team").click()
    expect(other.get_by_role("status").filter(has_text="Saved.")).to_be_visible()
    assert [(row.captain, row.vice_captain, row.version) for row in rows()] == [(2, 5, 5)]


@pytest.mark.everyday("only a browser goes back")
def test_the_back_button_comes_back_to_the_draft(
    world: World, open_page: Callable[..., Page]
) -> None:
    page = open_page("ann")
    page.goto("/team")
    page.locator("#place-7 button").click()
    page.get_by_role("button", name="Remove").click()
    expect(page.locator(".sums")).to_contain_text("6 of 7")
    page.goto("/leagues")
    page.go_back()
    expect(page.locator(".sums")).to_contain_text("6 of 7")
