"""The front page of a member on a phone, and the places of the site.

What matters now is on the first screen, and nothing of it is cut.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.market.models import Gameweek
from app.fantasy.standings.models import Matchup
from tests.e2e.looking import LAPTOP, NARROWEST, PHONE, accessible, in_sizes, looks_right
from tests.worlds.games import ingest, ingest_and_refresh, make_game, messages, touchdown_drive
from tests.worlds.leagues import make_league, make_sheet

pytestmark = pytest.mark.e2e

SIZES = [*({"width": width, "height": 844} for width in (390, 360, NARROWEST)), LAPTOP]
# The places that do not lie wholly within the navigation and the window.
CUT = """nav => [...nav.querySelectorAll("a, button")].filter(place => {
    const box = place.getBoundingClientRect(), edge = nav.getBoundingClientRect();
    return box.width && (box.left < Math.max(0, edge.left) - 1
        || box.right > Math.min(innerWidth, edge.right) + 1
        || place.scrollWidth > place.clientWidth);
}).map(place => place.textContent.trim())"""
# Whether nothing lies over the element with the focus, at its middle.
IN_SIGHT = """() => {
    const box = document.activeElement.getBoundingClientRect();
    const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return document.activeElement === top || document.activeElement.contains(top);
}"""


@pytest.fixture
def two_games(member: Callable[..., Member], site: str) -> None:
    """Two games are being played; Ann has players in both, and plays Bob in one of two leagues."""
    make_game()
    make_game("g2")
    ids = [member(name).id for name in ("ann", "bob")]
    league = make_league(
        ids[0],
        {member_id: f"Team {name}" for member_id, name in zip(ids, ("ann", "bob"), strict=True)},
    )
    league.mode = "head_to_head"
    make_sheet(ids[0], league, ["H1", "H3"], captain="H1")
    make_sheet(ids[1], league, ["H2"])
    make_league(ids[0], {ids[0]: "Team ann"}, slug="salary")
    gameweek = db.session.scalars(db.select(Gameweek)).one()
    db.session.add(
        Matchup(league_id=league.id, gameweek_id=gameweek.id, home_id=ids[1], away_id=ids[0])
    )
    db.session.commit()
    ingest(messages(touchdown_drive()[:4], "g2"))
    ingest_and_refresh(messages(touchdown_drive()))


def box_of(element: Locator) -> Any:
    box = element.bounding_box()
    assert box is not None
    return box


def test_my_matchup_comes_first_while_my_players_play(
    two_games: None, open_page: Callable[..., Page]
) -> None:
    page = open_page("ann", viewport=PHONE)
    page.goto("/")
    expect(page.get_by_role("heading", name="Your players live")).to_be_visible()
    week = page.get_by_role("region", name="This week")
    matchup, salary_league = week.get_by_role("listitem").all()
    expect(matchup).to_contain_text("14.20")
    expect(matchup).to_contain_text("Win probability")
    expect(matchup).to_be_in_viewport(ratio=1)
    expect(salary_league).to_contain_text("Rank 1")
    header = box_of(page.get_by_role("banner").get_by_role("link", name="Pressbox"))
    assert header["y"] + header["height"] < 60, "the header is one row"
    players = page.get_by_role("table", name="Your players live")
    mine = box_of(matchup)
    assert mine["y"] + mine["height"] <= box_of(players)["y"]
    expect(players.get_by_role("row").filter(has_text="H. Player1").first).to_contain_text("6.60")
    looks_right(page, "home")
    # the other leagues are beside it: by a swipe or by the Tab key
    expect(salary_league).not_to_be_in_viewport(ratio=1)
    page.get_by_role("link", name="You lead by 1.70").focus()
    page.keyboard.press("Tab")
    expect(salary_league.get_by_role("link")).to_be_focused()
    expect(salary_league).to_be_in_viewport(ratio=1)
    page.get_by_role("link", name="You lead by 1.70").click()
    expect(page.get_by_role("heading", name="Team ann vs Team bob")).to_be_visible()


def test_the_places_are_a_bar_on_a_phone_and_a_row_on_a_laptop(
    two_games: None, open_page: Callable[..., Page]
) -> None:
    page = open_page("ann", viewport=PHONE)
    page.goto("/")
    page.evaluate("document.fonts.ready.then(() => null)")
    places = page.get_by_role("navigation", name="Main")
    for size in in_sizes(page, *SIZES):
        assert places.evaluate(CUT) == []
        box = box_of(places)
        assert box["height"] < 64
        assert (box["y"] > size["height"] / 2) == (size != LAPTOP)
    names = places.get_by_role("listitem").all_inner_texts()
    assert [name.strip() for name in names] == ["Home", "Team", "Leagues", "Games", "More"]
    expect(places.get_by_role("link", name="Home")).to_have_attribute("aria-current", "page")
    # with the keyboard: More opens, and its first place follows
    more = places.get_by_role("button", name="More")
    more.focus()
    page.keyboard.press("Enter")
    expect(places.get_by_role("link", name="Friends")).to_be_visible()
    accessible(page)
    page.keyboard.press("Tab")
    expect(places.get_by_role("link", name="Players")).to_be_focused()
    page.keyboard.press("Escape")
    expect(places.get_by_role("link", name="Friends")).to_be_hidden()
    page.get_by_role("button", name="Account of Ann").click()
    page.get_by_role("link", name="Account", exact=True).click()
    expect(page.get_by_role("heading", name="Account", exact=True)).to_be_visible()


@pytest.mark.everyday("only a browser has keys and focus")
def test_the_bar_never_hides_what_has_the_focus(
    two_games: None, open_page: Callable[..., Page]
) -> None:
    page = open_page("ann", viewport=PHONE)
    for path in ("/", "/account"):
        page.goto(path)
        main = page.get_by_role("main")
        for element in main.locator("a, button, input:not([type=hidden])").all():
            element.focus()
            assert page.evaluate(IN_SIGHT), element.inner_text()


def test_a_member_chooses_a_theme_and_a_time_format(
    two_games: None, open_page: Callable[..., Page]
) -> None:
    page = open_page("ann", viewport=PHONE, color_scheme="light", locale="en-GB")
    page.goto("/account")
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_label("Dark").check()
    page.get_by_label("1:05 PM").check()
    page.get_by_role("button", name="Save appearance").click()
    expect(page.get_by_role("status").filter(has_text="Saved for all your devices")).to_be_visible()
    looks_right(page)
    for path in ("/", "/games"):
        page.goto(path)
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") != paper
    page.get_by_role("button", name="Account of Ann").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == paper
