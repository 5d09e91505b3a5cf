"""The front page of a member on a phone.

What matters now is on the first screen, and nothing of it is cut.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from app.core.db import db
from tests.e2e.looking import NARROWEST, PHONE, accessible, in_sizes, picture
from tests.worlds.games import ingest, ingest_and_refresh, make_game, messages, touchdown_drive
from tests.worlds.leagues import make_league, make_sheet

pytestmark = pytest.mark.e2e

# The links of a navigation that do not lie wholly within its width and the window's.
CUT = """nav => [...nav.querySelectorAll("a")].filter(link => {
    const box = link.getBoundingClientRect(), edge = nav.getBoundingClientRect();
    return box.left < Math.max(0, edge.left) || box.right > Math.min(innerWidth, edge.right);
}).map(link => link.textContent)"""


@pytest.fixture
def two_games(member: Callable[..., Member], site: str) -> None:
    """Two games are being played; Ann has players in both, and leads her league."""
    make_game()
    make_game("g2")
    ids = [member(name).id for name in ("ann", "bob")]
    league = make_league(
        ids[0],
        {member_id: f"Team {name}" for member_id, name in zip(ids, ("ann", "bob"), strict=True)},
    )
    make_sheet(ids[0], league, ["H1", "H3"], captain="H1")
    make_sheet(ids[1], league, ["H2"])
    db.session.commit()
    ingest(messages(touchdown_drive()[:4], "g2"))
    ingest_and_refresh(messages(touchdown_drive()))


def test_my_points_come_first_while_my_players_play(
    two_games: None, open_page: Callable[..., Page]
) -> None:
    page = open_page("ann", viewport=PHONE)
    page.goto("/")
    expect(page.get_by_role("heading", name="Live, with your players")).to_be_visible()
    picture(page, "home")
    total = page.get_by_role("listitem").filter(has_text="Team ann").first
    expect(total).to_contain_text("14.20")
    expect(total).to_be_in_viewport(ratio=1)
    game = page.get_by_role("link", name="Summit").first.bounding_box()
    mine = total.bounding_box()
    assert mine is not None
    assert game is not None
    assert mine["y"] + mine["height"] <= game["y"]
    accessible(page)


def test_no_link_of_the_navigation_is_cut(two_games: None, open_page: Callable[..., Page]) -> None:
    page = open_page("ann", viewport=PHONE)
    page.goto("/")
    page.evaluate("document.fonts.ready.then(() => null)")
    for _ in in_sizes(page, *({"width": width, "height": 844} for width in (390, 360, NARROWEST))):
        links = page.get_by_role("navigation", name="Main")
        assert links.evaluate(CUT) == []
        box = links.bounding_box()
        assert box is not None
        assert box["height"] < 60  # one row: the table of a league begins within 200 px
    page.get_by_role("banner").get_by_role("link", name="Account").click()
    expect(page.get_by_role("heading", name="Account")).to_be_visible()
