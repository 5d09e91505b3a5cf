"""A member sees the latest changes of the table, and both tables during a review."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from app.core.db import db
from app.record import events as ev
from tests.e2e.looking import PHONE, looks_right
from tests.fantasy.test_balance import OVERTURNED, PENDING
from tests.worlds.games import ingest_and_refresh, make_game, messages, touchdown_drive
from tests.worlds.leagues import make_league, make_sheet

pytestmark = pytest.mark.e2e

TEAMS = {
    "ann": "Couch Commanders",
    "bob": "Fourth and Hopeful",
    "cat": "The Punt Intended Society of Upper Harbour",
    "dan": "Null Pointers",
    "eve": "Turf Monsters",
}
SHEETS = {"ann": ["H3", "S2"], "bob": ["H2", "H3"], "cat": ["H1"], "dan": ["H2"], "eve": ["S1"]}


@pytest.fixture
def league(member: Callable[..., Member], site: str) -> None:
    """The drive up to the pass is in."""
    make_game()
    ids = {name: member(name).id for name in TEAMS}
    league = make_league(ids["ann"], {ids[name]: team for name, team in TEAMS.items()})
    for name, picks in SHEETS.items():
        make_sheet(ids[name], league, picks, captain="H1" if name == "cat" else None)
    db.session.commit()
    enter(0, 6)


def enter(start: int, end: int) -> None:
    ingest_and_refresh(messages(touchdown_drive())[start:end])


def test_a_touchdown_moves_tables_before_the_members_eyes_and_a_review_shows_both(
    league: None, open_page: Callable[..., Page]
) -> None:
    page = open_page("ann", viewport=PHONE)
    page.goto("/leagues/row")
    now = page.get_by_role("region", name="Latest plays")
    expect(now).to_contain_text("Player3 runs to the HRB 35 for 10.")
    enter(6, 9)
    expect(now.locator("#now-words")).to_contain_text("Touchdown!")
    expect(now).to_contain_text("Earlier")
    expect(now.get_by_role("row", name=re.compile("Fourth and Hopeful"))).to_contain_text("+12.50")
    looks_right(page, "swing-league")
    ingest_and_refresh(messages([PENDING], first=10, play=3))
    balance = page.get_by_role("article", name="Under review")
    expect(balance).to_contain_text("Challenge by SUM: under review (complete?).")
    stands, overturned = (
        balance.get_by_role("table", name=name) for name in ("If it stands", "If overturned")
    )
    expect(stands.get_by_role("row").nth(1)).to_contain_text("Couch Commanders")
    expect(stands.get_by_role("row", name=re.compile("Fourth and Hopeful"))).to_contain_text(
        "13.50"
    )
    expect(overturned.get_by_role("row", name=re.compile("Fourth and Hopeful"))).to_contain_text(
        "1.00"
    )
    looks_right(page, "swing-balance")
    incomplete = ev.Pass(team="HRB", passer="H1", receiver="H2", result="incomplete", throw_yard=35)
    taken: list[ev.Body] = [
        OVERTURNED,
        ev.Overturn(event=8, ruling=incomplete),
        ev.Nullify(events=(9,)),
    ]
    ingest_and_refresh(messages(taken, first=11, play=3))
    expect(balance).to_have_count(0)
    expect(now).to_contain_text("Correction")
    expect(page.locator("#member-2")).to_contain_text("1.00")
    now.get_by_role("link", name="Share this play").click()
    expect(page.get_by_role("heading", name="After the correction")).to_be_visible()
    page.get_by_role("button", name="Create link").click()
    picture = page.get_by_role("img", name=re.compile("Preview picture"))
    expect(picture).to_be_visible()
    expect(picture).to_have_js_property("naturalWidth", 1200)
    expect(page.get_by_role("button", name=re.compile("Copy link|Share"))).to_be_visible()
    looks_right(page, "swing-play")
    link = page.get_by_label("Link", exact=True).input_value()
    stranger = open_page(viewport=PHONE)
    stranger.goto(link)
    expect(stranger.get_by_role("heading", name="After the correction")).to_be_visible()
    page.get_by_role("link", name="All scoring plays: SUM at HRB").click()
    expect(page.get_by_role("listitem").filter(has_text="Player3 runs")).to_be_visible()
