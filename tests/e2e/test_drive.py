"""A drive by keyboard.

A touchdown that is overturned on review, a penalty that wipes out a score, slips corrected.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import select

from app.core.db import db
from app.fantasy.scoring.models import PlayerPoints
from app.record.models import GameState, RecordedEvent, StatLine
from app.record.rules.team_defence import is_defence
from tests.e2e.keyboard import keys, recorded
from tests.e2e.looking import PHONE
from tests.e2e.road import record_has

pytestmark = pytest.mark.e2e


def in_record(count: int) -> None:
    record_has("g1", count)


def points_of(player: str) -> tuple[int, int] | None:
    rows = db.session.execute(
        select(PlayerPoints.points, PlayerPoints.held).where(
            PlayerPoints.player_id == player, PlayerPoints.rules == "standard"
        )
    ).one_or_none()
    return None if rows is None else (rows.points, rows.held)


def lines_of_players() -> dict[str, dict[str, int]]:
    """Without those of the clubs' D/STs."""
    lines = db.session.scalars(select(StatLine)).all()
    return {line.player_id: line.stats for line in lines if not is_defence(line.player_id)}


def score() -> tuple[int, int]:
    state = db.session.get_one(GameState, "g1", populate_existing=True)
    return state.home_score, state.away_score


@pytest.mark.everyday("the scorer's story")
def test_a_whole_drive_whose_touchdown_is_overturned_on_review(
    console: Page, open_page: Callable[..., Page]
) -> None:
    keys(console, "s", "Enter")
    recorded(console, "#5")
    keys(console, "r", "r", "3", "Enter", "+8", "Enter", "9", "Enter", "Enter", "Enter")
    recorded(console, "#6 to #7")
    keys(console, "s")
    expect(console.locator("#sentence")).to_contain_text("2nd & 2 at HRB 33")
    keys(console, "1430", "Enter")
    recorded(console, "#8")
    keys(console, "p", "1", "Enter", "c", "2", "Enter", "+20", "Enter", "t", "Enter", "Enter")
    recorded(console, "#9 to #10")
    in_record(10)
    assert score() == (6, 0)
    assert points_of("H2") == (12_700, 0)  # 67 yards and the touchdown

    # The visitors challenge: the points are held, and the form says so before anything is sent.
    keys(console, "g", "a", "p", "down by contact", "Enter")
    expect(console.locator("#consequences")).to_contain_text("Points held until the ruling")
    expect(console.locator("#consequences")).to_contain_text("#10")
    keys(console, "Enter")
    recorded(console, "#11")
    expect(console.get_by_text("Under review: play 3")).to_be_visible()
    in_record(11)
    assert points_of("H2") == (12_700, 12_700)
    phone = open_page(None, viewport=PHONE)
    phone.goto("/games/g1")
    expect(phone.get_by_text("Under review. Points are on hold")).to_be_visible()

    # Down by contact at the Summit 12: the run after the catch is overturned.
    keys(console, "g", "Enter", "o", "Enter", "Enter")
    recorded(console, "#12")
    keys(console, "w", "10", "Enter", "Enter", "Enter", "Enter", "d12", "Enter", "Shift+Enter")
    expect(console.locator("#consequences")).to_contain_text(
        "Will be replaced#10 H. Player2 runs after the catch"
    )
    keys(console, "Enter")
    recorded(console, "#13")
    in_record(13)
    assert score() == (0, 0)
    assert points_of("H2") == (5_500, 0)  # 55 yards, no touchdown
    expect(phone.get_by_text("Under review. Points are on hold")).to_be_hidden()
    revisions = db.session.execute(
        select(RecordedEvent.revision, RecordedEvent.valid)
        .where(RecordedEvent.event_number == 10)
        .order_by("revision")
    ).all()
    assert [tuple(row) for row in revisions] == [(0, False), (13, True)]

    # The drive goes on from there.
    keys(console, "s")
    expect(console.locator("#sentence")).to_contain_text("1st & 10 at SUM 12")


def test_a_penalty_that_wipes_out_a_score(console: Page) -> None:
    keys(console, "s", "Enter")
    recorded(console, "#5")
    keys(console, "r", "r", "3", "Enter", "t", "Enter", "Enter")
    recorded(console, "#6")
    in_record(6)
    assert score() == (6, 0)
    assert points_of("H3") == (13_500, 0)
    keys(
        console,
        "n",
        "h",
        "Offensive Hold",
        "Enter",
        "Enter",
        "Enter",
        "a",
        "Enter",
        "10",
        "Enter",
        "n",
        "y",
    )
    expect(console.locator("#consequences")).to_contain_text("Will be struck out")
    expect(console.locator("#consequences")).to_contain_text(
        "#6 H. Player3 runs for 75 yards. Touchdown!"
    )
    keys(console, "Enter")
    recorded(console, "#7 to #8")
    in_record(8)
    assert score() == (0, 0)
    assert points_of("H3") is None
    assert lines_of_players() == {}
    expect(console.locator("li[data-event='6'] del")).to_be_visible()
    keys(console, "s")
    expect(console.locator("#sentence")).to_contain_text("1st & 20 at HRB 15")


def test_a_slip_is_replaced_in_one_step_and_what_looks_wrong_is_said_but_not_forbidden(
    console: Page,
) -> None:
    keys(console, "s", "Enter")
    recorded(console, "#5")
    keys(console, "r", "r", "3", "Enter", "+8", "Enter", "Enter", "Enter")
    recorded(console, "#6")
    keys(console, "q", "Enter", "Enter")  # the last entry; it was a run
    expect(console.locator("#trail")).to_contain_text("run")
    keys(console, "Enter", "2", "Enter", "+6", "Enter", "Enter")
    expect(console.locator("#consequences")).to_contain_text("#6 H. Player3 runs for 8 yards.")
    keys(console, "Enter")
    recorded(console, "#7 to #8")
    in_record(8)
    assert lines_of_players() == {"H2": {"carries": 1, "rushing_yards": 6}}

    keys(console, "s", "1459 o40")
    expect(console.get_by_role("list", name="Warnings")).to_contain_text(
        "The last play ended at HRB 31"
    )
    keys(console, "Escape", "Escape", "s", "1500 1&10")
    expect(console.get_by_role("list", name="Warnings")).to_contain_text(
        "By the last play it is 2nd down"
    )
    keys(console, "Enter")
    recorded(console, "#9")


def test_after_a_crash_the_score_comes_first_and_the_plays_later(
    console: Page, open_page: Callable[..., Page]
) -> None:
    phone = open_page(None, viewport=PHONE)
    keys(console, "m", "0", "Enter", "7", "Enter", "1", "Enter", "1200", "Enter", "Enter")
    recorded(console, "#5")
    expect(
        console.get_by_text("The board says SUM 0, HRB 7, but the plays add up to 0–0")
    ).to_be_visible()
    in_record(5)
    phone.goto("/games/g1")
    expect(phone.get_by_text("Score unconfirmed.")).to_be_visible()
    keys(console, "s", "1440", "Enter")
    recorded(console, "#6")
    keys(console, "r", "r", "3", "Enter", "t", "Enter", "Enter")
    recorded(console, "#7")
    expect(console.get_by_text("the plays add up to 0–6")).to_be_visible()
    keys(console, "s", "Enter")
    recorded(console, "#8")
    keys(console, "k", "Enter", "Shift+Enter", "Enter")
    recorded(console, "#9")
    in_record(9)
    assert score() == (7, 0)
    expect(console.get_by_text("Score unconfirmed.")).to_be_hidden()
    expect(phone.get_by_text("Score unconfirmed.")).to_be_hidden()
