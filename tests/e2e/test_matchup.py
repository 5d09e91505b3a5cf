"""A matchup followed on a phone and on a laptop: from the league's page to the last whistle."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.standings.models import League, Matchup
from app.record import events as ev
from scorer_console.record.numbering import Entry
from tests.e2e.looking import LAPTOP, NARROWEST, PHONE, looks_right
from tests.e2e.road import bring_in
from tests.worlds.games import DRIVE, make_game
from tests.worlds.leagues import make_league, make_sheet
from tests.worlds.scorer import submit

pytestmark = pytest.mark.e2e
BENCH = 9  # the first place of a substitute in nfl-classic


@pytest.fixture
def league(member: Callable[..., Member]) -> League:
    """Ann has Harbor's runner as captain and the catcher on the bench; Bob has the passer."""
    make_game("g1")
    ann, bob = member("ann"), member("bob")
    league = make_league(ann.id, {who.id: f"{who.display_name}'s Team" for who in (ann, bob)})
    league.mode = "head_to_head"
    bench = ["", "H3", *[""] * (BENCH - 2), "H2"]
    sheet = make_sheet(ann.id, league, bench, captain="H3")
    make_sheet(bob.id, league, ["H1", "S3"])
    db.session.add(
        Matchup(league_id=league.id, gameweek_id=sheet.gameweek_id, home_id=bob.id, away_id=ann.id)
    )
    db.session.commit()
    return league


def enter(bodies: list[ev.Body], start: int = 0) -> None:
    submit("g1", [Entry(body, f"d:{n}") for n, body in enumerate(bodies, start=start)], clock.now())
    bring_in()


def chance(page: Page) -> float:
    """The share of the bar that is the viewer's."""
    return float(page.locator("#matchup .chance-bar").get_attribute("value") or "nan")


def test_a_narrow_phone_breaks_no_place_of_the_league_and_leaves_names_their_room(
    league: League, open_page: Callable[..., Page]
) -> None:
    page = open_page("ann", viewport={"width": NARROWEST, "height": 640})
    page.goto("/leagues/row")
    page.evaluate("document.fonts.ready.then(() => null)")
    lines = page.locator(".place-bar a").evaluate_all("""links => links.map(link => {
        const text = [...link.childNodes].find(node => node.nodeType === 3 && node.data.trim());
        const range = document.createRange();
        range.selectNodeContents(text);
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    })""")
    assert len(lines) > 1
    assert set(lines) == {1}
    heading = page.get_by_role("columnheader", name="Match points").bounding_box()
    assert heading is not None
    assert heading["width"] <= 70, "on two lines, as the names need the rest"  # px


def test_my_matchup_comes_first_and_its_chance_moves_until_it_is_decided(
    league: League, open_page: Callable[..., Page]
) -> None:
    phone, laptop = open_page("ann", viewport=PHONE), open_page("ann", viewport=LAPTOP)
    for page, name in ((phone, "phone"), (laptop, "laptop")):
        page.goto("/leagues/row")
        card = page.get_by_role("region", name="Your matchup")
        expect(card).to_be_in_viewport()
        expect(card).to_contain_text("Projected")
        looks_right(page, f"league-with-my-matchup-{name}")
        card.get_by_role("link", name="Your matchup").click()
        # Mine is on the left, although Bob is at home.
        both = "Ann's Team vs Bob's Team"
        expect(page.get_by_role("heading", name=both)).to_be_attached()
        expect(page.locator("#matchup")).to_contain_text("Projected:")
    even = chance(phone)

    enter(DRIVE[:9])
    for page, name in ((phone, "phone"), (laptop, "laptop")):
        # 2.6 + 4 for the pass against a run of 10 yards, twice for the captain.
        expect(page.locator("#matchup")).to_contain_text("Bob's Team is ahead by 4.60.")
        expect(page.locator("#matchup")).to_contain_text(
            "Ann's Team needs to outscore Bob's Team by 4.60: H. Player3"
        )
        assert chance(page) < even
        looks_right(page, f"matchup-live-{name}")
        page.locator("#best-1 summary").click()
        expect(page.locator("#best-1")).to_contain_text("H. Player2 in")

    enter([ev.GameEnded(), ev.Final(home_score=6, away_score=0)], 9)
    for page, name in ((phone, "phone"), (laptop, "laptop")):
        expect(page.locator("#matchup")).to_contain_text("Bob's Team won by 4.60.")
        expect(page.locator("#matchup .chance-bar")).to_have_count(0)
        # An open line-up stays open while the page moves.
        expect(page.locator("#best-1")).to_contain_text("Best lineup: 26.00")
        looks_right(page, f"matchup-over-{name}")


def test_a_matchup_is_shared_and_opened_by_somebody_without_an_account(
    league: League, open_page: Callable[..., Page]
) -> None:
    enter(DRIVE[:9])
    phone = open_page("ann", viewport=PHONE)
    phone.goto("/leagues/row")
    phone.get_by_role("region", name="Your matchup").get_by_role(
        "link", name="Your matchup"
    ).click()
    phone.get_by_role("button", name="Create link").click()
    share = phone.get_by_role("region", name="Share")
    share.get_by_text("QR code", exact=True).click()
    expect(share.get_by_role("img", name="QR code for the link")).to_be_visible()
    looks_right(phone, "matchup-with-a-link")
    link = share.get_by_label("Link", exact=True).input_value()

    visitor = open_page(None, viewport=PHONE)
    visitor.goto(link)
    expect(visitor.get_by_role("heading", level=1)).to_have_text("Ann's Team vs Bob's Team")
    expect(visitor.locator("#matchup")).to_contain_text("Bob's Team is ahead by 4.60.")
    expect(visitor.get_by_role("link", name="Start a league with friends")).to_be_visible()
    looks_right(visitor, "matchup-shared")

    share.get_by_role("button", name="Remove link").click()
    expect(phone.get_by_role("button", name="Create link")).to_be_visible()
