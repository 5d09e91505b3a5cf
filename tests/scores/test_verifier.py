"""The verifier at work.

A shard deleted in Redis is never answered from, and the board is whole again within 10 s.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from uuid import UUID

import pytest
from flask import Flask

from app.boards import services
from app.boards.layouts.board import open_board
from app.boards.models import Mode, ScoreGame
from app.core.db import db
from app.core.redis.clients import boards_redis
from app.embedded.stack import Stack
from tests.waiting import until
from tests.worlds.score_log import Log, check_boards, later, score_event
from workers.supervisor.children import Children
from workers.supervisor.processes import Command


@pytest.fixture
def verifier(app: Flask, stack: Stack) -> Iterator[Children]:
    children = Children(stack, [Command("verifier", [sys.executable, "-m", "workers.verifier"])])
    children.start()
    yield children
    children.stop()


@pytest.mark.usefixtures("verifier")
@pytest.mark.parametrize("layout", ["hash", "range"])
def test_a_deleted_shard_is_never_answered_from_and_back_by_itself(
    game: ScoreGame,
    make_mode: Callable[..., Mode],
    players: Callable[[int], list[UUID]],
    layout: str,
) -> None:
    mode = make_mode(shards=4, layout=layout, windows=("all-time",))
    everybody = players(40)
    log = Log()
    log.put(*(score_event(mode, player, 100 + n, later(n)) for n, player in enumerate(everybody)))
    log.consume()

    def reading() -> services.Reading:
        db.session.rollback()
        return services.read(game, mode, "all-time")

    until(lambda: reading().record.verified_at is not None, "the board is verified")  # type: ignore[union-attr]
    first = reading()
    whole = first.board.page(0, 100)
    assert (len(whole), first.source) == (40, services.REDIS)
    assert first.spec is not None
    generation = first.spec.generation

    assert boards_redis().delete(*open_board(first.spec).homes[0].all)
    sources = set()

    def is_whole_again() -> bool:
        now = reading()
        assert now.board.page(0, 100) == whole, "an answer missed a player"
        sources.add(now.source)
        return (
            now.spec is not None
            and now.spec.generation > generation
            and now.source == services.REDIS
        )

    until(is_whole_again, "the board is whole again")
    assert sources == {services.POSTGRESQL, services.REDIS}
    check_boards(mode)
