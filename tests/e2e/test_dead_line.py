"""A whole drive on a slow line and on none.

Every snap is proposed right at once, and the record is the same.

What was wrong before: after +3 the console proposed the same down again, after a touchback another
kickoff by the wrong club, and a flag could not strike out what was not sent yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from app.record import events as ev
from tests.e2e.desk import KICK_OFF, Desk, line, unsent
from tests.e2e.keyboard import keys
from tests.e2e.looking import PHONE, looks_right
from tests.waiting import until

pytestmark = pytest.mark.e2e

ENTRIES = "**/console/*/events"
TYPES = [
    *("snap", "run", "snap", "pass", "snap", "pass", "snap", "run"),
    *("penalty", "nullify", "snap", "run", "snap", "kick", "snap", "kick", "snap"),
]


def strip(page: Page) -> Locator:
    return page.get_by_role("region", name="Situation")


def snapped(page: Page, proposed: str) -> None:
    """Takes the next snap as it is proposed, which must be this."""
    keys(page, "s")
    expect(page.locator("#sentence")).to_contain_text(proposed)
    expect(page.get_by_role("list", name="Warnings").get_by_role("listitem")).to_have_count(0)
    keys(page, "Enter")


def ran(page: Page, to: str) -> None:
    """Number 3 carries the ball; nobody is credited with the tackle."""
    keys(page, "r", "r", "3", "Enter", to, "Enter", *(() if to == "t" else ("Enter",)), "Enter")


def drive(page: Page) -> Iterator[None]:
    """Harbor goes from its own 25 into the end zone; a run on the way is wiped out by a flag.

    Then it kicks off.

    Yields after each play.
    """
    snapped(page, "HRB ball, 1st & 10 at HRB 25")
    ran(page, "+3")
    yield
    snapped(page, "HRB ball, 2nd & 7 at HRB 28")
    keys(page, "p", "1", "Enter", "i", "2", "Enter", "Enter", "Enter", "Enter")
    yield
    snapped(page, "HRB ball, 3rd & 7 at HRB 28")
    keys(page, "p", "1", "Enter", "c", "2", "Enter", "+20", "Enter", "Enter", "Enter", "Enter")
    yield
    snapped(page, "HRB ball, 1st & 10 at HRB 48")
    ran(page, "+8")
    keys(
        page,
        "n",
        "h",
        "Offensive Hold",
        "Enter",
        "Enter",
        "Enter",
        "a",
        "p",
        "10",
        "Enter",
        "n",
        "y",
    )
    expect(page.locator("#consequences")).to_contain_text("H. Player3 runs")
    keys(page, "Enter")
    yield
    snapped(page, "HRB ball, 1st & 20 at HRB 38")
    ran(page, "t")
    yield
    snapped(page, "Try by HRB from SUM 15")
    keys(page, "k", "Shift+Enter", "Enter")
    yield
    snapped(page, "Kickoff by HRB from HRB 35")
    keys(page, "k", "Enter", "Enter", "t", "Enter")
    yield
    snapped(page, "SUM ball, 1st & 10 at SUM 35")


def recorded(desk: Desk) -> list[dict[str, Any]]:
    """What the drive left in the record, once all of it is there."""
    until(lambda: len(desk.outbox()) == KICK_OFF + len(TYPES), f"{len(TYPES)} events in the outbox")
    desk.arrived(desk.sent())
    return [ev.body_to(ev.decode(row.payload).body) for row in desk.outbox()[KICK_OFF:]]


def is_the_drive(bodies: list[dict[str, Any]]) -> None:
    assert [body["type"] for body in bodies] == TYPES
    snaps = [body for body in bodies if body["type"] == "snap"]
    assert [
        (snap["possession"], snap["spot"], snap.get("down"), snap.get("distance")) for snap in snaps
    ] == [
        ("HRB", 25, 1, 10),
        ("HRB", 28, 2, 7),
        ("HRB", 28, 3, 7),
        ("HRB", 48, 1, 10),
        ("HRB", 38, 1, 20),
        ("HRB", 85, None, None),
        ("HRB", 35, None, None),
        ("SUM", 35, 1, 10),
    ]
    wiped_out = KICK_OFF + 1 + TYPES.index("penalty") - 1
    assert list(bodies[TYPES.index("nullify")]["events"]) == [wiped_out], (
        "the run that the flag wiped out, by its own number"
    )


@pytest.mark.full  # the dead line stays in CI
def test_a_whole_drive_on_a_slow_line(desk: Callable[..., Desk]) -> None:
    """The server hears of one entry per play, so it falls behind while the scorer types on."""
    sal = desk()
    page = sal.console()
    on_the_way: list[Route] = []
    page.route(ENTRIES, lambda route: on_the_way.append(route))
    for _ in drive(page):
        until(lambda: bool(on_the_way or page.evaluate("null")), "the console sends the next entry")
        on_the_way.pop().continue_()
    expect(unsent(page)).not_to_have_count(0)
    page.route(ENTRIES, lambda route: route.continue_())
    for route in on_the_way:
        route.continue_()
    expect(line(page)).not_to_contain_text("unsent")
    is_the_drive(recorded(sal))
    expect(strip(page)).to_contain_text("1st & 10")
    expect(strip(page)).not_to_contain_text("Not recorded yet")


def test_a_whole_drive_without_a_line(desk: Callable[..., Desk]) -> None:
    sal = desk(viewport=PHONE)
    page = sal.console()
    expect(strip(page)).not_to_contain_text("Not recorded yet")
    sal.cut()
    for _ in drive(page):
        pass
    expect(unsent(page)).to_have_count(16)
    for words in (
        "7",
        "SUM 35",
        "Not recorded yet: ",
        "score",
        "The record stands at 1st & 10 at HRB 25, Q1 15:00",
    ):
        expect(strip(page)).to_contain_text(words)
    page.mouse.wheel(0, -5000)
    looks_right(page, "dead-line")
    assert len(sal.outbox()) == KICK_OFF
    sal.reconnect()
    expect(line(page)).not_to_contain_text("unsent")
    is_the_drive(recorded(sal))
    expect(strip(page)).not_to_contain_text("Not recorded yet")
    expect(strip(page)).to_contain_text("SUM 35")
