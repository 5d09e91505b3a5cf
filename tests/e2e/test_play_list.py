"""The play list in a browser.

A forgotten play inserted, one moved, one written anew, one struck out, by keys alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from app.accounts.models import Member
from app.core.db import db
from scorer_console.record.accepted import accepted_events
from tests.e2e.conftest import PATIENCE_MS
from tests.e2e.desk import play
from tests.e2e.keyboard import keys, recorded
from tests.e2e.looking import looks_right
from tests.e2e.road import record_has
from tests.worlds.games import make_game

pytestmark = pytest.mark.e2e


@pytest.fixture
def page(member: Callable[..., Member], open_page: Callable[..., Page]) -> Page:
    """The console of a game with two plays.

    #3 to #5 at 14:30 from the own 29, #6 to #8 at 13:30 from the own 37.
    """
    make_game("g1")
    member("sal", role="scorer")
    page = open_page("sal")
    page.goto("/console/g1")
    expect(page.locator("#cmd")).to_be_focused()
    keys(page, "b", "Enter", "Enter")
    recorded(page, "#1 to #2")
    play(page, 1)
    recorded(page, "#4 to #5")
    play(page, 3)
    recorded(page, "#7 to #8")
    return page


def moves(page: Page) -> Locator:
    """What the entry would move, as it is shown before Enter."""
    return page.locator("#consequences")


def strip(page: Page, cell: str) -> Locator:
    return page.locator(f"[data-strip='{cell}']")


def order() -> list[tuple[int, str]]:
    """Play and kind of what counts, in the order of the game."""
    db.session.rollback()
    events = []
    for event in accepted_events("g1").fold.in_order:
        kind = type(event.body).__name__
        if kind in ("Snap", "Run", "Pass"):
            events.append((event.play_number, kind))
    return events


def ingested(count: int) -> None:
    record_has("g1", count)


def asked(page: Page, question: str) -> None:
    """Waits for a question: a play that was named by its number is read from the server first."""
    expect(page.locator("#question")).to_contain_text(question)


def insert_a_forgotten_play(page: Page) -> None:
    """Behind play 1, at 14:00 from the own 33.

    Number 3 runs for four yards, number 9 makes the tackle.
    """
    keys(page, "j", "i", "1", "Enter")
    asked(page, "Clock, down & distance, spot")
    keys(
        page, "14:00 2&6 o33", "Enter", "r", "r", "3", "Enter", "+4", "Enter", "9", "Enter", "Enter"
    )
    asked(page, "Correct?")


def test_a_forgotten_play_stands_between_two_with_its_clock_drive_and_next_snap(page: Page) -> None:
    expect(strip(page, "spot")).to_contain_text("41")
    insert_a_forgotten_play(page)
    expect(moves(page)).to_contain_text("Rushing yard 8 → 12")
    expect(moves(page)).to_contain_text("Solo tackle 2 → 3")
    expect(moves(page)).to_contain_text("+0.4 Standard")
    expect(moves(page)).to_contain_text("Team totals that change")
    looks_right(page, "play-list-insert")
    keys(page, "Enter")
    recorded(page, "#9 to #11")
    assert order() == [(1, "Snap"), (1, "Run"), (3, "Snap"), (3, "Run"), (2, "Snap"), (2, "Run")]
    expect(strip(page, "spot")).to_contain_text("41")
    expect(strip(page, "clock")).to_contain_text("Q1")
    expect(strip(page, "play")).to_have_text("2")

    ingested(11)
    page.goto("/games/g1/drives")
    expect(page.get_by_role("main")).to_contain_text("3 plays", timeout=PATIENCE_MS)
    page.goto("/games/g1/plays")
    expect(page.get_by_role("main")).to_contain_text(re.compile("13:30.*14:00.*14:30", re.DOTALL))
    page.goto("/games/g1/plays?at=8")
    expect(page.get_by_role("main")).to_contain_text(re.compile("13:30.*14:30", re.DOTALL))
    expect(page.get_by_role("main")).not_to_contain_text("14:00")


def test_a_play_is_moved_written_anew_and_struck_out(page: Page) -> None:
    insert_a_forgotten_play(page)
    keys(page, "Enter")
    recorded(page, "#9 to #11")

    keys(page, "j", "m", "3", "Enter")
    asked(page, "After which play does it belong?")
    keys(page, "2", "Enter")
    asked(page, "Correct?")
    expect(page.locator("#sentence")).to_contain_text("HRB 33, 14:00 Q1")
    keys(page, "Enter")
    recorded(page, "#12")
    assert [number for number, kind in order() if kind == "Snap"] == [1, 2, 3]
    expect(strip(page, "spot")).to_contain_text("37")

    keys(page, "j", "w", "2", "Enter")
    asked(page, "Clock, down & distance, spot")
    keys(page, "Enter", "r", "r", "3", "Enter", "t", "Enter")
    asked(page, "Correct?")
    expect(moves(page)).to_contain_text("HRB 0 → 6")
    expect(moves(page)).to_contain_text("Rushing touchdown 0 → 1")
    expect(moves(page)).to_contain_text("Will be struck out")
    keys(page, "Enter")
    recorded(page, "#13 to #15")
    expect(strip(page, "home")).to_have_text("6")
    assert [kind for number, kind in order() if number == 2] == ["Snap", "Run"]

    keys(page, "j", "x", "3", "Enter")
    asked(page, "Correct?")
    expect(moves(page)).to_contain_text("Rushing yard")
    expect(moves(page)).to_contain_text("Will be struck out")
    keys(page, "Enter")
    recorded(page, "#16")
    expect(strip(page, "down")).to_have_text("Try")
    assert [number for number, kind in order() if kind == "Snap"] == [1, 2]
    last = accepted_events("g1").last_number
    ingested(last)
    page.goto("/games/g1/plays")
    expect(page.get_by_role("main")).to_contain_text("Touchdown!", timeout=PATIENCE_MS)
