"""A league on a phone: its table begins at once, and nothing covers it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from app.core.db import db
from tests.e2e.looking import NARROWEST, PHONE, accessible, fits_the_window, in_sizes
from tests.worlds.games import ingest_and_refresh, make_game, messages, touchdown_drive
from tests.worlds.leagues import make_league, make_sheet

pytestmark = pytest.mark.e2e


@pytest.fixture
def league(member: Callable[..., Member], site: str) -> None:
    """A game that is being played; five teams, of which three share a rank."""
    make_game()
    ids = [member(name).id for name in ("ann", "bob", "cat", "dan", "eve")]
    league = make_league(ids[0], {member_id: f"Team {member_id}" for member_id in ids})
    make_sheet(ids[0], league, ["H1", "H3"], captain="H1")
    make_sheet(ids[1], league, ["H2"])
    db.session.commit()
    ingest_and_refresh(messages(touchdown_drive()))


def test_the_table_begins_within_200_pixels_and_the_way_back_in_time_is_below_it(
    league: None, open_page: Callable[..., Page]
) -> None:
    page = open_page("ann", viewport=PHONE)
    page.goto("/leagues/row")
    table = page.get_by_role("table", name="Row, Week")
    button = page.get_by_role("button", name="Rewind")
    expect(table).to_be_visible()
    page.evaluate("document.fonts.ready.then(() => null)")
    for _ in in_sizes(
        page, *({"width": width, "height": 844} for width in (390, 375, 360, NARROWEST))
    ):
        page.evaluate("scrollTo(0, 0)")
        page.wait_for_function(
            "() => document.querySelector('.standings').getBoundingClientRect().y <= 200"
        )
        expect(button).to_be_visible()
        page.locator("#member-5").scroll_into_view_if_needed()
        table_box, under = table.bounding_box(), button.bounding_box()
        assert table_box is not None
        assert under is not None
        assert under["y"] >= table_box["y"] + table_box["height"]
        fits_the_window(page)
    accessible(page)


def test_ranks_that_are_shared_stand_below_those_that_are_not(
    league: None, open_page: Callable[..., Page]
) -> None:
    page = open_page("ann", viewport=PHONE)
    page.goto("/leagues/row")
    expect(page.locator("#member-5 .shared")).to_be_attached()
    right = """row => {
      const range = document.createRange();
      const cell = document.querySelector(row + " .rank");
      range.selectNodeContents(cell.firstChild);
      return Math.round(range.getBoundingClientRect().right);
    }"""
    first, last = (page.evaluate(right, f"#member-{number}") for number in (1, 5))
    assert abs(first - last) <= 1
