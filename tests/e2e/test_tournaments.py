"""A round on a phone.

Filled as one goes, changed, closed at the kickoff, watched as the match ends, and explained.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from playwright.sync_api import Locator, Page, Route, expect

from app.accounts.models import Player
from app.core import clock
from app.core.db import db
from app.predictions import pools
from app.predictions.models import Pool
from app.predictions.points import PRESETS
from app.predictions.projections import store as projections
from tests.e2e.looking import NARROWEST, PHONE, accessible, fits_the_window
from tests.worlds.tournament import World

pytestmark = pytest.mark.e2e

HOUR = timedelta(hours=1)
REFUSED = "The match has started, so picks are closed. Your last saved pick counts."


class Cup(World):
    """Three matches of week 1: two that begin in two hours, one tomorrow.

    Ann and Bob are members.
    """

    def __init__(self) -> None:
        super().__init__(PRESETS["margin"], "Harvest Cup")
        self.now = clock.now()
        self.match("m1", kickoff=self.now + 2 * HOUR)
        self.match("m2", "liv", "mun", kickoff=self.now + 2 * HOUR)
        self.match("m3", "ars", "liv", kickoff=self.now + 24 * HOUR)
        self.poll(self.now)
        for name in ("Ann", "Bob"):
            self.player(name)

    def change(self, match_id: str, **values: object) -> None:
        """What the provider says now, as a poll would bring it.

        Settled and projected, as the jobs would.
        """
        self.match(match_id, **values)
        mapped = self.poll(clock.now())
        projections.invalidate(self.id, mapped.rounds)
        if mapped.settlements:
            self.settle(clock.now())
            projections.project(self.id)

    def kick_off(self, match_id: str, **values: object) -> None:
        self.change(match_id, kickoff=clock.now() - timedelta(seconds=30), **values)

    def end(self, match_id: str, home: int, away: int) -> None:
        self.change(
            match_id, status="finished", home_score=home, away_score=away, finished_at=clock.now()
        )


@pytest.fixture
def cup(app: Flask) -> Cup:
    return Cup()


def card(page: Page, name: str) -> Locator:
    return page.get_by_role("article", name=name)


def fill(page: Page, home: str, away: str, scores: tuple[int, int]) -> None:
    there = card(page, f"{home} vs {away}")
    there.get_by_label(home, exact=True).fill(str(scores[0]))
    there.get_by_label(away, exact=True).fill(str(scores[1]))
    # wherever the focus is: the answer may have taken the fields away already
    page.keyboard.press("Tab")


def test_a_round_is_filled_with_a_thumb_changed_and_closed_at_the_kickoff(
    cup: Cup, open_page: Callable[..., Page]
) -> None:
    phone = open_page("ann", viewport=PHONE, has_touch=True, expect_errors=["422"])
    phone.goto("/")
    places = phone.get_by_role("navigation", name="Main")
    places.get_by_role("button", name="More").click()
    places.get_by_role("link", name="Tournaments").click()
    phone.get_by_role("link", name="Harvest Cup").click()
    missing = phone.locator("#missing")
    expect(missing).to_have_text("3 picks missing")
    expect(missing).to_be_in_viewport()
    phone.evaluate("document.body.dataset.loaded = 'once'")  # a reload would lose it

    fill(phone, "Ars", "Che", (24, 17))
    expect(card(phone, "Ars vs Che").get_by_role("status")).to_have_text("Saved: 24–17")
    expect(missing).to_have_text("2 picks missing")
    second = card(phone, "Liv vs Mun")
    for team, taps in (("Liv", 4), ("Mun", 1)):
        for _ in range(taps):
            second.get_by_role("button", name=f"{team}: add one").tap()
    expect(second.get_by_role("status")).to_have_text("Saved: 3–0")
    missing.get_by_role("link", name="1 pick missing").tap()
    expect(card(phone, "Ars vs Liv")).to_be_in_viewport()
    fill(phone, "Ars", "Liv", (10, 10))
    expect(missing).to_have_text("All 3 picks made")

    fill(phone, "Ars", "Che", (27, 17))
    expect(card(phone, "Ars vs Che").get_by_role("status")).to_have_text("Saved: 27–17")
    expect(missing).to_be_in_viewport()
    assert cup.guesses("Ann") == {
        cup.id_of("m1"): (27, 17),
        cup.id_of("m2"): (3, 0),
        cup.id_of("m3"): (10, 10),
    }

    # It kicks off while the page is open, before the page has noticed.
    phone.route(re.compile(r"/rounds/week-1\?open="), lambda route: route.fulfill(status=304))
    cup.kick_off("m1")
    fill(phone, "Ars", "Che", (34, 3))
    first = card(phone, "Ars vs Che")
    expect(first.get_by_role("alert")).to_have_text(REFUSED)
    expect(first).to_contain_text("27–17")
    expect(first.get_by_role("textbox")).to_have_count(0)
    assert cup.guesses("Ann")[cup.id_of("m1")] == (27, 17)
    assert phone.evaluate("document.body.dataset.loaded") == "once"


def test_a_slow_save_does_not_win_over_the_one_that_was_typed_after_it(
    cup: Cup, open_page: Callable[..., Page]
) -> None:
    """The last word counts, not the last arrival (htmx issue 596)."""
    page = open_page("ann", viewport=PHONE)
    page.goto(f"/tournaments/{cup.id}/rounds/week-1")
    slow: list[Route] = []

    def hold_the_first(route: Route) -> None:
        if route.request.method == "POST" and not slow:
            slow.append(route)
        else:
            route.continue_()

    page.route(re.compile("/rounds/week-1"), hold_the_first)
    fill(page, "Ars", "Che", (2, 1))
    expect(card(page, "Ars vs Che").get_by_role("status")).not_to_have_text("Saved: 2–1")
    page.wait_for_timeout(500)  # longer than the page waits for more typing
    assert slow, "the first save is under way"
    fill(page, "Ars", "Che", (23, 17))
    slow[0].continue_()
    expect(card(page, "Ars vs Che").get_by_role("status")).to_have_text("Saved: 23–17")
    assert cup.guesses("Ann") == {cup.id_of("m1"): (23, 17)}


def test_a_member_watches_the_leaderboard_as_a_match_ends_and_reads_why(
    cup: Cup, open_page: Callable[..., Page]
) -> None:
    cup.guess("Ann", "m1", 24, 17, clock.now())
    cup.guess("Bob", "m1", 13, 10, clock.now())
    board, phone = open_page("bob", viewport=PHONE), open_page("ann", viewport=PHONE)
    board.goto(f"/tournaments/{cup.id}/leaderboard")
    phone.goto(f"/tournaments/{cup.id}")
    for page in (board, phone):
        page.evaluate("document.body.dataset.loaded = 'once'")  # a reload would lose it
    table = board.get_by_role("table", name="Leaderboard of Harvest Cup")
    expect(table.get_by_role("row", name=re.compile("Ann"))).to_have_text(
        re.compile(r"1\s*Ann\s*0")
    )
    expect(phone.get_by_label("Ars", exact=True).first).to_be_editable()

    cup.kick_off("m1", status="live", home_score=14, away_score=3)
    mine = card(phone, "Ars vs Che")
    expect(mine).to_contain_text("if it ended now")
    expect(mine).to_contain_text("Winning margin off by 4")
    expect(mine.get_by_role("textbox")).to_have_count(0)
    expect(card(phone, "Liv vs Mun").get_by_role("textbox")).to_have_count(2)

    cup.end("m1", 24, 20)
    # Both have the winner and are within 5; Bob's margin of 3 is the closest to 4.
    expect(table.get_by_role("row", name=re.compile("Bob"))).to_have_text(
        re.compile(r"1\s*Bob\s*You\s*2\.5")
    )
    expect(table.get_by_role("row", name=re.compile("Ann"))).to_have_text(
        re.compile(r"2\s*Ann\s*1\.5")
    )
    expect(mine).to_contain_text("1.5 points")
    expect(mine).not_to_contain_text("if it ended now")
    expect(mine).to_contain_text("Right winner")
    for page in (board, phone):
        assert page.evaluate("document.body.dataset.loaded") == "once"

    mine.get_by_role("link", name=re.compile("All picks")).click()
    others = phone.get_by_role("table", name="Picks and points")
    expect(others.get_by_role("row", name=re.compile("Bob"))).to_contain_text("13–10")
    phone.get_by_role("link", name="My points").click()
    expect(phone.get_by_role("heading", name="Week 1")).to_be_visible()
    expect(card(phone, "Ars vs Che")).to_contain_text("Winning margin off by 3")


def test_a_round_is_played_without_javascript(cup: Cup, open_page: Callable[..., Page]) -> None:
    page = open_page("ann", viewport=PHONE, java_script_enabled=False, expect_errors=["422"])
    page.goto(f"/tournaments/{cup.id}")
    expect(page.get_by_role("button", name="Ars: add one")).to_have_count(0)
    fill(page, "Ars", "Che", (24, 17))
    fill(page, "Liv", "Mun", (3, 0))
    page.get_by_role("button", name="Save picks").click()
    expect(page.get_by_text("1 pick missing")).to_be_visible()
    expect(card(page, "Ars vs Che")).to_contain_text("Your pick: 24–17")
    fill(page, "Ars", "Che", (20, 17))
    fill(page, "Liv", "Mun", (6, 0))
    cup.kick_off("m1")
    page.get_by_role("button", name="Save picks").click()
    expect(card(page, "Ars vs Che").get_by_role("alert")).to_have_text(REFUSED)
    expect(card(page, "Ars vs Che")).to_contain_text("24–17")
    assert cup.guesses("Ann") == {cup.id_of("m1"): (24, 17), cup.id_of("m2"): (6, 0)}

    page.get_by_role("link", name="Pools", exact=True).click()
    page.get_by_label("Pool name").fill("The Row")
    page.get_by_role("button", name="Create pool").click()
    code = page.locator("#invite-code").inner_text()
    other = open_page("bob", viewport=PHONE, java_script_enabled=False)
    other.goto(f"/tournaments/{cup.id}/pools")
    other.get_by_label("Invite code").fill(code.lower())
    other.get_by_role("button", name="Join").click()
    expect(
        other.get_by_role("table", name="Leaderboard of The Row").get_by_role("row")
    ).to_have_count(3)


@pytest.mark.everyday("only a browser measures a page")
@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.full)])
def test_pages_with_matches_in_every_state_are_accessible_and_fit_the_narrowest_phone(
    cup: Cup, open_page: Callable[..., Page], scheme: str
) -> None:
    for name, scores in (("Ann", (24, 17)), ("Bob", (13, 10))):
        for match_id in ("m1", "m2"):
            cup.guess(name, match_id, *scores, clock.now())
    cup.kick_off("m1", status="live", home_score=14, away_score=3)
    cup.kick_off("m2")
    cup.end("m2", 20, 17)
    cup.change("m3", status="postponed")
    mine = db.session.scalars(db.select(Player.id).where(Player.id == cup.player("Ann"))).one()
    pool = pools.create(cup.id, mine, "The Row")
    assert isinstance(pool, Pool)
    pools.join(pool.id, pool.code, cup.player("Bob"))
    here = f"/tournaments/{cup.id}"
    page = open_page("ann", viewport=PHONE | {"width": NARROWEST}, color_scheme=scheme)
    for path in ("", "/history", "/standings", f"/pools/{pool.id}", f"/matches/{cup.id_of('m1')}"):
        page.goto(here + path)
        accessible(page)
        fits_the_window(page)
