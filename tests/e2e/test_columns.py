"""Columns of points in which some have more decimals than others.

Their decimal points stand below each other.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from app.core.db import db
from tests.e2e.looking import PHONE
from tests.worlds.footballers import make_footballers
from tests.worlds.played_league import played_league

pytestmark = pytest.mark.e2e
# Where the decimal point of each number stands, or would: right after its whole part. Pixels from
# the left, rounded.
PLACES = """cells => [...document.querySelectorAll(cells)].map(cell => {
    const number = cell.querySelector("[class^=decimals-]").firstChild;
    const range = document.createRange();
    range.setStart(number, 0);
    range.setEnd(number, number.data.split(".")[0].length);
    return Math.round(range.getBoundingClientRect().right);
})"""


def is_aligned(page: Page, cells: str, expected: list[str]) -> None:
    """The column that `cells` selects begins with the numbers expected, aligned at the point."""
    expect(page.locator(f"{cells} [class^=decimals-]")).to_have_text(expected)
    page.evaluate("document.fonts.ready.then(() => null)")
    places = page.evaluate(PLACES, cells)
    assert max(places) - min(places) <= 1, places


def test_points_of_a_league_stand_below_each_other(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    ids = {name: member(name).id for name in ("ann", "bob", "cat")}
    played = played_league(
        ids, ({"ann": 500, "bob": 40, "cat": 30}, {"ann": 10, "bob": 20, "cat": 20})
    )
    more = {"league": played.league.id, "bob": ids["bob"]}
    db.session.execute(
        db.text(
            "UPDATE league_members SET total_points = total_points + 125 WHERE league_id = :league "
            "AND member_id = :bob"
        ),
        more,
    )
    db.session.execute(
        db.text(
            "UPDATE league_scores SET points = points + 125, total = total + 125"
            " WHERE league_id = :league AND member_id = :bob"
        ),
        more,
    )
    db.session.commit()
    ann = open_page("ann", viewport=PHONE)
    for path, cells, expected in (("", ".standings td.points", ["102.00", "12.125", "10.00"]),):
        ann.goto(f"/leagues/{played.league.slug}{path}")
        is_aligned(ann, cells, expected)


def test_points_of_a_footballer_stand_below_each_other(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    member("ann")
    make_footballers(begun=3, weeks=3)
    db.session.execute(
        db.text("UPDATE player_points SET points = points + 125 WHERE game_id = 'g2'")
    )
    db.session.commit()
    ann = open_page("ann", viewport=PHONE)
    ann.goto("/footballers/H2")
    is_aligned(ann, ".log td.points", ["12.50", "12.625", "12.50"])
