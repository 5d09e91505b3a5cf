"""Plays typed in one line: explained while they are typed, a mistake shown at its character."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from app.accounts.models import Member
from app.core.db import db
from app.record import events as ev
from scorer_console.record.accepted import accepted_events
from tests.e2e.keyboard import keys, recorded
from tests.e2e.looking import looks_right
from tests.worlds.games import make_game

pytestmark = pytest.mark.e2e


@pytest.fixture
def page(member: Callable[..., Member], open_page: Callable[..., Page]) -> Page:
    """The console of a game that has started, set to one-line entry."""
    make_game("g1")
    member("sal", role="scorer")
    page = open_page("sal")
    page.goto("/console/g1")
    expect(page.locator("#cmd")).to_be_focused()
    keys(page, "b", "Enter", "Enter")
    recorded(page, "#1 to #2")
    keys(page, "L")
    expect(page.get_by_role("button", name="One line")).to_have_attribute("aria-pressed", "true")
    return page


def mistake(page: Page) -> Locator:
    return page.get_by_role("status", name="Mistake")


def bodies() -> list[ev.Body]:
    db.session.rollback()
    return [event.body for event in accepted_events("g1").fold.in_order]


def test_a_play_is_typed_in_one_line_with_its_clock(page: Page) -> None:
    keys(page, "kt")
    expect(page.locator("#sentence")).to_have_text(
        "Kickoff by HRB from HRB 35, 15:00 Q1. "
        "An unnamed player of HRB kicks off 65 yards: touchback."
    )
    expect(page.locator("#next")).to_have_text("Next: SUM ball, 1st & 10 at SUM 35, 15:00 Q1.")
    keys(page, "Enter")
    recorded(page, "#3 to #4")
    keys(page, "52r3+3/9")
    expect(page.locator("#sentence")).to_contain_text("SUM ball, 1st & 10 at SUM 35, 14:52 Q1.")
    expect(page.locator("#next")).to_contain_text("2nd & 7 at SUM 38")
    looks_right(page, "one-line")
    keys(page, "Enter")
    recorded(page, "#5 to #7")
    snap, run, tackle = bodies()[-3:]
    assert (snap.clock, snap.down, snap.distance) == (14 * 60 + 52, 1, 10)
    assert (run.player, run.end_yard, tackle.tackler, tackle.kind) == ("S3", 38, "H9", "solo")


def test_a_mistake_is_shown_at_its_character_and_nothing_is_recorded(page: Page) -> None:
    keys(page, "kt", "Enter")
    recorded(page, "#3 to #4")
    keys(page, "r3+3*9")
    expect(mistake(page)).to_contain_text("Character 5: ‘*’ does not fit here")
    expect(page.locator("#cmd")).to_have_attribute("aria-invalid", "true")
    assert "caret-words" in (page.locator("#cmd").get_attribute("aria-describedby") or "")
    looks_right(page, "one-line-mistake")
    keys(page, "Enter")
    expect(page.get_by_role("status", name="Result")).to_contain_text("Nothing is recorded")
    keys(page, "Escape")
    expect(page.locator("#cmd")).to_have_value("")
    keys(page, "ArrowUp")
    expect(page.locator("#cmd")).to_have_value("r3+3*9")
    page.locator("#cmd").fill("r3+3/9")
    expect(mistake(page)).to_be_hidden()
    keys(page, "Enter")
    recorded(page, "#5 to #7")


def test_a_line_that_only_goes_on_is_asked_for_and_a_dot_turns_the_way_around(page: Page) -> None:
    keys(page, "kt", "Enter")
    recorded(page, "#3 to #4")
    keys(page, "r3", "Enter")
    expect(page.locator("#question")).to_contain_text("Ran to (SUM)")
    keys(page, "+4", "Enter", "9", "Enter", "Enter", "Enter")
    recorded(page, "#5 to #7")
    keys(page, ".", "p")
    expect(page.locator("#question")).to_contain_text("Passer (SUM)")
    keys(page, "c2")
    expect(page.locator("#question")).to_contain_text("Caught by (SUM)")
    expect(page.locator("#cmd")).to_have_value("2")
    keys(page, "Enter", "+3", "Enter", "Enter", "9", "Enter", "Enter", "Enter")
    recorded(page, "#8 to #10")
    keys(page, "n h dh 9 d", "Enter")
    recorded(page, "#11")
    keys(page, "u", "Enter", "Enter")
    recorded(page, "#12")


def test_a_line_follows_a_sentence_that_waits_for_its_enter(page: Page) -> None:
    keys(page, "kt", "Enter")
    recorded(page, "#3 to #4")
    keys(page, "r3+3/", "Enter")
    expect(page.locator("#question")).to_contain_text("Tackle")
    keys(page, "Enter")
    expect(page.locator("#question")).to_contain_text("Correct?")
    keys(page, "r3+2/9")
    recorded(page, "#5 to #6")
    expect(page.locator("#cmd")).to_have_value("r3+2/9")
    expect(page.locator("#sentence")).to_contain_text("SUM ball, 2nd & 7 at SUM 38")
    keys(page, "Enter")
    recorded(page, "#7 to #9")


def test_a_line_that_its_play_cannot_have_stays_to_be_changed(page: Page) -> None:
    keys(page, "r3+3/9", "Enter")
    expect(page.get_by_role("status", name="Result")).to_contain_text(
        "A run cannot be in a kickoff: enter the kickoff (k)"
    )
    expect(page.locator("#cmd")).to_have_value("r3+3/9")
    expect(page.locator("#question")).to_contain_text("This can’t be recorded. Change the line")
    keys(page, "Escape", "kt", "Enter")
    recorded(page, "#3 to #4")
    assert [type(body) for body in bodies()[2:]] == [ev.Snap, ev.Kick]


def test_a_half_typed_line_survives_a_reload(page: Page) -> None:
    keys(page, "kt", "Enter")
    recorded(page, "#3 to #4")
    keys(page, "r3+")
    page.wait_for_function(
        """() => new Promise((resolve) => {
          indexedDB.open("pressbox-console").onsuccess = ({ target: { result: db } }) => {
            const rows = db.transaction("drafts").objectStore("drafts").getAll();
            rows.onsuccess = () => {
              db.close();
              resolve(rows.result.some((row) => row.draft?.isLine));
            };
          };
        })"""
    )
    page.reload()
    expect(page.locator("#cmd")).to_have_value("r3+")
    page.keyboard.press("End")
    page.keyboard.type("3/9")
    expect(page.locator("#sentence")).to_contain_text("runs to SUM 38")


def test_an_abbreviation_of_ones_own_is_kept_and_expanded(page: Page) -> None:
    page.goto("/console/keys")
    page.get_by_role("textbox", name="Abbreviations").fill("tb kt")
    page.get_by_role("button", name="Save abbreviations").click()
    expect(page.get_by_text("Saved. Reload open consoles")).to_be_visible()
    page.goto("/console/g1")
    expect(page.locator("#cmd")).to_be_focused()
    keys(page, ",tb", "Enter")
    recorded(page, "#3 to #4")
