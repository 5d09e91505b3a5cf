"""A request for friendship and its acceptance raise a notice.

A block never shows (app/accounts/friends.py).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from flask import Flask
from flask.testing import FlaskClient

from app.accounts import friends
from app.accounts.models import Member
from app.accounts.players import player_of
from app.fantasy.notices.services import newest

NOW = datetime(2026, 9, 15, 4, tzinfo=UTC)


def test_a_request_and_its_acceptance_are_told_once_a_day(
    app: Flask, member: Callable[..., Member]
) -> None:
    ann, bob = member("ann"), member("bob")
    anns, bobs = player_of(ann).id, player_of(bob).id
    for _ in range(3):
        assert friends.ask(anns, bobs, NOW) is None
        assert friends.withdraw(anns, bobs, NOW) is None
    assert friends.ask(anns, bobs, NOW + timedelta(days=1)) is None
    assert [(row.title, row.path) for row in newest(bob.id)] == [
        ("Ann sent you a friend request", "/friends")
    ] * 2
    assert newest(ann.id) == []
    assert friends.accept(bobs, anns, NOW + timedelta(days=1)) is None
    assert [row.title for row in newest(ann.id)] == ["Bob accepted your friend request"]


def test_whoever_blocks_reads_nothing_and_the_blocked_learn_nothing(
    app: Flask, member: Callable[..., Member]
) -> None:
    ann, bob = member("ann"), member("bob")
    anns, bobs = player_of(ann).id, player_of(bob).id
    assert friends.block(bobs, anns, NOW) is None
    assert friends.ask(anns, bobs, NOW) is None
    assert friends.decline(bobs, anns, NOW) is None
    assert (newest(ann.id), newest(bob.id)) == ([], [])


def test_the_bell_counts_it(sign_in: Callable[..., FlaskClient]) -> None:
    ann, bob = sign_in(username="ann"), sign_in(username="bob")
    ann.post("/friends/ask", data={"username": "bob"})
    assert "Ann sent you a friend request" in bob.get("/notices").text
