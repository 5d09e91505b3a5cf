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
    ann.get_by_role("link", name="What if: another captain, other starters").click()
    expect(ann.get_by_label("Gameweek", exact=True)).to_have_value("1")
    ann.get_by_label("To the bench", exact=True).select_option(label="H. Player1")
    ann.get_by_label("Starts instead", exact=True).select_option(label="S. Player1")
    ann.get_by_role("button", name="Work it out").first.click()
    expect(ann.get_by_role("heading", name="Then it would be")).to_be_visible()
    expect(
        ann.get_by_role("status").filter(has_text="would be won instead of lost")
    ).to_be_visible()
    looks_right(ann, "what-if")
    ann.get_by_label("Gameweek", exact=True).select_option(label="Every gameweek so far")
    ann.get_by_label("To the bench", exact=True).select_option(label="Nobody")
    ann.get_by_label("Captain", exact=True).select_option(label="H. Player3")
    ann.get_by_role("button", name="Work it out").first.click()
    expect(ann.get_by_text("H. Player3 was not in your squad: it stays as it was.")).to_be_visible()
    ann.get_by_label("What if the league were scored by").select_option(
        label="PPR, kickers and defence"
    )
    ann.get_by_role("button", name="Work it out").last.click()
    expect(ann.get_by_role("heading", name="PPR, kickers and defence instead of")).to_be_visible()
    expect(ann.get_by_role("heading", name="Then it would be")).to_be_visible()
    looks_right(ann, "what-if-rules")
