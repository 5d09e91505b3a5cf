"""A member reads their notices: the bell, the page, one notice opened.

On a phone, without JavaScript too.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from app.core.clock import now
from app.core.db import db
from app.fantasy.notices import words
from app.fantasy.notices.services import NewNotice, notify
from app.fantasy.notices.words import Corrected, Match, Moved, Result
from tests.e2e.looking import PHONE, looks_right

pytestmark = pytest.mark.e2e
RULING = "Q3 4:12: the 22-yard catch by Sam Hill was overturned, incomplete."


def a_week_of(ann: Member) -> None:
    ago = now() - timedelta(days=2)
    lock = ago - timedelta(days=4)
    week = "Week 3"
    notices = [
        ("deadline", lock, words.deadline_passed(["The Press Row"], week, is_carried=True)),
        (
            "result",
            ago,
            words.result(
                "The Press Row",
                week,
                Result(92_400, 250_100, 2, 12, Match("Team Bob", 92_400, 80_000)),
            ),
        ),
        (
            "correction",
            ago + timedelta(hours=30),
            words.correction(
                week, Corrected("The Press Row", Moved(92_400, 86_400, 2, 4), [RULING])
            ),
        ),
        (
            "adjustment",
            ago + timedelta(hours=40),
            words.adjusted(
                "The Press Row",
                week,
                2_500,
                "The form lost a lineup",
                Moved(244_100, 246_600, 4, 3),
            ),
        ),
    ]
    notices.append(("mention", now(), words.mentioned("Bob", "The Press Row")))
    for kind, at, title in notices:
        notify([NewNotice.of(ann.id, kind, f"{kind}:1", title, "/leagues")], at)
    db.session.commit()


@pytest.mark.parametrize("script", [True, False], ids=["with JavaScript", "without"])
def test_a_member_reads_why_their_points_changed(
    open_page: Callable[..., Page], member: Callable[..., Member], script: bool
) -> None:
    a_week_of(member("ann"))
    page = open_page("ann", viewport=PHONE, java_script_enabled=script)
    page.goto("/")
    page.get_by_role("link", name="Notifications, 1 unread").click()
    expect(page.get_by_role("heading", name="Notifications")).to_be_visible()
    if script:
        looks_right(page, "notices")
    correction = page.get_by_role("listitem").filter(has_text="Stat correction")
    expect(correction).to_contain_text("Week 3 went from 92.40 to 86.40 points (-6.00).")
    expect(correction).to_contain_text(f"Why: {RULING}")
    page.get_by_role("button", name="Stat correction in The Press Row: -6.00 in Week 3").click()
    page.wait_for_url("**/leagues")
    page.get_by_role("link", name="Notifications, 1 unread").click()
    page.get_by_role("button", name="Mark all as read").click()
    expect(page.get_by_role("link", name="Notifications", exact=True)).to_be_visible()
    expect(page.get_by_text("New", exact=True)).to_have_count(0)
