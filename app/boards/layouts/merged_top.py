"""The merged top of a board in many parts: merged every few seconds, read from one key (D13).

A live top asks every part; on a page that everybody opens that is the same work over and over. The
merged top is exact as of the moment that it names. A board in one part is simply read.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import msgspec

from app.boards.layouts.board import Board
from app.boards.reads import Row
from app.core.redis.clients import boards_redis

MERGED_ROWS = 200
FRESH = timedelta(seconds=3)
KEEP = timedelta(minutes=1)


@dataclass(frozen=True)
class Top:
    """The first rows of a board as they stood at `as_of`, and how many members it had."""

    as_of: datetime
    rows: list[Row]
    count: int


def top(board: Board, limit: int, now: datetime) -> Top:
    """Read the first `limit` rows (1 to MERGED_ROWS), at most FRESH or one merge old."""
    if not 1 <= limit <= MERGED_ROWS:
        raise ValueError(f"limit {limit} must be 1 to {MERGED_ROWS}")
    if len(board.parts) == 1:
        return Top(now, board.page(0, limit), board.count())
    key = board.spec.tag("top")
    stored = boards_redis().get(key)
    merged = msgspec.json.decode(stored, type=Top) if stored else None
    if merged is None or (now - merged.as_of >= FRESH and _is_mine(key)):
        merged = Top(now.astimezone(UTC), board.page(0, MERGED_ROWS), board.count())
        if merged.rows:  # a lost board would look empty for some time after it is back
            boards_redis().set(key, msgspec.json.encode(merged), px=KEEP)
    return Top(merged.as_of, merged.rows[:limit], merged.count)


def forget(board: Board) -> None:
    """Have the top merged again, so that members who left the board leave its top.

    If a merge has already begun, they leave after FRESH at the latest.
    """
    if len(board.parts) > 1:
        boards_redis().delete(board.spec.tag("top"))


def _is_mine(key: str) -> bool:
    """Whether this reader merges: one does at a time, the others use what is cached."""
    return bool(boards_redis().set(f"{key}:merging", b"", nx=True, px=FRESH))
