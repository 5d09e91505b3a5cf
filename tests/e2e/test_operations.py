"""Operations in a browser: a dead letter is found, understood, mended and sent again.

A drill is watched.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import func, select

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.dead_letters import letters
from app.ops.incidents import STARTED_ANEW
from app.ops.models import Incident
from app.record.models import RecordedEvent
from app.settings import Settings
from app.stream.kafka import producer
from app.stream.topics import GAME_EVENTS
from tests.e2e.looking import LAPTOP, PHONE
from tests.e2e.running import RunningPressbox
from tests.waiting import patience, until
from tests.worlds.games import make_game, messages, touchdown_drive

pytestmark = [pytest.mark.e2e, pytest.mark.smoke]

LOST = "g-lost"  # the game that nobody has registered


def publish(settings: Settings, game_id: str, *odd: bytes) -> int:
    """Puts a drive of this game on its topic, signed as the relay does it, and these.

    How many events a drive has.
    """
    kafka = producer(settings)
    try:
        events = messages(touchdown_drive(), game_id=game_id)
        for value in [*(event.value for event in events), *odd]:
            kafka.send(GAME_EVENTS.name, key=game_id.encode(), value=value).get(
                timeout=patience(60)
            )
        return len(events)
    finally:
        kafka.close(timeout=5)


def recorded(game_id: str) -> int:
    db.session.rollback()
    return db.session.scalar(select(func.count()).where(RecordedEvent.game_id == game_id)) or 0


def asks_why(page: Page, button: str) -> None:
    """Without a reason the form is not sent."""
    before = page.url
    page.get_by_role("button", name=button).click()
    assert page.get_by_label("Reason").evaluate("field => field.validity.valueMissing")
    assert page.url == before


def test_an_operator_reads_on_the_first_page_what_broke_and_what_mended_it(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    member("olive", role="operator")
    began = clock.now() - timedelta(minutes=3)
    ended = {"ended_at": began + timedelta(seconds=4), "mended_by": "it was restarted"}
    db.session.add(Incident(part="redis", cause=STARTED_ANEW["redis"], began_at=began, **ended))
    db.session.commit()
    page = open_page("olive", viewport=PHONE)
    page.goto("/ops")
    row = (
        page.get_by_role("region", name="Incidents")
        .get_by_role("row")
        .filter(has_text="Redis restarted")
    )
    expect(row).to_contain_text("4 s")
    expect(row).to_contain_text("it was restarted")


def test_an_operator_finds_dead_letters_mends_the_cause_sends_them_again_and_gives_one_up(
    member: Callable[..., Member],
    open_page: Callable[..., Page],
    pressbox: RunningPressbox,
    processes: None,
) -> None:
    member("olive", role="operator")
    total = publish(pressbox.settings, LOST, b"{broken")
    until(lambda: len(letters.waiting()) == total + 1, "they are dead letters")

    page = open_page("olive", viewport=PHONE)
    page.goto("/ops")
    page.get_by_role("link", name=f"{total + 1} dead letters").click()
    page.get_by_role("link", name=re.compile(f"game {LOST} is not registered")).click()
    page.get_by_role("link", name=re.compile("^message-")).first.click()
    expect(
        page.get_by_role("definition").filter(has_text="register it, then replay this").first
    ).to_be_visible()
    expect(page.get_by_text(f'"game_id":"{LOST}"')).to_be_visible()

    make_game(LOST)  # the cause is mended: by the importer, or by `pressbox games`
    page.get_by_role("link", name="All with this cause").click()
    page.get_by_label(f"All {total} with this cause").check()
    page.get_by_label("Canary").fill("2")
    asks_why(page, "Send again")
    page.get_by_label("Reason").fill("The game is registered now.")
    page.get_by_role("button", name="Send again").click()
    expect(page.locator("#progress")).to_contain_text(f"{total} of {total} sent again.")
    until(lambda: recorded(LOST) == total, "the drive is in the record")
    page.goto(f"/games/{LOST}")
    expect(
        page.get_by_text(re.compile(r"Player1 to (H\. )?Player2 for 65 yards\. Touchdown!"))
    ).to_be_visible()

    page.goto("/ops/dead-letters")
    page.get_by_role("row").filter(has_text=GAME_EVENTS.name).get_by_role("link").click()
    page.get_by_role("link", name=re.compile("^message-")).click()
    asks_why(page, "Discard")
    page.get_by_label("Reason").fill("Half a message, written by hand in a test.")
    page.get_by_role("button", name="Discard").click()
    expect(page.get_by_role("heading", name="No dead letters")).to_be_visible()

    page.goto("/moderation/audit")
    for act, reason in (
        ("operations.dead_letters_replayed", "The game is registered now."),
        ("operations.dead_letters_dropped", "Half a message, written by hand in a test."),
    ):
        entry = page.get_by_role("article").filter(has_text=act)
        expect(entry).to_contain_text("Olive")
        expect(entry).to_contain_text(reason)


def test_a_drill_is_tried_dry_then_run_and_watched_to_its_end(
    member: Callable[..., Member], open_page: Callable[..., Page], processes: None
) -> None:
    member("olive", role="operator")
    page = open_page("olive", viewport=LAPTOP, expect_errors=["422"])  # the run without a reason
    page.goto("/ops/drills")
    drill = page.get_by_role("listitem").filter(
        has=page.get_by_role("heading", name="Rebuild the boards")
    )
    drill.get_by_role("button", name=re.compile("^Dry run")).click()
    expect(page.locator("#progress .chip")).to_have_text("done")
    page.get_by_role("link", name="All operations").click()
    drill.get_by_role("button", name=re.compile("^Run")).click()
    expect(page.get_by_role("alert")).to_contain_text("Give a reason")
    drill.get_by_label("Reason").fill("Every quarter.")
    drill.get_by_role("button", name=re.compile("^Run")).click()
    expect(page.locator("#progress .chip")).to_have_text("done")
    page.get_by_role("link", name="All operations").click()
    expect(page.get_by_role("row").filter(has_text="Every quarter.")).to_contain_text("done")
