"""Times are in the viewer's own zone, which a page says once, and in the viewer's own format."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.accounts import appearance
from app.accounts.models import Member
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
    page = open_page(timezone_id=zone, locale="en-GB")
    page.goto("/games")
    expect(page.locator("a.game time")).to_have_text(local_time)
    expect(page.get_by_text("Times are in")).to_have_count(1)
    expect(page.locator("#page-zone")).to_have_text(zone_words)


@pytest.mark.parametrize(
    ("locale", "chosen", "local_time"),
    [
        ("en-US", "system", "Sun 13 Sep, 1:00 PM"),
        ("en-GB", "system", "Sun 13 Sep, 13:00"),
        ("en-US", "24", "Sun 13 Sep, 13:00"),
        ("en-GB", "12", "Sun 13 Sep, 1:00 PM"),
    ],
)
def test_the_time_of_day_is_written_as_chosen_or_as_the_device_does(
    locale: str,
    chosen: str,
    local_time: str,
    member: Callable[..., Member],
    open_page: Callable[..., Page],
) -> None:
    make_game()
    appearance.choose(member("ann"), "system", chosen, 1)
    page = open_page("ann", timezone_id="America/New_York", locale=locale)
    page.goto("/games")
    expect(page.locator("a.game time")).to_have_text(local_time)


def test_without_javascript_the_zone_is_utc(open_page: Callable[..., Page]) -> None:
    make_game()
    page = open_page(java_script_enabled=False)
    page.goto("/games")
    expect(page.locator("a.game time")).to_have_text("Sun 13 Sep, 17:00")
    expect(page.get_by_text("Times are in UTC.")).to_be_visible()
