"""Boards with scores, and Redis at another address.

Their games and modes are made by score_games.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from uuid import UUID

from flask import Flask
from sqlalchemy import insert, select

from app.boards.models import BoardCount, BoardRecord, BoardScore, Mode
from app.boards.rules import Held, Ties
from app.boards.spec import BoardSpec
from app.core.db import db
from app.core.redis import clients

NOW = datetime(2026, 9, 13, 20, tzinfo=UTC)
PLAYERS = [str(UUID(int=n * 0x1234567890ABCDEF123 % 2**128)) for n in range(1, 13)]


def fill(record: BoardRecord, spec: BoardSpec, standings: Mapping[str, Held]) -> None:
    """These standings in PostgreSQL, put down row by row."""
    for player, holds in standings.items():
        tie = holds.at if spec.ties is Ties.EARLIEST else 0
        row = {"board_id": record.id, "player_id": UUID(player), "score": holds.score, "tie": tie}
        db.session.execute(insert(BoardScore).values(**row, at=holds.at, event_id=UUID(int=1)))
    for score, players in Counter(holds.score for holds in standings.values()).items():
        db.session.execute(
            insert(BoardCount).values(board_id=record.id, score=score, players=players)
        )


def all_time_board_id(mode: Mode) -> int:
    return db.session.scalars(
        select(BoardRecord.id).where(
            BoardRecord.mode_id == mode.id, BoardRecord.window_id == "all-time"
        )
    ).one()


@contextmanager
def redis_at(app: Flask, boards_url: str) -> Iterator[None]:
    """Inside, the boards lie on the server at this address."""
    before = {name: client for name, client in app.extensions.items() if name.startswith("redis")}
    clients.init_app(app, app.config["PRESSBOX"].redis_url, boards_url)
    try:
        yield
    finally:
        app.extensions.update(before)
