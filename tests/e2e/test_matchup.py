"""A head-to-head game side by side, opened from the league's table, on a phone and on a laptop."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from tests.e2e.looking import PHONE, looks_right
from tests.worlds.played_league import played_league

pytestmark = pytest.mark.e2e


def test_a_game_is_looked_at_side_by_side(member: Callable[..., Member], open_page: Callable[..., Page]) -> None:
    ids = {name: member(name).id for name in ("ann", "bob")}
    played = played_league(ids, ({"ann": 50, "bob": 40},), mode="head_to_head")
    ann = open_page("ann", viewport=PHONE)
    ann.goto(f"/leagues/{played.league.slug}/matchups/1/{ids['ann']}")
    expect(ann.get_by_role("heading", name="Ann FC v Bob FC")).to_be_visible()
    expect(ann.get_by_text("Ann FC is ahead by 2.00.")).to_be_visible()
    looks_right(ann, "matchup")
