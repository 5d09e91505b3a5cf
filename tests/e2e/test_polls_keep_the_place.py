"""A poll that changes a page moves neither the reader nor what the keyboard is on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.standings.models import League, Matchup
from app.record import events as ev
from scorer_console.record.numbering import Entry
from tests.e2e.road import bring_in
from tests.worlds.games import DRIVE, make_game
from tests.worlds.leagues import make_league, make_sheet
from tests.worlds.scorer import submit

pytestmark = pytest.mark.e2e
SMALL_PHONE = {"width": 390, "height": 480}
POLLS = 5
FIRST_SNAP = 5
# How often the page has been changed by a poll since it was loaded.
COUNT_CHANGES = """() => {
  window.changes = 0;
  document.addEventListener("htmx:afterSettle", () => (window.changes += 1));
}"""


@pytest.fixture
def league(member: Callable[..., Member]) -> League:
    """Ann, with Harbor's passer as captain, plays Bob, who has their catcher and their back."""
    make_game("g1")
    ann, bob = member("ann"), member("bob")
    league = make_league(ann.id, {who.id: f"{who.display_name}'s Team" for who in (ann, bob)})
    league.mode = "head_to_head"
    sheet = make_sheet(ann.id, league, ["H1"], captain="H1")
    make_sheet(bob.id, league, ["H2", "H3"])
    db.session.add(
        Matchup(league_id=league.id, gameweek_id=sheet.gameweek_id, home_id=ann.id, away_id=bob.id)
    )
    db.session.commit()
    return league


def plays() -> Iterator[list[ev.Body]]:
    """Runs of two players by turns, each of which changes every table."""
    for number, player in enumerate(["H1", "H2"] * 12):
        spot = 26 + 2 * number
        yield [
            ev.Snap(
                possession="HRB", spot=spot, period=1, clock=860 - 20 * number, down=1, distance=10
            ),
            ev.Run(team="HRB", player=player, kind="rush", start_yard=spot, end_yard=spot + 2),
        ]


class Scorer:
    """Enters one play after the other."""

    def __init__(self) -> None:
        self.entered = 0
        self.plays = plays()
        self._enter(DRIVE[:FIRST_SNAP])

    def play(self, count: int = 1) -> None:
        for _ in range(count):
            self._enter(next(self.plays))

    def _enter(self, bodies: list[ev.Body]) -> None:
        numbered = enumerate(bodies, start=self.entered)
        submit("g1", [Entry(body, f"d:{number}") for number, body in numbered], clock.now())
        self.entered += len(bodies)
        bring_in()


# The page, and a link in its polled part that stays there.
PAGES = [
    ("/", 'role=region[name="Your leagues"] >> a >> nth=-1'),
    ("/leagues/row", "#standings a >> nth=-1"),
    ("/leagues/row/matchups/1/1", "#matchup a >> nth=-1"),
    ("/games/g1", "#game a >> nth=-1"),
    ("/footballers/H1", "#main a >> nth=-1"),
]


@pytest.mark.breadth("five pages; the keyboard's place below is held in make test")
@pytest.mark.parametrize(("path", "link"), PAGES, ids=[path for path, _ in PAGES])
def test_five_changed_polls_move_neither_the_reader_nor_the_focus(
    league: League, open_page: Callable[..., Page], path: str, link: str
) -> None:
    scorer = Scorer()
    scorer.play(3)
    page = open_page("ann", viewport=SMALL_PHONE)
    page.goto(path)
    page.evaluate(COUNT_CHANGES)
    followed = page.locator(link)
    followed.scroll_into_view_if_needed()
    page.mouse.wheel(0, 60)
    followed.focus()
    words, top = focused(page), top_of(followed)
    for changed in range(1, POLLS + 1):
        scorer.play()
        page.wait_for_function("count => window.changes >= count", arg=changed)
        assert focused(page) == words
        assert top_of(page.locator(":focus")) == pytest.approx(top, abs=3)


def test_a_tab_that_is_looked_at_again_asks_at_once(
    league: League, open_page: Callable[..., Page]
) -> None:
    scorer = Scorer()
    page = open_page("ann", viewport=SMALL_PHONE)
    page.clock.install()  # no poll comes by itself
    page.goto("/leagues/row")
    expect(page.locator("#standings")).not_to_contain_text("0.40")
    scorer.play()  # 0.2 for the captain, twice
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator("#standings")).to_contain_text("0.40")


def focused(page: Page) -> str:
    """Where the link with the focus leads; "" if nothing has it."""
    leads_to = page.evaluate("document.activeElement.getAttribute('href')")
    return re.sub(r"\?.*", "", leads_to or "")


def top_of(link: Locator) -> float:
    box = link.bounding_box()
    assert box is not None
    return box["y"]


def test_what_a_poll_takes_away_leaves_the_keyboard_where_it_was(
    league: League, open_page: Callable[..., Page]
) -> None:
    """A play that is no longer among the last: the next Tab goes on from its list."""
    scorer = Scorer()
    scorer.play(6)
    page = open_page("ann", viewport=SMALL_PHONE)
    page.goto("/leagues/row")
    page.evaluate(COUNT_CHANGES)
    oldest = page.locator("#now ol a").last
    oldest.focus()
    words = oldest.get_attribute("href")
    scorer.play(6)
    expect(page.locator(f'#now ol a[href="{words}"]')).to_have_count(0)
    assert page.evaluate("document.activeElement.closest('#now') !== null")
