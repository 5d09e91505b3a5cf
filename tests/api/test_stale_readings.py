"""Readings that began before a change, and what they leave behind for everybody."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from flask import Flask
from sqlalchemy import text

from app.accounts import players
from app.api import leaderboards
from app.boards.catalogue import known
from app.boards.catalogue import queries as catalogue
from app.boards.layouts.board import open_board
from app.core import clock
from app.core.db import db
from app.core.redis.clients import jobs_redis
from app.scores import events
from app.scores.processing.apply import Batch
from app.stream.messages import Message
from tests.api.test_statements_of_reads import BOARD, play
from tests.worlds.callers import Callers, got
from tests.worlds.score_log import NOW, Log, all_clean, later, score_event


def test_an_answer_that_began_before_a_change_of_its_mode_is_not_shared(callers: Callers) -> None:
    play(callers, 7)
    callers.app.test_client().get(BOARD)
    play(callers, 8)
    shared_answer = leaderboards.shared_answer

    def after_a_change(read: Any) -> Any:
        changed = callers.game_server.patch(callers.mode_path, json={"private": True})
        assert changed.status_code == 200, changed.text
        return shared_answer(read)

    page = callers.app.test_client()
    with patch.object(leaderboards, "shared_answer", after_a_change):
        page.get(BOARD, headers={"Origin": "https://dice.example"})
    assert callers.app.test_client().get(BOARD).status_code == 401


def test_a_reading_across_midnight_is_not_shared_as_that_of_today(
    callers: Callers, monkeypatch: pytest.MonkeyPatch
) -> None:
    midnight = clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
    before, daily = midnight - timedelta(milliseconds=1), callers.board.replace("all-time", "daily")
    log = Log()
    log.put(score_event(callers.mode, callers.player_id, 7, before))
    log.consume()
    window_id = f"daily:{before:%Y-%m-%d}"
    record = catalogue.board_named(f"dice:ranked:{window_id}")
    open_board(catalogue.spec_of(callers.game, callers.mode, record)).count_members()
    client = callers.app.test_client()
    got(client, BOARD)
    with monkeypatch.context() as yesterday:
        yesterday.setattr(clock, "now", lambda: before)
        # The board is opened after midnight: a reading takes its moment from the real clock.
        for _ in range(2):  # the first puts the name beside the board
            assert got(client, daily)["window_id"] == window_id
    assert got(client, daily)["window_id"] == f"daily:{midnight:%Y-%m-%d}"


def test_rows_of_a_release_with_other_columns_are_not_read(callers: Callers) -> None:
    play(callers, 7)
    client = callers.app.test_client()
    with patch.object(known, "_COLUMNS", "of the other"):
        got(client, BOARD)
    for key in jobs_redis().keys("polls:entry:*of the other*"):
        jobs_redis().hset(key, "body", '{"game":{},"mode":{}}' if b"mode:" in key else "{}")
    play(callers, 8)
    assert got(client, BOARD)["entries"][0]["score"] == 8


def test_a_name_is_not_cached_from_a_row_that_was_read_before(callers: Callers, app: Flask) -> None:
    with app.test_request_context("/"):
        player = players.find_player(callers.player_id)
        with db.engine.connect() as other:
            other.execute(
                text("UPDATE players SET display_name = 'Rex' WHERE id = :id"),
                {"id": callers.player_id},
            )
            other.commit()
        players.known_name(callers.player_id)
        assert player
    db.session.rollback()
    db.session.expunge_all()
    with app.test_request_context("/"):
        assert players.known_name(callers.player_id) == "Rex"


def test_a_mode_is_not_cached_from_a_row_that_was_read_before(callers: Callers, app: Flask) -> None:
    with app.test_request_context("/"):
        catalogue.find_game_and_mode("dice", "ranked")
        with db.engine.connect() as other:
            other.execute(text("UPDATE score_modes SET private = true"))
            other.commit()
        known.find_game_and_mode("dice", "ranked")
    db.session.rollback()
    db.session.expunge_all()
    with app.test_request_context("/"):
        both = known.find_game_and_mode("dice", "ranked")
        assert both is not None
        assert both[1].private


def test_metadata_shows_as_soon_as_postgresql_has_it(callers: Callers) -> None:
    callers.mode.takes_metadata = True
    db.session.commit()
    play(callers, 7)
    client = callers.app.test_client()
    got(client, BOARD)
    score = score_event(callers.mode, callers.player_id, 8, later(8), metadata={"car": "red"})
    batch = Batch(NOW, all_clean)
    message = Message("score-events.v1", 0, 0, events.key_of(score).decode(), events.encode(score))
    batch.take([message])
    connection = db.session.connection()  # the batch's transaction, which others do not see
    assert connection
    with ThreadPoolExecutor(1) as thread:
        early = thread.submit(got, callers.app.test_client(), BOARD).result()
    assert early["entries"][0]["score"] == 8
    batch.write()
    assert got(client, BOARD)["entries"][0].get("metadata") == {"car": "red"}
