"""Dead letters of all kinds as one list.

Grouped, in pages, and found one by one without reading the others.
"""

from __future__ import annotations

import pytest
from flask import Flask
from sqlalchemy import text

from app.core.db import db
from app.core.errors import UserError
from app.dead_letters import letters
from app.stream.dead_letters import dead_letter
from app.stream.messages import Message


def keep(count: int, reason: str, topic: str = "game-events.v1") -> None:
    for number in range(count):
        error = reason.format(number)
        dead_letter([(Message(topic, 0, number, "g1", f"{error} {number}".encode()), error)])
    db.session.commit()


@pytest.mark.parametrize(
    ("reason", "cause"),
    [
        ("game_id: game 'g7' is not registered", "game_id: game … is not registered"),
        ('JSON: "x" is no number at byte 17', "JSON: … is no number at byte …"),
        ("player 0b5d3800-1234-4321-8888-00112233aabb is gone", "player … is gone"),
        ("first line\nsecond line", "first line"),
        ("x" * 500, "x" * 120),
    ],
)
def test_a_cause_is_the_reason_without_its_particulars(app: Flask, reason: str, cause: str) -> None:
    dead_letter([(Message("game-events.v1", 0, 1, "g1", b"a"), reason)])
    assert [letter.cause for letter in letters.waiting()] == [cause]
    assert [(group.cause, group.count) for group in letters.groups()] == [(cause, 1)]


def test_pages_follow_each_other_and_bear_that_letters_go(app: Flask) -> None:
    keep(7, "event {} came too late")
    first = letters.waiting(limit=3)
    assert [letter.id for letter in first] == [letter.id for letter in letters.waiting()][:3]
    expected = [letter.id for letter in letters.waiting()][3:]
    letters.drop(first[2].id, "seen", first[2].at)
    assert [letter.id for letter in letters.waiting(after=first[2].place)] == expected
    for odd in ("x", "2026-01-01~message-1", "~", "2026-13-01T00:00:00+00:00~a"):
        with pytest.raises(UserError, match="first page"):
            letters.waiting(after=odd)


def test_groups_are_counted_with_the_oldest_as_their_example(app: Flask) -> None:
    keep(3, "event {} came too late")
    keep(2, "JSON: no object", topic="score-events.v1")
    groups = letters.groups()
    assert [(group.kind, group.cause, group.count) for group in groups] == [
        ("game-events.v1", "event … came too late", 3),
        ("score-events.v1", "JSON: no object", 2),
    ]
    assert groups[0].example == letters.waiting()[0].id
    assert letters.groups("score-events.v1") == groups[1:]
    assert letters.groups(cause="nothing is like this") == []


@pytest.mark.parametrize(
    "odd", ["", "job", "job-", "job-x", "message-0", "message-99999999999999999999", "letter-1"]
)
def test_an_id_that_names_nothing_is_refused(app: Flask, odd: str) -> None:
    keep(1, "event {} came too late")
    with pytest.raises(UserError, match="no pending dead letter"):
        letters.find(odd)


def test_messages_of_one_payload_count_their_replays_together(app: Flask) -> None:
    for offset in (1, 2):
        dead_letter([(Message("game-events.v1", 0, offset, "g1", b"the same"), "JSON: no object")])
    db.session.execute(
        text('UPDATE dead_letters SET replays = 2, done_at = now() WHERE "offset" = 1')
    )
    db.session.commit()
    assert [letter.replays for letter in letters.waiting()] == [2]
