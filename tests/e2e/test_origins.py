"""An integrator says on a page from which sites their browser game may call the API."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from tests.e2e.looking import PHONE, looks_right
from tests.worlds.score_games import make_integrator, make_score_game

pytestmark = pytest.mark.e2e


@pytest.mark.everyday("only a browser asks before it sends")
def test_a_browser_game_is_let_in(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    studio = make_integrator("Dice House", member("ann").id)
    for slug, title in (
        ("dice", "Dice"),
        ("long", "Averyveryverylongtitleofagamewithoutanyspaceinitatall"),
    ):
        make_score_game(slug, title, studio.id)
    ann = open_page("ann", viewport=PHONE, expect_errors=["422"])
    ann.goto(f"/integrators/{studio.id}")
    ann.get_by_role("link", name="Browser games").click()
    sites = ann.get_by_label("Sites for Dice")
    sites.fill("play.example.com")
    ann.get_by_role("button", name="Save sites for Dice").click()
    expect(ann.get_by_text("play.example.com is not an origin")).to_be_visible()
    looks_right(ann, "origins-refused")
    sites.fill("https://play.example.com\nhttp://localhost:5173")
    ann.get_by_role("button", name="Save sites for Dice").click()
    expect(
        ann.get_by_role("status").filter(has_text="Saved: Dice is allowed on 2 sites.")
    ).to_be_visible()
    expect(sites).to_have_value("http://localhost:5173\nhttps://play.example.com")
