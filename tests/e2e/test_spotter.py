"""A scorer and a spotter at one game.

What and where from one, who from the other, merged play by play.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from app.accounts.models import Member
from app.core.db import db
from app.record import events as ev
from scorer_console.record.accepted import accepted_events
from tests.e2e.desk import keeps_the_draft, keeps_the_page, snap
from tests.e2e.keyboard import keys, recorded
from tests.e2e.looking import PHONE, looks_right, picture
from tests.waiting import until
from tests.worlds.games import make_game

pytestmark = pytest.mark.e2e
# What a browser notes on its console while the line is down, or a play is not entered yet.
EXPECTED = ("net::ERR_", "status of 409", "status of 422", "htmx:")


@pytest.fixture
def sal(member: Callable[..., Member], open_page: Callable[..., Page]) -> Page:
    """The scorer's console of a new game whose first two events are recorded."""
    make_game("g1")
    member("sal", role="scorer")
    page = open_page("sal", expect_errors=EXPECTED)
    page.goto("/console/g1")
    expect(page.locator("#cmd")).to_be_focused()
    keys(page, "b", "Enter", "Enter")
    recorded(page, "#1 to #2")
    return page


@pytest.fixture
def spotter(
    sal: Page, member: Callable[..., Member], open_page: Callable[..., Page]
) -> Callable[..., Page]:
    """The spotter's screen of that game, reached from the list of games."""
    member("tom", role="scorer")

    def make(**options: object) -> Page:
        page = open_page("tom", expect_errors=EXPECTED, **options)
        page.goto("/console/")
        page.get_by_role("link", name="Spotter for Summit at Harbor").click()
        expect(page.locator("#cmd")).to_be_focused()
        return page

    return make


def card(page: Page, number: int) -> Locator:
    return page.locator(f"[data-play='{number}']")


def said(page: Page) -> Locator:
    return page.get_by_role("status", name="Result")


def standing(play: int) -> list[tuple[str, object]]:
    """Type and player of what counts of the play."""
    db.session.rollback()
    events = []
    for event in accepted_events("g1").fold.effective:
        if event.play_number == play:
            body = ev.body_to(event.body)
            events.append(
                (body["type"], body.get("tackler") or body.get("receiver") or body.get("player"))
            )
    return events


def lose_the_answer(route: Route) -> None:
    """The server gets the request, the browser no answer."""
    route.fetch()
    route.abort()


def run_without_names(page: Page) -> None:
    """A rush for four yards; the scorer names nobody."""
    keys(page, "r", "r", "-", "Enter", "+4", "Enter", "Enter", "Enter")


def test_the_spotter_names_who_and_the_scorer_sees_it_in_the_play(
    sal: Page, spotter: Callable[..., Page]
) -> None:
    tom = spotter()
    expect(tom.get_by_text("No plays yet. They appear when")).to_be_visible()
    picture(tom, "spotter-empty")
    snap(sal, 1)
    recorded(sal, "#3")
    expect(card(tom, 1)).to_contain_text("The ball is live")
    run_without_names(sal)
    recorded(sal, "#4")
    expect(card(tom, 1)).to_contain_text("Who? carried by, tackled by")
    keys(tom, "3c9t", "Enter")
    recorded(tom, "#5 to #6")
    expect(card(tom, 1)).to_contain_text("H. Player3 runs for 4 yards")
    expect(card(tom, 1)).to_contain_text("Tackle 9 S. Player9")
    expect(sal.locator("li[data-event='6']")).to_contain_text("S. Player9")
    assert standing(1) == [("snap", None), ("run", "H3"), ("tackle", "S9")]
    keys(tom, "9a")
    keys(tom, "Enter")
    expect(said(tom)).to_contain_text("S. Player9 already has a tackle on play 1")
    expect(tom.get_by_role("list", name="Not accepted yet")).to_contain_text("Refused")
    keys(tom, "z")
    expect(tom.get_by_role("list", name="Not accepted yet")).to_be_hidden()
    keys(tom, "-9t", "Enter")
    expect(card(tom, 1)).to_contain_text("Who? tackled by")
    assert standing(1) == [("snap", None), ("run", "H3")]


