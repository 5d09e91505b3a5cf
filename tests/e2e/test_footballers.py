"""A member follows a footballer on a phone and on a laptop.

Live, opened down to the plays, compared with another.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.market.models import FootballerSeason
from app.record import events as ev
from tests.e2e.looking import PHONE, looks_right
from tests.worlds.footballers import make_footballers
from tests.worlds.games import ingest, messages

pytestmark = pytest.mark.e2e


def test_a_footballer_is_followed_and_compared(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    member("ann")
    season = make_footballers(
        begun=5, weeks=9, first=clock.now() - timedelta(days=28, hours=1), noted=True
    )
    db.session.execute(
        db.text(
            "UPDATE game_states SET status = 'final', version = version + 1 WHERE game_id <> 'g5'"
        )
    )
    injured = db.session.get_one(FootballerSeason, (season.id, "H2"))
    injured.status, injured.news, injured.price, injured.selected = (
        "doubtful",
        "Hamstring, 75% fit.",
        78,
        512,
    )
    db.session.commit()
    ann = open_page("ann", viewport=PHONE)
    ann.goto("/games/g5/box")
    ann.get_by_role("link", name="H. Player2").first.click()
    expect(ann.get_by_role("heading", name="H. Player2")).to_be_visible()
    expect(ann.get_by_text("Hamstring, 75% fit.")).to_be_visible()
    expect(ann.get_by_text("Playing now")).to_be_visible()
    expect(ann.locator("#game-g5 td.points")).to_contain_text("12.50")
    expect(ann.get_by_role("link", name="PPR", exact=True)).to_be_visible()
    ann.get_by_text("All weeks", exact=True).click()
    looks_right(ann, "footballer")
    again = ev.Pass(
        team="HRB", passer="H1", receiver="H2", result="complete", throw_yard=35, reception_yard=45
    )
    ingest(messages([again], "g5", first=12))
    expect(ann.locator("#game-g5 td.points")).to_contain_text("13.50")
    ann.locator("#why-g5").click()
    expect(ann.get_by_role("heading", name="H. Player2")).to_be_visible()
    ann.get_by_role("heading", name="H. Player2").get_by_role("link").click()
    ann.get_by_role("link", name="Compare", exact=True).click()
    ann.get_by_label("Search by name").fill("player3")
    ann.get_by_role("button", name="Search").click()
    ann.get_by_role("link", name="H. Player3").click()
    expect(ann.get_by_role("heading", name="2 players")).to_be_visible()
    expect(ann.get_by_role("row", name="Points per game")).to_be_visible()
