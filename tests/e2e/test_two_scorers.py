"""Two scorers, one game: the second watches, takes over with one key, and the first one sees it (PRODUCT A2)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import select

from app.accounts.models import Member
from app.core.db import db
from app.record.events import decode
from app.stream.models import OutboxMessage
from tests.e2e.keyboard import keys, recorded
from tests.record.factory import make_game

pytestmark = pytest.mark.e2e


@pytest.fixture
def open_console(member: Callable[..., Member], open_page: Callable[..., Page]) -> Callable[[str], Page]:
    """The console of a new game, ready for keys, of a new scorer: `open_console("sal")`."""
    make_game("g1")

    def make(name: str) -> Page:
        member(name, role="scorer")
        page = open_page(name)
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


def test_a_second_scorer_watches_takes_over_and_hands_back(sal: Page, open_console: Callable[[str], Page]) -> None:
    expect(sal.get_by_role("status", name="Who is scoring")).to_contain_text("You are scoring.")

    tom = open_console("tom")
    expect(tom.get_by_role("status", name="Who is scoring")).to_contain_text("Sal is scoring since")
    expect(tom.locator("tr[data-event='1']")).to_be_visible()
    keys(tom, "s")
    expect(tom.get_by_role("status", name="Result")).to_contain_text("does nothing while you watch")
    keys(tom, "T")
    expect(tom.get_by_role("status", name="Who is scoring")).to_contain_text("You are scoring.")

    expect(sal.get_by_role("status", name="Who is scoring")).to_contain_text("Tom took the game over")
    keys(sal, "s")
    expect(sal.get_by_role("status", name="Result")).to_contain_text("does nothing while you watch")
    keys(tom, "s", "k", "Enter", "Enter")
    recorded(tom, "#3")
    expect(sal.locator("tr[data-event='3']")).to_be_visible()

    keys(sal, "T")
    expect(sal.get_by_role("status", name="Who is scoring")).to_contain_text("You are scoring.")
    expect(tom.get_by_role("status", name="Who is scoring")).to_contain_text("Sal took the game over")
    keys(sal, "o", "o", "Enter", "Enter")
    recorded(sal, "#4")
    sent = db.session.scalars(select(OutboxMessage.payload).order_by(OutboxMessage.event_number))
    assert [decode(payload).epoch for payload in sent] == [1, 1, 2, 3]


def test_an_entry_in_hand_when_the_game_is_taken_over_is_kept_and_not_recorded(
    sal: Page, open_console: Callable[[str], Page]
) -> None:
    keys(sal, "o", "o")
    tom = open_console("tom")
    expect(tom.get_by_role("status", name="Who is scoring")).to_contain_text("Sal is scoring")
    keys(tom, "T")
    expect(sal.get_by_role("status", name="Who is scoring")).to_contain_text("Tom took the game over")
    keys(sal, "Enter", "Enter")
    expect(sal.get_by_role("list", name="Not accepted yet")).to_contain_text("Timeout")
    expect(sal.get_by_role("status", name="Who is scoring")).to_contain_text(
        "1 of your entries is kept here, not recorded"
    )
    assert len(db.session.scalars(select(OutboxMessage.id)).all()) == 2
    keys(sal, "T")
    recorded(sal, "#3")
    expect(sal.get_by_role("list", name="Not accepted yet")).to_be_hidden()
