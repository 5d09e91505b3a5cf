"""Game night: a scorer with a keyboard, a member with a phone, and everything between them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Response, expect
from sqlalchemy import func, select

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.notices.models import Notice
from app.fantasy.standings.models import League
from app.record import events as ev
from app.record.backlog import ingested_count
from app.record.models import GameState
from app.record.play_tables import PLAY_ROWS
from scorer_console.record.numbering import Entry
from tests.e2e.keyboard import keys
from tests.e2e.looking import PHONE
from tests.e2e.signing_in import sign_out
from tests.waiting import until
from tests.worlds.games import make_game, touchdown_drive
from tests.worlds.leagues import make_league, make_sheet
from tests.worlds.scorer import leave, submit

pytestmark = [pytest.mark.e2e, pytest.mark.smoke]


@pytest.fixture
def league(member: Callable[..., Member], processes: None) -> League:
    """Ann has Harbor's passer as captain, Bob their catcher; Bob leads nobody before the game."""
    make_game("g1")
    ann, bob = member("ann"), member("bob")
    member("sal", role="scorer")
    league = make_league(ann.id, {who.id: f"{who.display_name}'s Team" for who in (ann, bob)})
    make_sheet(ann.id, league, ["H1"], captain="H1")
    make_sheet(bob.id, league, ["H2"])
    db.session.commit()
    return league


def kick_off() -> int:
    """The game as far as the first snap of Harbor's drive, on its own 25.

    Returns the number of events.
    """
    bodies = touchdown_drive()[:4]
    accepted = submit(
        "g1", [Entry(body, f"start:{i}") for i, body in enumerate(bodies)], clock.now()
    )
    leave("g1", clock.now())
    return accepted[-1].event_number


def test_a_touchdown_by_keyboard_moves_the_members_table_without_a_reload(
    league: League, open_page: Callable[..., Page], measured: Callable[[str], None]
) -> None:
    count = kick_off()
    until(lambda: ingested_count("g1") == count, "the kick-off in the record")
    phone = open_page("ann", viewport=PHONE)
    phone.goto("/leagues/row")
    table = phone.get_by_role("table", name="Row, Week 1")
    expect(table.get_by_role("row", name=re.compile("Ann's Team"))).to_contain_text("0.00")
    phone.evaluate("document.body.dataset.loaded = 'once'")  # a reload would lose it

    console = open_page("sal")
    console.goto("/console/g1")
    expect(console.locator("#cmd")).to_be_focused()
    keys(console, "s", "Enter")
    expect(console.get_by_role("status", name="Result")).to_contain_text("Recorded")
    keys(console, "p", "1", "Enter", "c", "2", "Enter", "+15", "Enter", "t", "Enter")
    expect(console.locator("#sentence")).to_contain_text("TOUCHDOWN")
    pressed = time.monotonic()
    keys(console, "Enter")
    expect(table.get_by_role("row", name=re.compile("Ann's Team"))).to_contain_text("14.00")
    took = time.monotonic() - pressed
    measured(f"From key press to changed table: {took:.2f} s (the table is polled every 2 s)")

    # 75 yards and a touchdown: the passer 3.0 + 4, twice for the captain; the catcher 7.5 + 6.
    expect(table.get_by_role("row", name=re.compile("Bob's Team"))).to_contain_text("13.50")
    assert phone.evaluate("document.body.dataset.loaded") == "once"
    thrown = db.session.scalars(select(PLAY_ROWS["passes"])).one()
    assert (thrown.passer_id, thrown.receiver_id, thrown.throw_yard, thrown.reception_yard) == (
        "H1",
        "H2",
        25,
        40,
    )
    assert db.session.get_one(GameState, "g1").home_score == 6
    newest = console.locator(".log-play").first.locator("li[data-event]").last
    expect(newest).to_have_attribute("data-state", "ingested")
    offset = re.compile(r"partition \d+, offset \d+")
    expect(newest.locator(".log-event")).to_have_attribute("title", offset)


