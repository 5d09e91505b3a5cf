"""Places in the feed outlive the PostgreSQL server that assigned them (docs/recovery.md)."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from flask import Flask
from sqlalchemy import text

from app.core import clock
from app.core.db import db
from app.scores.feed import changes as feed
from app.scores.feed.places import InvalidTokenError, Token, TokenTooOldError
from app.scores.webhooks import services as webhooks
from app.scores.webhooks.models import Webhook
from tests.scores.receiver import Receiver
from tests.worlds.integrator_boards import ANN, BOB, board_of, integrator, put

# As a dump has it that another server reads in: the same rows, but this is not where they were
# written.
ELSEWHERE = "UPDATE feed_state SET server = 'another server'"


def execute(*statements: str) -> None:
    for statement in statements:
        db.session.execute(text(statement))
    db.session.commit()


def scores(integrator_id: int, since: Token | None = None) -> list[int | None]:
    changes = feed.read(integrator_id, since).changes
    return [change.score for change in changes if change.event == feed.SCORE_CHANGED]


def test_a_forgotten_transaction_of_another_session_does_not_hold_the_feed_up(app: Flask) -> None:
    """The guide promises a change within a second.

    A transaction that somebody forgot may stay open for hours.
    """
    studio = integrator()
    board = board_of(studio)
    with db.engine.connect() as forgotten:
        forgotten.execute(text("SELECT pg_current_xact_id()"))
        put(board, ANN, 20)
        assert scores(studio.id) == [20]


def test_a_token_from_before_the_backup_goes_on_in_a_new_server_with_nothing_left_out_or_doubled(
    app: Flask,
) -> None:
    studio = integrator()
    board = board_of(studio)
    put(board, ANN, 1)
    page = feed.read(studio.id, None)
    execute(ELSEWHERE)
    put(board, ANN, 2)
    assert scores(studio.id, page.token) == [2]
    assert scores(studio.id, page.changes[0].token) == [2]
    assert scores(studio.id) == [1, 2], "without since: all that is kept"


def test_a_change_that_had_no_place_when_the_backup_was_made_gets_one_in_the_new_server(
    app: Flask,
) -> None:
    studio = integrator()
    put(board_of(studio), ANN, 1)
    token = feed.newest()
    put(board_of(studio, "darts"), ANN, 2)
    execute(ELSEWHERE)
    assert scores(studio.id, token) == [2]


def lose(*statements: str) -> tuple[int, Token]:
    """An integrator who read a change that a restore then took away; and its token."""
    studio = integrator()
    board = board_of(studio)
    put(board, ANN, 1)
    kept_place = feed.read(studio.id, None).token
    put(board, BOB, 2)
    lost = feed.read(studio.id, None).token
    restored = f"UPDATE feed_state SET last_place = {kept_place.place}"
    execute("DELETE FROM board_changes WHERE score = 2", restored, *statements)
    return studio.id, lost


@pytest.mark.parametrize("is_written_to", [True, False])
def test_a_token_from_what_a_restore_took_away_is_refused_with_a_way_in_that_works(
    app: Flask, is_written_to: bool
) -> None:
    studio_id, lost = lose(ELSEWHERE)
    if is_written_to:
        execute("UPDATE board_scores SET score = 9 WHERE score = 1")
    with pytest.raises(
        TokenTooOldError, match="Read the boards again, then the feed without since"
    ):
        feed.read(studio_id, lost)
    page = feed.read(studio_id, None)
    assert page.changes[0].score == 1
    assert feed.read(studio_id, page.token).changes == []


def test_a_token_from_the_lost_future_of_a_disk_snapshot_is_refused(app: Flask) -> None:
    """The server says that it is the same, so nothing but the place itself can tell."""
    studio_id, lost = lose()
    with pytest.raises(TokenTooOldError):
        feed.read(studio_id, lost)


def test_a_sequence_is_never_given_twice_and_the_feed_says_from_where_on_it_is_undone(
    app: Flask,
) -> None:
    """Integrators use `sequence` as the key of their rewards (docs/integrators.md, "Events")."""
    studio_id, lost = lose(ELSEWHERE)
    execute("UPDATE board_scores SET score = 9 WHERE score = 1")
    kept_change, timeline, new = feed.read(studio_id, None).changes
    assert timeline.event == "timeline.changed"
    assert timeline.body()["kept_through"] == kept_change.sequence
    assert kept_change.sequence < lost.place < timeline.sequence < new.sequence < 2**53, (
        "whole in JSON's readers"
    )


def test_two_restores_of_one_backup_give_no_sequence_twice(app: Flask) -> None:
    studio_id, _ = lose(ELSEWHERE)
    first = feed.read(studio_id, None).changes[-1]
    execute(
        f"DELETE FROM board_changes WHERE place >= {first.sequence}",
        "DELETE FROM feed_forks",
        "UPDATE feed_state SET last_place = (SELECT max(place) FROM board_changes)",
        ELSEWHERE,
    )
    second = feed.read(studio_id, None).changes[-1]
    assert (first.event, second.event) == ("timeline.changed", "timeline.changed")
    assert second.sequence > first.sequence
    with pytest.raises(TokenTooOldError):
        feed.read(studio_id, first.token)


def test_a_token_of_an_earlier_release_is_told_the_way_in(app: Flask) -> None:
    with pytest.raises(TokenTooOldError, match="without since"):
        Token.parse("fffffffffff-1")
    assert Token.parse("0-0") == Token(0), "the guide's beginning"


def test_webhooks_go_on_in_a_new_server_and_hear_of_it(
    hook: Callable[..., Webhook], receiver: Receiver
) -> None:
    studio = integrator()
    board = board_of(studio)
    webhook_id = hook(studio.id, ("score.changed",)).id
    put(board, ANN, 1)
    webhooks.collect(clock.now())
    assert webhooks.send_next(webhook_id, clock.now()) == "delivered"
    execute("DELETE FROM webhook_deliveries", ELSEWHERE)  # restored to before the delivery was made
    put(board, ANN, 2)
    webhooks.collect(clock.now())
    assert webhooks.send_next(webhook_id, clock.now()) == "delivered"
    changes = json.loads(receiver.received[-1][1])["changes"]
    assert [change["event"] for change in changes] == ["timeline.changed", "score.changed"]
    assert receiver.scores == [1, None, 2]
    ids = [headers["webhook-id"] for headers, _ in receiver.received]
    assert len(set(ids)) == 2, (
        "the receiver must not take it for one that it had (Standard Webhooks)"
    )


def test_a_webhook_that_fails_stops_nobody_elses(
    hook: Callable[..., Webhook], receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    studio, other = integrator("Studio"), integrator("Other")
    for owner in (studio, other):
        hook(owner.id)
    put(board_of(studio), ANN, 1)
    put(board_of(other, "darts"), ANN, 2)
    read = feed.read_placed

    def refuse(integrator_id: int, *arguments: object) -> feed.Page:
        if integrator_id == studio.id:
            raise InvalidTokenError("since is no token")
        return read(integrator_id, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(feed, "read_placed", refuse)
    assert webhooks.collect(clock.now()) == 1