def test_credits_wait_for_the_play_and_a_new_snap_does_not_move_the_line(
    sal: Page, spotter: Callable[..., Page]
) -> None:
    tom = spotter()
    snap(sal, 1)
    expect(card(tom, 1)).to_contain_text("The ball is live")
    keys(tom, "9t", "Enter")
    expect(tom.get_by_role("list", name="Not accepted yet")).to_contain_text(
        "only has its snap so far"
    )
    keys(tom, "2")
    run_without_names(sal)
    expect(card(tom, 1)).to_contain_text("Tackle 9 S. Player9")
    expect(tom.get_by_role("list", name="Not accepted yet")).to_be_hidden()
    snap(sal, 2)
    expect(card(tom, 2)).to_be_visible()
    expect(tom.locator("#mode")).to_have_text("Play 1")
    keys(tom, "a", "Enter")
    expect(card(tom, 1)).to_contain_text("Assist 2 S. Player2")
    expect(tom.locator("#mode")).to_have_text("Play 2")
    keys(tom, "ArrowDown")
    expect(card(tom, 1)).to_have_attribute("aria-current", "true")
    assert standing(1) == [("snap", None), ("run", None), ("tackle", "S9"), ("tackle", "S2")]


def test_a_dead_line_a_closed_tab_and_a_lost_answer_lose_and_double_nothing(
    sal: Page, spotter: Callable[..., Page]
) -> None:
    tom = spotter(service_workers="allow")
    snap(sal, 1)
    run_without_names(sal)
    expect(card(tom, 1)).to_contain_text("Who?")
    keeps_the_page(tom)
    tom.context.set_offline(True)
    keys(tom, "9t", "Enter", "3c", "Enter")
    waiting = tom.get_by_role("list", name="Not accepted yet").get_by_role("listitem")
    expect(waiting).to_have_count(2)
    expect(tom.get_by_role("status", name="Line")).to_contain_text("2 unsent, saved here")
    keys(tom, "2a")
    keeps_the_draft(tom, "2a")
    tom.reload()
    expect(tom.locator("#cmd")).to_have_value("2a")
    keeps_the_draft(tom, "2a")
    tom.close()
    again = tom.context.new_page()
    tom.context.set_offline(False)
    again.goto("/console/g1/spotter")
    expect(card(again, 1)).to_contain_text("Tackle 9 S. Player9")
    expect(card(again, 1)).to_contain_text("H. Player3 runs")
    expect(again.locator("#cmd")).to_have_value("2a")
    again.route("**/console/g1/spotter", lose_the_answer, times=1)
    keys(again, "Enter")
    expect(card(again, 1)).to_contain_text("Assist 2 S. Player2")
    expect(again.get_by_role("list", name="Not accepted yet")).to_be_hidden()
    credits_of_play = sorted(standing(1), key=str)
    assert credits_of_play == [("run", "H3"), ("snap", None), ("tackle", "S2"), ("tackle", "S9")]


def test_the_screen_is_worked_on_a_phone_and_on_a_laptop(
    sal: Page, spotter: Callable[..., Page]
) -> None:
    snap(sal, 1)
    run_without_names(sal)
    snap(sal, 2)
    recorded(sal, "#5")
    tom = spotter(viewport=PHONE)
    tom.locator("[data-pick='1']").click()
    expect(tom.locator("#mode")).to_have_text("Play 1")
    keys(tom, "9")
    tom.get_by_role("button", name="t tackle", exact=True).click()
    expect(tom.locator("#sentence")).to_have_text("Tackle: 9 S. Player9 (SUM).")
    looks_right(tom, "spotter")
    tom.get_by_role("button", name="Enter").click()
    expect(card(tom, 1)).to_contain_text("Tackle 9 S. Player9")
    until(lambda: standing(1)[-1] == ("tackle", "S9"), "the tackle is in the record")
    keys(tom, "?")
    expect(tom.get_by_role("dialog", name="The spotter’s keys")).to_be_visible()
    looks_right(tom, "spotter-help")
