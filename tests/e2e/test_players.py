"""A member looks for players: sorted, searched with a typing error, compared, and with news."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.record.models import Footballer
from tests.e2e.looking import LAPTOP, PHONE, looks_right
from tests.worlds.footballers import make_footballers

pytestmark = pytest.mark.e2e


@pytest.fixture
def season(member: Callable[..., Member]) -> None:
    """Three games are over or on; H3 has another name."""
    member("ann")
    make_footballers(begun=3, weeks=6, first=clock.now() - timedelta(days=14, hours=1), noted=True)
    db.session.get_one(Footballer, "H3").name = "Roscoe Farrowdale"
    db.session.commit()


def test_players_are_found_and_compared_on_a_phone(
    season: None, open_page: Callable[..., Page]
) -> None:
    ann = open_page("ann", viewport=PHONE)
    ann.goto("/players")
    rows = ann.get_by_role("row").filter(has=ann.get_by_role("checkbox"))
    expect(rows).to_have_count(5)
    expect(rows.first).to_contain_text("37.50")
    looks_right(ann, "players")
    ann.get_by_text("Filter and sort").click()
    ann.get_by_label("Sort by").select_option("Price")
    expect(rows.first).to_contain_text("H. Player1")
    looks_right(ann, "players-filters")
    ann.get_by_label("Search by name").fill("farow")
    expect(ann.get_by_text("No match for “farow”. Similar names:")).to_be_visible()
    expect(rows).to_have_count(1)
    ann.get_by_label("Search by name").fill("")
    expect(rows).to_have_count(5)
    for name in ("H. Player1", "H. Player2", "Roscoe Farrowdale"):
        ann.get_by_label(f"Compare {name}").check()
    ann.get_by_role("button", name="Compare").click()
    expect(ann.get_by_role("heading", name="3 players")).to_be_visible()
    expect(ann.get_by_role("row", name="Points per game")).to_be_visible()
    looks_right(ann, "compare")
    ann.get_by_role("link", name="Remove H. Player1").click()
    expect(ann.get_by_role("heading", name="2 players")).to_be_visible()


def test_a_table_is_sorted_by_its_headings_and_shows_a_moderators_news(
    season: None, member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    member("meg", role="moderator")
    meg = open_page("meg", viewport=LAPTOP)
    meg.goto("/moderation/news")
    meg.get_by_label("Find a player").fill("player2")
    meg.get_by_role("button", name="Search").click()
    meg.get_by_role("link", name="H. Player2").click()
    meg.get_by_label("News", exact=True).fill("Hurt his ankle in practice.")
    meg.get_by_label("New status").select_option("Doubtful")
    looks_right(meg, "write-news")
    meg.get_by_role("button", name="Publish").click()
    expect(
        meg.get_by_role("status").filter(has_text="News published on the player's page.")
    ).to_be_visible()
    ann = open_page("ann", viewport=LAPTOP)
    ann.goto("/players?position=WR")
    heading = ann.get_by_role("columnheader", name="Receiving yards")
    heading.get_by_role("link").press("Enter")
    expect(heading).to_have_attribute("aria-sort", "descending")
    row = ann.get_by_role("row").filter(has_text="H. Player2")
    expect(row).to_contain_text("Doubtful")
    expect(row.get_by_role("img")).to_have_accessible_name(
        "Points by week, 1: 12.50, 2: 12.50, 3: 12.50"
    )
    looks_right(ann, "players-receivers")
    row.get_by_role("link").click()
    expect(ann.get_by_text("Hurt his ankle in practice.")).to_be_visible()
    expect(ann.get_by_role("img", name="Points by week")).to_be_visible()
