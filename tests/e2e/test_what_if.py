"""A member tries another captain from their team's page, and the commissioner another scoring."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.fantasy.standings.models import League
from tests.e2e.looking import PHONE, looks_right
from tests.fantasy.leagues.test_what_if import season

__all__ = ["season"]
pytestmark = pytest.mark.e2e


def test_what_would_have_been(
    season: tuple[League, dict[str, int]], open_page: Callable[..., Page]
) -> None:
    ann = open_page("ann", viewport=PHONE)
    ann.goto(f"/leagues/row/teams/{season[1]['ann']}?week=1")
    ann.get_by_role("link", name="Try a different lineup").click()
    expect(ann.get_by_label("Week", exact=True)).to_have_value("1")
    ann.get_by_label("Bench", exact=True).select_option(label="H. Player1")
    ann.get_by_label("Start", exact=True).select_option(label="S. Player1")
    ann.get_by_role("button", name="Calculate").first.click()
    expect(ann.get_by_role("heading", name="Result", exact=True)).to_be_visible()
    expect(ann.get_by_role("status").filter(has_text="a win, not a loss")).to_be_visible()
    looks_right(ann, "what-if")
    ann.get_by_label("Week", exact=True).select_option(label="Every week so far")
    ann.get_by_label("Bench", exact=True).select_option(label="Choose player")
    ann.get_by_label("Captain", exact=True).select_option(label="H. Player3")
    ann.get_by_role("button", name="Calculate").first.click()
    expect(ann.get_by_text("H. Player3 was not on your team, so nothing changes.")).to_be_visible()
    ann.get_by_label("Try another scoring").select_option(label="PPR, kickers and defense")
    ann.get_by_role("button", name="Calculate").last.click()
    expect(ann.get_by_role("heading", name="PPR, kickers and defense instead of")).to_be_visible()
    expect(ann.get_by_role("heading", name="Result", exact=True)).to_be_visible()
    looks_right(ann, "what-if-rules")
