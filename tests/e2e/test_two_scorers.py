"""Two scorers, one game.

The second watches, takes over with one key, and the first one sees it (PRODUCT A2).
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect
from sqlalchemy import select

from app.accounts.models import Member
from app.core.db import db
from app.record.events import decode, type_of
from app.stream.models import OutboxMessage
from tests.e2e.desk import run, snap
from tests.e2e.keyboard import keys, recorded
from tests.e2e.looking import looks_right
from tests.worlds.games import make_game

pytestmark = pytest.mark.e2e
# What a browser notes on its console while the line is down, or an entry of a lost lease is not
# taken.
DEAD_LINE = ("net::ERR_", "status of 409", "htmx:")


@pytest.fixture
def open_console(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> Callable[[str], Page]:
    """The console of a new game, ready for keys, of a new scorer: `open_console("sal")`."""
    make_game("g1")

    def make(name: str) -> Page:
        member(name, role="scorer")
        page = open_page(name, expect_errors=DEAD_LINE)
        page.goto("/console/g1")
        expect(page.locator("#cmd")).to_be_focused()
        return page

    return make


@pytest.fixture
def sal(open_console: Callable[[str], Page]) -> Page:
    """Sal's console: Sal has the game, and its first two events are recorded."""
    page = open_console("sal")
    expect(page.get_by_role("status", name="Who is scoring")).to_contain_text("Nobody is scoring")
    keys(page, "b", "Enter", "Enter")
    recorded(page, "#1 to #2")
    return page


@pytest.mark.everyday("only two browsers show it")
def test_a_second_scorer_watches_takes_over_and_hands_back(
    sal: Page, open_console: Callable[[str], Page]
) -> None:
    expect(sal.get_by_role("status", name="Who is scoring")).to_contain_text("You are scoring.")

    tom = open_console("tom")
    expect(tom.get_by_role("status", name="Who is scoring")).to_contain_text("Sal has been scoring")
    expect(tom.locator("li[data-event='1']")).to_be_visible()
    keys(tom, "s")
    expect(tom.get_by_role("status", name="Result")).to_contain_text("does nothing while you watch")
    keys(tom, "T")
    expect(tom.get_by_role("status", name="Who is scoring")).to_contain_text("You are scoring.")

    expect(sal.get_by_role("status", name="Who is scoring")).to_contain_text(
        "Tom took the game over"
    )
    keys(sal, "s")
    expect(sal.get_by_role("status", name="Result")).to_contain_text("does nothing while you watch")
    keys(tom, "s", "k", "Enter", "Enter")
    recorded(tom, "#3")
    expect(sal.locator("li[data-event='3']")).to_be_visible()

    keys(sal, "T")
    expect(sal.get_by_role("status", name="Who is scoring")).to_contain_text("You are scoring.")
    expect(tom.get_by_role("status", name="Who is scoring")).to_contain_text(
        "Sal took the game over"
    )
    keys(sal, "o", "o", "Enter", "Enter")
    recorded(sal, "#4")
    sent = db.session.scalars(select(OutboxMessage.payload).order_by(OutboxMessage.event_number))
    assert [decode(payload).epoch for payload in sent] == [1, 1, 2, 3]


def test_an_entry_in_hand_when_the_game_is_taken_over_is_kept_and_not_recorded(
    sal: Page, open_console: Callable[[str], Page]
) -> None:
    keys(sal, "o", "o")
    tom = open_console("tom")
    expect(tom.get_by_role("status", name="Who is scoring")).to_contain_text("Sal has been scoring")
    keys(tom, "T")
    expect(sal.get_by_role("status", name="Who is scoring")).to_contain_text(
        "Tom took the game over"
    )
    keys(sal, "Enter", "Enter")
    expect(sal.get_by_role("status", name="Who is scoring")).to_contain_text(
        "1 of your entries is saved here, not recorded"
    )
    mine = sal.get_by_role("list", name="Yours, not recorded")
    expect(mine).to_contain_text("Timeout")
    keys(sal, "T")
    expect(sal.get_by_role("status", name="Who is scoring")).to_contain_text("You are scoring.")
    expect(sal.get_by_role("region", name="In the record since")).to_contain_text(
        "Nothing was recorded since."
    )
    assert len(db.session.scalars(select(OutboxMessage.id)).all()) == 2
    keys(sal, "S")
    recorded(sal, "#3")
    expect(mine).to_be_hidden()


