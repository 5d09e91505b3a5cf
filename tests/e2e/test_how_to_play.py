"""Somebody new reads how to play, on a phone and on a laptop, and goes on to pick a team."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from app.core import clock
from tests.e2e.looking import PHONE, looks_right
from tests.worlds.team_sheets import make_nfl

pytestmark = pytest.mark.e2e


def test_a_newcomer_reads_how_to_play_and_picks_a_team(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    member("ann")
    make_nfl(first=clock.now() + timedelta(days=2))
    ann = open_page("ann", viewport=PHONE)
    ann.goto("/")
    ann.get_by_role("contentinfo").get_by_role("link", name="How to play").click()
    expect(ann.get_by_role("heading", name="How to play")).to_be_visible()
    expect(ann.get_by_role("heading", name="Pick a team")).to_be_visible()
    ann.get_by_text("All scoring values").click()
    expect(ann.get_by_text("Passing touchdown", exact=True)).to_be_visible()
    looks_right(ann, "how-to-play")
    ann.get_by_role("link", name="Pick your team").click()
    expect(ann.get_by_role("heading", name="Your team · Week 1")).to_be_visible()
