"""A visitor sees a table move, and is led to a league of their own."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.market.models import Season
from app.record.models import GameState
from tests.conftest import PASSWORD
from tests.e2e.looking import PHONE, looks_right
from tests.worlds.draft_season import make_draft_season
from tests.worlds.games import ingest_and_refresh, make_game, messages, touchdown_drive
from tests.worlds.leagues import make_league, make_sheet
from tests.worlds.team_sheets import make_nfl

pytestmark = pytest.mark.e2e

DRIVE = touchdown_drive()


@pytest.fixture
def public_league(member: Callable[..., Member], site: str) -> None:
    """Ann leads after a run of her runner, until Bob's catcher scores."""
    make_game()
    ids = [member(name).id for name in ("ann", "bob")]
    league = make_league(ids[0], dict(zip(ids, ("Inkwell", "Punters"), strict=True)))
    make_sheet(ids[0], league, ["H3"], captain="H3")
    make_sheet(ids[1], league, ["H2"], captain="H2")
    db.session.commit()
    league.is_public = True
    db.session.get_one(Season, league.season_id).is_simulated = False
    db.session.commit()
    ingest_and_refresh(messages(DRIVE[:6]))


@pytest.mark.everyday("only a browser polls")
def test_a_table_moves_while_a_game_is_played(
    public_league: None, open_page: Callable[..., Page]
) -> None:
    page = open_page(viewport=PHONE)
    page.goto("/")
    table = page.get_by_role("region", name="Row")
    expect(table.get_by_text("Live: 1 game")).to_be_visible()
    expect(table.get_by_role("row").nth(1)).to_contain_text("Inkwell")
    looks_right(page, "visitors-live")
    ingest_and_refresh(messages(DRIVE[6:], first=7, play=2))
    expect(table.get_by_role("row").nth(1)).to_contain_text("Punters")


def test_without_a_game_the_gameweek_is_replayed(
    public_league: None, open_page: Callable[..., Page]
) -> None:
    ingest_and_refresh(messages(DRIVE[6:], first=7, play=2))
    db.session.query(GameState).update({"status": "final"})
    db.session.commit()
    page = open_page(viewport=PHONE)
    page.goto("/")
    table = page.get_by_role("region", name="Row")
    expect(table.get_by_role("button", name="Play again")).to_be_visible()  # it has run through
    expect(table.get_by_role("row").nth(1)).to_contain_text("Punters")
    looks_right(page, "visitors-replay")
    table.get_by_role("button", name="Play again").click()
    expect(table.get_by_role("row").nth(1)).to_contain_text("Inkwell")
    table.get_by_role("button", name="Pause").click()
    expect(table.get_by_role("button", name="Play", exact=True)).to_be_visible()
    table.get_by_role("link").click()  # the play
    page.wait_for_url(re.compile(r"/games/g1/plays#play-\d$"))


class Newcomer:
    """A visitor on a phone; each press on a link or a button is a tap."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.taps = 0
        page.goto("/")

    def tap(self, role: Literal["link", "button"], name: str) -> None:
        self.page.get_by_role(role, name=name).click()
        self.taps += 1

    def register(self) -> None:
        self.page.get_by_label("Username").fill("newby")
        self.page.get_by_label("Display name").fill("New By")
        self.page.get_by_label("Password").fill(PASSWORD)
        self.tap("button", "Register")


def test_a_visitor_founds_a_league_for_friends(site: str, open_page: Callable[..., Page]) -> None:
    make_nfl(first=clock.now() + timedelta(days=2))
    page = open_page(viewport=PHONE)
    newcomer = Newcomer(page)
    expect(page.get_by_role("heading", name="No standings yet")).to_be_visible()
    looks_right(page, "visitors")
    newcomer.tap("link", "Start a salary-cap league")
    newcomer.register()
    page.get_by_label("League name").fill("Ten Friends")
    newcomer.tap("button", "Create the league")
    expect(page.get_by_role("heading", name="Ten Friends")).to_be_visible()


@pytest.mark.parametrize(
    ("link", "button", "reached"),
    [
        ("Start a draft league", "Create the league", "#invite-code"),
        ("Try a mock draft", "Start mock draft", "#room"),
    ],
)
def test_a_visitor_is_drafting_within_five_taps(
    site: str, open_page: Callable[..., Page], link: str, button: str, reached: str
) -> None:
    make_draft_season(clock.now() + timedelta(days=30), 2099)
    page = open_page(viewport=PHONE)
    newcomer = Newcomer(page)
    newcomer.tap("link", link)
    newcomer.register()
    if link == "Start a draft league":
        page.get_by_label("League name").fill("The Yard")
    newcomer.tap("button", button)
    expect(page.locator(reached)).to_be_visible()
    assert newcomer.taps <= 5


def test_a_visitor_has_a_saved_team_within_five_taps(
    site: str, open_page: Callable[..., Page]
) -> None:
    make_nfl(first=clock.now() + timedelta(days=2))
    page = open_page(viewport=PHONE)
    newcomer = Newcomer(page)
    newcomer.tap("link", "Just pick a team")
    newcomer.register()
    newcomer.tap("link", "Auto-pick my team")
    newcomer.tap("button", "Save team")
    expect(page.get_by_role("status").filter(has_text="Saved.")).to_be_visible()
    assert newcomer.taps <= 5