def test_what_the_other_scorer_entered_meanwhile_is_compared_one_by_one_and_nothing_is_doubled(
    sal: Page, open_console: Callable[[str], Page]
) -> None:
    """Sal's line dies with three entries; Tom takes over and enters two of them.

    Sal has the line and the game back.
    """
    sal.context.set_offline(True)
    snap(sal, 1)
    run(sal)
    timeout(sal)
    expect(sal.get_by_role("list", name="Not accepted yet").get_by_role("listitem")).to_have_count(
        3
    )

    tom = open_console("tom")
    expect(tom.locator("li[data-event='2']")).to_be_visible()
    keys(tom, "T")
    expect(tom.get_by_role("status", name="Who is scoring")).to_contain_text("You are scoring.")
    snap(tom, 1)
    recorded(tom, "#3")
    run(tom)
    recorded(tom, "#4 to #5")

    sal.context.set_offline(False)
    expect(sal.get_by_role("status", name="Who is scoring")).to_contain_text(
        "Tom took the game over"
    )
    mine = sal.get_by_role("list", name="Yours, not recorded").get_by_role("listitem")
    expect(mine).to_have_count(3)
    expect(mine.nth(0)).to_contain_text("Looks the same as #3")
    entries = sal.get_by_role("list", name="In the record since").get_by_role("listitem")
    expect(entries).to_have_count(2)
    expect(entries.nth(1)).to_contain_text("Tom")
    looks_right(sal, "handover")
    keys(sal, "S")
    expect(sal.get_by_role("status", name="Result")).to_contain_text("Take the game back first")

    keys(sal, "T")
    expect(sal.get_by_role("status", name="Who is scoring")).to_contain_text("You are scoring.")
    keys(sal, "z")  # the snap
    expect(mine).to_have_count(2)
    expect(mine.nth(0)).to_contain_text("Looks the same as #4 to #5")
    expect(sal.get_by_role("status", name="Result")).to_contain_text("Not sent")
    keys(sal, "z")  # the run
    expect(mine).to_have_count(1)
    expect(mine.nth(0)).to_contain_text("Nothing similar was recorded since.")
    expect(sal.get_by_role("status", name="Result")).to_contain_text("Not sent")
    keys(sal, "S")  # the timeout
    recorded(sal, "#6")
    expect(sal.get_by_role("region", name="Another scorer had the game")).to_be_hidden()
    sent = [
        decode(payload)
        for payload in db.session.scalars(
            select(OutboxMessage.payload).order_by(OutboxMessage.event_number)
        )
    ]
    assert [type_of(event.body) for event in sent[2:]] == ["snap", "run", "tackle", "timeout"]
    assert [event.epoch for event in sent[2:]] == [2, 2, 2, 3]


def test_an_entry_is_changed_before_it_is_sent_and_stays_in_the_play_that_it_was_made_for(
    sal: Page, open_console: Callable[[str], Page]
) -> None:
    snap(sal, 1)
    recorded(sal, "#3")
    sal.context.set_offline(True)
    run(sal)
    expect(sal.get_by_role("list", name="Not accepted yet").get_by_role("listitem")).to_have_count(
        1
    )

    tom = open_console("tom")
    keys(tom, "T")
    expect(tom.get_by_role("status", name="Who is scoring")).to_contain_text("You are scoring.")
    snap(tom, 2)
    recorded(tom, "#4")

    sal.context.set_offline(False)
    expect(sal.get_by_role("status", name="Who is scoring")).to_contain_text(
        "Tom took the game over"
    )
    expect(
        sal.get_by_role("list", name="Yours, not recorded").get_by_role("listitem")
    ).to_have_count(1)
    keys(sal, "T")
    expect(sal.get_by_role("status", name="Who is scoring")).to_contain_text("You are scoring.")
    keys(sal, "a", "Escape", "Enter", "Enter")  # nobody made the tackle after all
    recorded(sal, "#5")
    sent = [
        decode(payload)
        for payload in db.session.scalars(
            select(OutboxMessage.payload).order_by(OutboxMessage.event_number)
        )
    ]
    assert [(type_of(event.body), event.play_number) for event in sent[2:]] == [
        ("snap", 1),
        ("snap", 2),
        ("run", 1),
    ]


