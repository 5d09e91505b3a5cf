"""Times are in the viewer's own zone, which a page says once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.worlds.games import make_game

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize(
    ("zone", "local_time", "zone_words"),
    [
        ("America/New_York", "Sun 13 Sep, 13:00", "America/New York"),
        ("Asia/Tokyo", "Mon 14 Sep, 02:00", "Asia/Tokyo"),
    ],
)
def test_a_kickoff_is_shown_in_the_viewers_zone(
    zone: str, local_time: str, zone_words: str, open_page: Callable[..., Page]
) -> None:
    make_game()
    page = open_page(timezone_id=zone)
    page.goto("/games")
    expect(page.locator("a.game time")).to_have_text(local_time)
    expect(page.get_by_text("Times are in")).to_have_count(1)
    expect(page.locator("#zone")).to_have_text(zone_words)


def test_without_javascript_the_zone_is_utc(open_page: Callable[..., Page]) -> None:
    make_game()
    page = open_page(java_script_enabled=False)
    page.goto("/games")
    expect(page.locator("a.game time")).to_have_text("Sun 13 Sep, 17:00")
    expect(page.get_by_text("Times are in UTC.")).to_be_visible()
