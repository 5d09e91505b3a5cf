"""The top of a board in many parts over the API: merged now and then, with its age."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest

from app.api.leaderboards import OPEN_STALE_MS
from app.boards.catalogue import queries as catalogue
from app.boards.layouts.board import Board, open_board
from app.boards.layouts.merged_top import FRESH, Top
from app.boards.percentiles import STEPS
from app.boards.rules import Held
from app.boards.windows import rules as windows
from app.core.db import db
from app.core.redis.clients import boards_redis
from tests.worlds.callers import Callers


@pytest.fixture
def board(callers: Callers) -> Board:
    """The board of all time in four parts, with one player."""
    callers.mode.shards = 4
    record = catalogue.board_for(callers.mode, windows.Window("all-time", "all-time"))
    spec = catalogue.spec_of(callers.game, callers.mode, record)
    db.session.commit()
    opened = open_board(spec)
    assert len(opened.parts) == 4
    opened.put({str(callers.player_id): Held(5, 0)})
    return opened


def read(callers: Callers, query: str = "") -> Any:
    return callers.app.test_client().get(f"{callers.board}?{query}").json


def aged(board: Board, by: timedelta) -> None:
    """The kept top is older by so much."""
    key = board.spec.tag("top")
    top = msgspec.json.decode(boards_redis().get(key), type=Top)
    boards_redis().set(key, msgspec.json.encode(replace(top, as_of=top.as_of - by)))


@pytest.mark.usefixtures("board")
def test_a_row_names_the_picture_that_anybody_may_load(callers: Callers) -> None:
    """Seed 004: names and profile images stand on the leaderboard."""
    image = read(callers)["entries"][0]["image"]
    picture = callers.app.test_client().get(image)
    assert (picture.status_code, picture.content_type) == (200, "image/svg+xml")


def test_the_top_says_how_old_it_is_and_when_to_ask_again(
    callers: Callers, board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = read(callers)
    assert [(row["rank"], row["display_name"], row["score"]) for row in first["entries"]] == [
        (1, "Nova", 5)
    ]
    board.put({str(UUID(int=1)): Held(9, 0)})
    aged(board, timedelta(seconds=1))
    with monkeypatch.context() as slow:  # a slow machine may take longer than the top is fresh
        slow.setattr("app.boards.layouts.merged_top.FRESH", timedelta(hours=1))
        cached = read(callers)
    assert (cached["entries"], cached["total_ranked"]) == (first["entries"], 1)
    assert (cached["source"], cached["cache_hit"]) == ("redis", True)
    assert datetime.fromisoformat(cached["as_of"]) == datetime.fromisoformat(
        first["as_of"]
    ) - timedelta(seconds=1)
    assert cached["age_ms"] >= 1000
    assert cached["stale_after_ms"] == max(0, 3000 - cached["age_ms"])
    for live in ("offset=1", f"around_player_id={callers.player_id}"):
        answer = read(callers, live)
        assert (answer["total_ranked"], answer["stale_after_ms"]) == (2, OPEN_STALE_MS), live
    aged(board, FRESH)
    again = read(callers)
    assert ([row["score"] for row in again["entries"]], again["total_ranked"]) == ([9, 5], 2)


def test_percentiles_come_with_their_age(callers: Callers, board: Board) -> None:
    answer = callers.app.test_client().get(f"{callers.board}/percentiles")
    assert answer.json is not None
    assert answer.json["total_ranked"] == 1
    assert [(row["percentile"], row["score"]) for row in answer.json["percentiles"]] == [
        (step, 5) for step in STEPS
    ]
    assert answer.json["age_ms"] >= 0
    assert "subscore" not in answer.json["percentiles"][0]
