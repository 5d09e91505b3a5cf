"""The change feed: nothing skipped, whatever the order of commits, and nobody else's."""

from __future__ import annotations

import threading
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import text

from app.core import clock
from app.core.db import db
from app.scores.feed import changes as feed
from app.scores.feed.places import InvalidTokenError, Token, TokenTooOldError
from tests.worlds.integrator_boards import ANN, BOB, board_of, integrator, put


def scores(integrator_id: int, since: Token | None = None) -> list[int | None]:
    read_scores = [change.score for change in feed.read(integrator_id, since).changes]
    db.session.rollback()
    return read_scores


def test_every_change_of_a_board_is_given_once_and_in_order(app: Flask) -> None:
    studio = integrator()
    board = board_of(studio)
    put(board, ANN, 5)
    put(board, BOB, 6)
    put(board, ANN, 7)
    put(board, ANN, 7)  # nothing new
    db.session.execute(text("DELETE FROM board_scores WHERE player_id = :bob"), {"bob": BOB})
    db.session.commit()
    page = feed.read(studio.id, None)
    assert [(change.event, change.player_id, change.score) for change in page.changes] == [
        ("score.changed", str(ANN), 5),
        ("score.changed", str(BOB), 6),
        ("score.changed", str(ANN), 7),
        ("score.removed", str(BOB), None),
    ]
    assert {(change.game, change.mode, change.window) for change in page.changes} == {
        ("dice", "ranked", "all-time")
    }
    assert sorted(change.sequence for change in page.changes) == [
        change.sequence for change in page.changes
    ]
    assert scores(studio.id, page.token) == []
    assert scores(studio.id, page.changes[1].token) == [7, None]
    put(board, BOB, 8)
    assert scores(studio.id, page.token) == [8]


def test_a_transaction_that_commits_late_is_not_passed_by(app: Flask) -> None:
    """Two connections: the first to write commits last.

    A feed by id would have given 2 and then never 1.
    """
    studio = integrator()
    board = board_of(studio)
    with db.engine.connect() as first, db.engine.connect() as second:
        put(board, ANN, 1, first)
        put(board, BOB, 2, second)
        second.commit()
        early = feed.read(studio.id, None)
        db.session.rollback()
        assert [change.score for change in early.changes] == [2], (
            "nobody waits for another one's transaction"
        )
        first.commit()
    assert scores(studio.id, early.token) == [1]


def test_readers_that_go_on_while_many_write_get_every_change_once(app: Flask) -> None:
    studio = integrator()
    board = board_of(studio)
    failures: list[BaseException] = []

    def write(player: int) -> None:
        try:
            with app.app_context():
                for score in range(1, 26):
                    with db.engine.begin() as connection:
                        put(board, UUID(int=player), score, connection)
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=write, args=(player,)) for player in range(1, 5)]
    for thread in threads:
        thread.start()
    received, token, is_over = [], None, False
    while not is_over:
        all_written = not any(thread.is_alive() for thread in threads)
        page = feed.read(studio.id, token, limit=7)
        db.session.rollback()
        received += page.changes
        token = page.token
        is_over = all_written and not page.changes
    assert failures == []
    assert len({change.sequence for change in received}) == len(received) == 100
    for player in range(1, 5):
        mine = [change.score for change in received if change.player_id == str(UUID(int=player))]
        assert mine == list(range(1, 26))


def test_each_integrator_sees_its_own_and_nobody_the_houses(app: Flask) -> None:
    studio, other = integrator("Studio"), integrator("Other")
    put(board_of(studio, "dice"), ANN, 1)
    put(board_of(other, "darts"), ANN, 2)
    put(board_of(None, "own"), ANN, 3)
    assert (scores(studio.id), scores(other.id)) == ([1], [2])
    assert db.session.execute(text("SELECT count(*) FROM board_changes")).scalar() == 2


def test_what_goes_into_the_archive_or_with_its_board_is_no_change(app: Flask) -> None:
    studio = integrator()
    board = board_of(studio)
    put(board, ANN, 1)
    db.session.execute(text("UPDATE boards SET archived_at = now()"))
    db.session.execute(text("DELETE FROM board_scores"))
    db.session.commit()
    assert scores(studio.id) == [1]


def test_an_outdated_token_is_refused_as_such_and_a_young_or_idle_one_goes_on(app: Flask) -> None:
    studio, other = integrator("Studio"), integrator("Other")
    board = board_of(studio)
    put(board_of(other, "darts"), ANN, 9)
    put(board, ANN, 1)
    first = feed.read(studio.id, None, limit=1)
    put(board, ANN, 2)
    old = feed.read(studio.id, None).changes[0].token
    put(board, ANN, 3)
    idle = feed.read(studio.id, None).token
    db.session.execute(
        text("UPDATE board_changes SET changed_at = changed_at - interval '8 days' WHERE score < 3")
    )
    db.session.commit()
    assert feed.trim(clock.now()) == 2
    assert feed.trim(clock.now()) == 0
    with pytest.raises(TokenTooOldError, match="7 days"):
        feed.read(studio.id, min(old, first.token))
    assert scores(studio.id) == [3]
    assert scores(studio.id, idle) == []
    assert scores(other.id) == [9]


@pytest.mark.parametrize("value", ["", "7", "x-1", "1-2-3", "1" * 40 + "-1"])
def test_what_is_no_token_of_this_feed_is_refused(app: Flask, value: str) -> None:
    with pytest.raises(InvalidTokenError, match="since"):
        feed.read(integrator().id, Token.parse(value))
