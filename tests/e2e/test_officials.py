"""What the officials do, by keys.

Flags before and after the snap, timeouts, and who may enter them.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from app.core.db import db
from app.record.models import RecordedEvent, StatLine
from app.record.rules.team_defence import is_defence
from tests.e2e.keyboard import keys, recorded
from tests.e2e.road import record_has

pytestmark = pytest.mark.e2e


def in_record(count: int) -> list[tuple[str, int]]:
    """Type and play number of the events after the kick-off.

    The record has `count` events with it.
    """
    record_has("g1", count)
    rows = db.session.query(RecordedEvent).filter(
        RecordedEvent.revision == 0, RecordedEvent.event_number > 4
    )
    return [(row.type, row.play_number) for row in rows.order_by(RecordedEvent.event_number)]


def test_a_flag_before_the_snap_is_a_play_of_its_own_and_interference_takes_the_attempt_away(
    console: Page,
) -> None:
    keys(console, "s", "Enter")
    recorded(console, "#5")
    keys(console, "r", "r", "3", "Enter", "+4", "Enter", "Enter", "Enter")
    recorded(console, "#6")
    keys(console, "n", "h", "False", "Enter")
    expect(console.locator("#question")).to_contain_text("When was it?")
    keys(console, "Enter")
    expect(console.locator("#question")).to_contain_text("Before which snap?")
    keys(console, "1420", "Enter", "Shift+Enter", "Enter")
    recorded(console, "#7 to #8")
    (first, _), (_, play), *flag = in_record(8)
    assert (first, flag) == ("snap", [("snap", play + 1), ("penalty", play + 1)])
    keys(console, "s")
    expect(console.locator("#sentence")).to_contain_text("2nd & 11 at HRB 24")
    keys(console, "Enter")
    recorded(console, "#9")

    keys(console, "p", "1", "Enter", "i", "2", "Enter", "o44", "Enter", "Enter", "Enter")
    recorded(console, "#10")
    keys(
        console, "n", "a", "Defensive Pass", "Enter", "Enter", "Enter", "a", "Enter", "o44", "Enter"
    )
    expect(console.locator("#question")).to_contain_text("Yards walked off")
    keys(console, "Shift+Enter")
    expect(console.locator("#sentence")).to_contain_text("20 yards from HRB 24, first down")
    expect(console.locator("#consequences")).to_contain_text(
        "#10 H. Player1 passes for H. Player2: incomplete"
    )
    keys(console, "Enter")
    recorded(console, "#11 to #12")
    in_record(12)
    lines = {
        line.player_id: line.stats
        for line in db.session.query(StatLine)
        if not is_defence(line.player_id)
    }
    assert lines == {"H3": {"carries": 1, "rushing_yards": 4}}
    keys(console, "s")
    expect(console.locator("#sentence")).to_contain_text("1st & 10 at HRB 44")


def test_a_free_game_is_taken_by_its_key_and_a_fourth_timeout_is_refused(console: Page) -> None:
    who = console.get_by_role("status", name="Who is scoring")
    expect(who).to_contain_text("Nobody is scoring")
    keys(console, "T")
    expect(who).to_contain_text("You are scoring.")
    expect(console.locator("#mode")).to_have_text("Ready")
    for number in (5, 6, 7):
        keys(console, "o", "h", "Enter", "Enter")
        recorded(console, f"#{number}")
    keys(console, "o")
    expect(console.locator("#offers")).to_contain_text("HRB (home): 0 left")
    keys(console, "h")
    expect(console.get_by_role("status", name="Result")).to_contain_text("HRB has no timeouts left")
    keys(console, "a", "Enter", "Enter")
    recorded(console, "#8")
    in_record(8)
