"""Telling, counting and marking, on the real database."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask
from sqlalchemy.exc import IntegrityError

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.notices import services as notices
from app.fantasy.notices.services import NewNotice, mark_read, newest, notify, unread
from app.fantasy.notices.words import Words
from tests.statements import count_statements

NOW = datetime(2026, 9, 15, 4, tzinfo=UTC)


def notice(
    member: Member, key: str = "result:1:1", title: str = "Done", delta: int | None = None
) -> NewNotice:
    return NewNotice.of(
        member.id, "result", key, Words(title, "All games are over.", delta), "/leagues/row"
    )


def test_each_member_gets_one_notice_a_cause_however_often_it_is_sent(
    app: Flask, member: Callable[..., Member]
) -> None:
    ann, bob = member("ann"), member("bob")
    assert notify([notice(ann, delta=-6000), notice(bob)], NOW) == 2
    assert (
        notify([notice(ann, title="Done again"), notice(bob), notice(bob, "result:1:2")], NOW) == 1
    )
    db.session.commit()
    (stored,) = newest(ann.id)
    assert (stored.title, stored.delta, stored.is_read, stored.created_at) == (
        "Done",
        -6000,
        False,
        NOW,
    )
    assert (unread(ann.id), unread(bob.id)) == (1, 2)


def test_the_same_cause_twice_in_one_call_is_one_notice(
    app: Flask, member: Callable[..., Member]
) -> None:
    ann = member("ann")
    assert notify([notice(ann), notice(ann)], NOW) == 1
    assert notify([], NOW) == 0


def test_a_thousand_members_are_notified_in_one_statement(
    app: Flask, member: Callable[..., Member]
) -> None:
    ann = member("ann")
    rows = [notice(ann, f"result:1:{week}") for week in range(1000)]
    with count_statements() as counted:
        assert notify(rows, NOW) == 1000
    assert counted() == 1


def test_notices_go_with_the_callers_transaction(app: Flask, member: Callable[..., Member]) -> None:
    ann = member("ann")
    notify([notice(ann)], NOW)
    db.session.rollback()
    assert unread(ann.id) == 0


def test_a_kind_that_there_is_not_is_refused_by_the_database(
    app: Flask, member: Callable[..., Member]
) -> None:
    ann = member("ann")
    with pytest.raises(IntegrityError, match="ck_notices_kind"):
        notify([NewNotice(ann.id, "gossip", "k", "t", "b", "/")], NOW)


def test_notices_come_newest_first_and_by_pages(app: Flask, member: Callable[..., Member]) -> None:
    ann, bob = member("ann"), member("bob")
    for day in range(5):
        notify(
            [notice(ann, f"result:1:{day}", f"Day {day}"), notice(bob, f"result:1:{day}")],
            NOW + timedelta(days=day),
        )
    assert [row.title for row in newest(ann.id, limit=2)] == ["Day 4", "Day 3"]
    assert [row.title for row in newest(ann.id, limit=2, offset=3)] == ["Day 1", "Day 0"]
    assert (notices.overview(ann.id).count, notices.overview(ann.id).unread) == (5, 5)


def test_marking_leaves_what_came_later_and_what_is_anothers(
    app: Flask, member: Callable[..., Member]
) -> None:
    ann, bob = member("ann"), member("bob")
    for day in range(3):
        notify(
            [notice(ann, f"result:1:{day}"), notice(bob, f"result:1:{day}")],
            NOW + timedelta(days=day),
        )
    latest, middle, first = newest(ann.id)
    assert mark_read(ann.id, middle.id, NOW) == 2
    assert [row.is_read for row in newest(ann.id)] == [False, True, True]
    assert (unread(ann.id), unread(bob.id)) == (1, 3)
    assert mark_read(ann.id, middle.id, NOW) == 0
    assert notices.find(bob.id, latest.id) is None
    assert mark_read(bob.id, latest.id, NOW, alone=True) == 0
    assert mark_read(ann.id, latest.id, NOW, alone=True) == 1
    assert first.is_read is False  # the row as it was read
