"""A scorer corrects slips by keys.

What stands stays, what can no longer be true goes, the next snap is shown first.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from app.core.db import db
from app.record.models import RecordedEvent
from tests.e2e.keyboard import keys, recorded
from tests.e2e.road import record_has

pytestmark = pytest.mark.e2e


def standing(count: int) -> list[tuple[str, int]]:
    """Type and play of what counts after the kick-off, in order.

    The record has `count` events with it.
    """
    record_has("g1", count)
    rows = db.session.query(RecordedEvent).filter(
        RecordedEvent.valid, RecordedEvent.event_number > 4
    )
    facts = rows.filter(RecordedEvent.type.not_in(["overturn", "nullify"]))
    return [
        (row.type, row.play_number)
        for row in facts.order_by(RecordedEvent.event_number, RecordedEvent.revision)
    ]


def test_the_flag_of_the_wrong_club_is_corrected_where_it_lies(console: Page) -> None:
    """Five yards for a false start, from the previous spot (NFL 7-4-2).

    1st & 10 at the 25, 1st & 15 at the 20.
    """
    keys(console, "s", "Enter")
    recorded(console, "#5")
    keys(console, "n", "a", "False Start", "Enter", "Shift+Enter")
    expect(console.locator("#warnings")).to_contain_text("False Start is a foul by the offense")
    keys(console, "Enter")
    recorded(console, "#6")
    keys(console, "w", "6", "Enter", "n", "h")
    keys(console, "Shift+Enter")
    expect(console.locator("#consequences")).to_contain_text("HRB 1st & 15 at HRB 20")
    keys(console, "Enter")
    recorded(console, "#7")
    keys(console, "s")
    expect(console.locator("#sentence")).to_contain_text("1st & 15 at HRB 20")


def test_a_catch_ruled_incomplete_loses_its_tackle_and_is_called_a_correction(
    console: Page,
) -> None:
    keys(console, "s", "Enter")
    recorded(console, "#5")
    keys(console, "p", "1", "Enter", "c", "2", "Enter", "+8", "Enter", "Enter", "9", "Shift+Enter")
    expect(console.locator("#sentence")).to_contain_text("Tackle")
    keys(console, "Enter")
    recorded(console, "#6 to #7")
    keys(console, "w", "6", "Enter", "p", "Enter", "i", "Shift+Enter")
    expect(console.locator("#consequences")).to_contain_text("Next snap")
    expect(console.locator("#sentence")).to_contain_text("Corrected #6")
    keys(console, "Enter")
    recorded(console, "#8 to #9")
    assert standing(9) == [("snap", 2), ("pass", 2)]


def test_the_next_entry_records_the_sentence_before_it_and_opens_its_play(console: Page) -> None:
    keys(console, "s", "Enter")
    recorded(console, "#5")
    keys(console, "r", "r", "3", "Enter", "+4", "Enter", "9", "Shift+Enter")
    expect(console.locator("#question")).to_contain_text("Correct?")
    keys(console, "p")
    expect(console.get_by_role("status", name="Play")).to_contain_text(
        "Opens the next play: HRB ball, 2nd & 6 at HRB 29"
    )
    keys(console, "1", "Enter", "i", "2", "Enter", "Shift+Enter", "Enter")
    recorded(console, "#8 to #9")
    assert standing(9) == [("snap", 2), ("run", 2), ("tackle", 2), ("snap", 3), ("pass", 3)]


def test_an_event_of_long_ago_is_found_by_name_and_what_was_set_aside_is_dropped(
    console: Page,
) -> None:
    keys(console, "s", "Enter")
    recorded(console, "#5")
    keys(console, "r", "r", "3", "Enter", "+4", "Enter", "Enter", "Enter")
    recorded(console, "#6")
    keys(console, "w", "p2 runs", "Enter")
    expect(console.locator("#question")).to_contain_text("Which of them")
    keys(console, "Enter")
    expect(console.locator("#question")).to_contain_text("The new ruling is a")
    keys(console, "Escape", "Escape", "Escape")
    keys(console, "t", "a", "9", "Escape", "Escape")
    expect(console.locator("#hint")).to_contain_text("z to drop it")
    keys(console, "z")
    expect(console.get_by_role("status", name="Result")).to_contain_text("Dropped:")