def test_an_entry_that_came_through_before_the_line_died_is_not_offered_again(
    sal: Page, open_console: Callable[[str], Page]
) -> None:
    def lose_the_answer(route: Route) -> None:
        route.fetch()
        sal.context.set_offline(True)
        route.abort()

    sal.route("**/console/g1/events", lose_the_answer, times=1)
    timeout(sal)
    expect(sal.get_by_role("list", name="Not accepted yet")).to_contain_text("no connection")
    tom = open_console("tom")
    expect(tom.locator("li[data-event='3']")).to_be_visible()
    keys(tom, "T")
    expect(tom.get_by_role("status", name="Who is scoring")).to_contain_text("You are scoring.")
    sal.context.set_offline(False)
    expect(sal.get_by_role("status", name="Who is scoring")).to_contain_text(
        "Tom took the game over"
    )
    expect(sal.get_by_role("list", name="Not accepted yet")).to_be_hidden()
    assert len(db.session.scalars(select(OutboxMessage.id)).all()) == 3


def test_whoever_has_the_game_adopts_or_drops_what_waits_in_the_other_browser(
    sal: Page, open_console: Callable[[str], Page]
) -> None:
    """Sal's line dies with three entries; Tom has entered the first of them.

    He drops that, adopts the run, drops the timeout; Sal's browser hears of it, and Sal, with the
    game back, sends the timeout all the same.
    """
    sal.context.set_offline(True)
    snap(sal, 1)
    run(sal)
    timeout(sal)
    expect(sal.get_by_role("list", name="Not accepted yet").get_by_role("listitem")).to_have_count(
        3
    )
    tom = open_console("tom")
    expect(tom.locator("li[data-event='2']")).to_be_visible()
    keys(tom, "T")
    expect(tom.get_by_role("status", name="Who is scoring")).to_contain_text("You are scoring.")
    snap(tom, 1)
    recorded(tom, "#3")

    sal.context.set_offline(False)
    waiting = tom.get_by_role("list", name="Waiting in another browser").get_by_role("listitem")
    expect(waiting).to_have_count(3)
    expect(waiting.nth(0)).to_contain_text("Sal")
    expect(waiting.nth(0)).to_contain_text("Looks the same as #3: Shift+Z drops it.")
    looks_right(tom, "handover-theirs")
    keys(tom, "Z")
    expect(waiting).to_have_count(2)
    expect(waiting.nth(0)).to_contain_text("Nothing similar was recorded since.")
    keys(tom, "A")
    recorded(tom, "#4 to #5")
    expect(waiting).to_have_count(1)
    keys(tom, "Z")
    expect(tom.get_by_role("region", name="Another scorer has unsent entries")).to_be_hidden()
    expect(tom.get_by_role("status", name="Result")).to_contain_text("Dropped. Sal still has it")

    mine = sal.get_by_role("list", name="Yours, not recorded").get_by_role("listitem")
    expect(mine).to_have_count(2)
    expect(mine.nth(0)).to_contain_text("Tom dropped it.")
    expect(mine.nth(1)).to_contain_text("Timeout")
    keys(sal, "T")
    expect(sal.get_by_role("status", name="Who is scoring")).to_contain_text("You are scoring.")
    keys(sal, "z")
    expect(mine).to_have_count(1)
    expect(mine.nth(0)).to_contain_text("Tom dropped it.")
    expect(mine.nth(0)).to_contain_text("Nothing similar was recorded since.")
    keys(sal, "S")
    recorded(sal, "#6")
    sent = [
        decode(payload)
        for payload in db.session.scalars(
            select(OutboxMessage.payload).order_by(OutboxMessage.event_number)
        )
    ]
    assert [type_of(event.body) for event in sent[2:]] == ["snap", "run", "tackle", "timeout"]
    assert [event.epoch for event in sent[2:]] == [2, 2, 2, 3]


def timeout(page: Page) -> None:
    keys(page, "o", "o", "Enter", "Enter")
