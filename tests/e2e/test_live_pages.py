"""What a play moves on pages that a member has open, without a reload.

The front page, and a matchup.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.standings.models import League, Matchup
from app.record import events as ev
from scorer_console.record.numbering import Entry
from tests.e2e.looking import PHONE, looks_right
from tests.e2e.road import bring_in
from tests.worlds.games import DRIVE, make_game
from tests.worlds.leagues import make_league, make_sheet
from tests.worlds.scorer import submit

pytestmark = pytest.mark.e2e
FIRST_SNAP = 5


@pytest.fixture
def league(member: Callable[..., Member]) -> League:
    """Ann, with Harbor's passer as captain, plays Bob, who has their catcher."""
    make_game("g1")
    ann, bob = member("ann"), member("bob")
    league = make_league(ann.id, {who.id: f"{who.display_name}'s Team" for who in (ann, bob)})
    league.mode = "head_to_head"
    sheet = make_sheet(ann.id, league, ["H1"], captain="H1")
    make_sheet(bob.id, league, ["H2"])
    db.session.add(
        Matchup(league_id=league.id, gameweek_id=sheet.gameweek_id, home_id=ann.id, away_id=bob.id)
    )
    db.session.commit()
    return league


def enter(bodies: list[ev.Body], start: int = 0) -> None:
    submit("g1", [Entry(body, f"d:{n}") for n, body in enumerate(bodies, start=start)], clock.now())
    bring_in()


def test_the_front_page_and_the_matchup_move_with_the_play(
    league: League, open_page: Callable[..., Page]
) -> None:
    front, matchup = open_page("ann", viewport=PHONE), open_page("bob", viewport=PHONE)
    front.goto("/")
    matchup.goto("/leagues/row/matchups/1/1")
    expect(matchup.locator("#matchup")).to_contain_text("No data yet")
    expect(front.get_by_role("heading", name="Your players live")).to_have_count(0)
    for page in (front, matchup):
        page.evaluate("document.body.dataset.loaded = 'once'")  # a reload would lose it

    enter(DRIVE[:FIRST_SNAP])
    expect(front.get_by_role("heading", name="Your players live")).to_be_visible()
    expect(matchup.locator("#matchup")).to_contain_text("1 playing")
    expect(matchup.locator("#matchup")).not_to_contain_text("No data yet")

    enter(DRIVE[FIRST_SNAP:9], FIRST_SNAP)
    # 65 yards and a touchdown: 2.6 + 4, twice for the captain; the catcher 6.5 + 6.
    expect(matchup.locator("#matchup")).to_contain_text("Ann's Team is ahead by 0.70")
    leagues = front.get_by_role("region", name="Your leagues")
    expect(leagues).to_contain_text("13.20")
    expect(leagues.get_by_role("row").nth(1)).to_contain_text(re.compile(r"^\s*1\s*of 2"))
    expect(front.get_by_role("region", name="Latest")).to_contain_text("Player1")
    for page, name in ((front, "front-live"), (matchup, "matchup-live")):
        assert page.evaluate("document.body.dataset.loaded") == "once"
        looks_right(page, name)

    enter([ev.GameEnded(), ev.Final(home_score=6, away_score=0)], 9)
    expect(matchup.locator("#matchup")).not_to_contain_text("1 playing")
    expect(front.get_by_role("heading", name="Your players live")).to_have_count(0)
    for page in (front, matchup):
        assert page.evaluate("document.body.dataset.loaded") == "once"