def test_a_member_watches_their_captains_touchdown_loses_it_to_a_ruling_and_reads_why(
    league: League, open_page: Callable[..., Page]
) -> None:
    drive = touchdown_drive()
    submit("g1", [Entry(body, f"d:{i}") for i, body in enumerate(drive[:7])], clock.now())
    phone = open_page("ann", viewport=PHONE)
    phone.goto("/leagues/row/teams/1")
    passer = phone.get_by_role("row", name=re.compile("H. Player1"))
    expect(passer).to_contain_text("Captain ×2")
    expect(phone.get_by_text("1 playing")).to_be_visible()
    phone.evaluate("document.body.dataset.loaded = 'once'")  # a reload would lose it

    # 65 yards and a touchdown: 2.6 + 4, twice for the captain.
    submit("g1", [Entry(body, f"d:{i}") for i, body in enumerate(drive[7:9], start=7)], clock.now())
    expect(passer).to_contain_text("13.20")
    expect(phone.get_by_role("row", name=re.compile("^Total"))).to_contain_text("13.20")

    ruling = ev.Pass(team="HRB", passer="H1", receiver="H2", result="incomplete", throw_yard=35)
    bodies: list[ev.Body] = [
        ev.Overturn(event=8, ruling=ruling, reason="Ball touched the ground"),
        ev.Nullify(events=(9,)),
    ]
    submit("g1", [Entry(body, f"c:{i}") for i, body in enumerate(bodies)], clock.now())
    expect(phone.get_by_role("row", name=re.compile("^Total"))).to_contain_text("0.00")
    expect(phone.get_by_role("heading", name="Stat corrections")).to_be_visible()
    expect(phone.locator("#team")).to_contain_text(
        "Overturned (Ball touched the ground): H. Player1 to H. Player2, incomplete."
    )
    assert phone.evaluate("document.body.dataset.loaded") == "once"
    corrections = select(func.count()).where(Notice.kind == "correction")
    until(lambda: bool(db.session.scalar(corrections)), "Ann is told of the correction")

    phone.get_by_role("listitem").filter(has_text="incomplete").locator("strong").get_by_role(
        "link", name="H. Player1"
    ).click()
    expect(phone.get_by_role("heading", name=re.compile("H. Player1"))).to_be_visible()
    expect(phone.locator("#main")).to_contain_text("incomplete")

    # The notices stay: the bell, and the sentence of the ruling.
    phone.get_by_role("link", name=re.compile("Notifications")).click()
    corrected = phone.get_by_role("listitem").filter(has_text="Stat correction")
    expect(corrected.first).to_contain_text("Why: ")


def test_the_table_stops_polling_when_all_games_are_over(
    league: League, open_page: Callable[..., Page]
) -> None:
    page = open_page("ann", viewport=PHONE)
    page.goto("/leagues/row")
    polls: list[int] = []

    def note(response: Response) -> None:
        # the bell has its own
        if "hx-request" in response.request.headers and "/leagues/row" in response.url:
            polls.append(response.status)

    page.on("response", note)
    expect(page.locator("#standings")).to_have_attribute("hx-get", "/leagues/row")
    page.wait_for_event("response", lambda response: response.status == 304)
    bodies = [*touchdown_drive(), ev.GameEnded(), ev.Final(home_score=7, away_score=0)]
    submit("g1", [Entry(body, f"all:{i}") for i, body in enumerate(bodies)], clock.now())
    page.wait_for_event("response", lambda response: response.status == 286)
    expect(page.get_by_text("All games are over")).to_be_visible()
    expect(page.locator("#standings[hx-get]")).to_have_count(0)
    assert polls[-1] == 286
    assert 304 in polls


def test_pages_work_without_javascript(league: League, open_page: Callable[..., Page]) -> None:
    count = submit(
        "g1", [Entry(b, f"d:{i}") for i, b in enumerate(touchdown_drive())], clock.now()
    )[-1].event_number
    until(lambda: ingested_count("g1") == count, "the drive in the record")
    page = open_page("ann", viewport=PHONE, java_script_enabled=False)
    page.goto("/leagues/row")
    row = page.locator("#standings").get_by_role("row", name=re.compile("Ann's Team"))

    def has_points_on_reload() -> bool:
        page.reload()
        return "13.20" in row.inner_text()

    until(has_points_on_reload, "the table has the points of the drive")
    page.locator("#standings").get_by_role("link", name=re.compile("Ann's Team")).click()
    expect(page.get_by_role("row", name=re.compile("H. Player1"))).to_contain_text("Captain")
    page.get_by_role("link", name="Games", exact=True).click()
    page.get_by_role("link", name=re.compile("Harbor")).click()
    expect(
        page.get_by_text(re.compile(r"Player1 to (H\. )?Player2 for 65 yards\. Touchdown!"))
    ).to_be_visible()
    sign_out(page)
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()
