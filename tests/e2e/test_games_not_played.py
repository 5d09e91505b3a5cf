"""An operator gives a game a new kickoff, and cancels another, each after a preview."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.record.models import Game
from tests.e2e.looking import PHONE, looks_right
from tests.worlds.team_sheets import make_world

pytestmark = pytest.mark.e2e


@pytest.mark.everyday("the operator's story")
def test_an_operator_moves_a_game_and_cancels_another(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    member("olive", role="operator")
    first = clock.now().replace(second=0, microsecond=0) + timedelta(days=3)
    make_world(first=first, real=True)
    later = first + timedelta(days=2)
    page = open_page("olive", viewport=PHONE, expect_errors=["422"])
    page.goto("/ops")
    page.get_by_role("link", name="Games", exact=True).last.click()
    expect(page.get_by_role("heading", name="Open games")).to_be_visible()

    page.get_by_role("link", name="Bur at Ayr").first.click()
    page.get_by_label("New status").select_option("New kickoff")
    page.get_by_label("New kickoff, local time").fill(f"{later:%Y-%m-%dT%H:%M}")
    page.get_by_label("Time zone of the stadium").fill("UTC")
    page.get_by_label("Reason").fill("Flooded pitch")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("region", name="Preview")).to_contain_text(
        "The deadline of Week 1 moves"
    )
    looks_right(page, "ops-game-preview")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_role("heading", name="Preview")).to_have_count(0)
    assert db.session.get_one(Game, "cup-1-AYR", populate_existing=True).kickoff == later

    page.goto("/ops/games/cup-1-CRK")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("Choose the new status of the game.")).to_be_visible()
    page.get_by_label("New status").select_option("Cancelled")
    page.get_by_label("Reason").fill("Storm")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("region", name="Preview")).to_contain_text("nothing counts")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_role("heading", name="Preview")).to_have_count(0)
