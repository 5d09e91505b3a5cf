"""Rebuilds a board in Redis from PostgreSQL, equal to what was lost, ties included (PRODUCT E7).

Rebuilds one board, and lists all of them. app/scores/processing/reconcile.py notices losses;
app/fantasy/standings/boards.py holds tables that tenants publish whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

import structlog
from sqlalchemy import ColumnElement, Text, cast, literal, select

from app.boards.catalogue import queries as catalogue
from app.boards.catalogue.queries import BoardNotFoundError
from app.boards.layouts.moving import alone, forget, free_generation, open_empty, retire
from app.boards.layouts.parts import chunks
from app.boards.models import BoardRecord, BoardScore, Mode, ScoreGame
from app.boards.rules import Aggregation, Held
from app.core.db import db
from app.core.redis.clients import boards_redis, is_cluster
from app.core.restore_epoch import epoch, key_of

log = structlog.get_logger(__name__)

BATCH = 1_000  # keys per round trip
PATTERNS = ("lb:*", "pressbox:{table-*")
_GENERATION = re.compile(r":g(?:(\d+)\.)?\d+[a-z]\w*}")
CHUNK = 10_000  # players between two reports of progress

Say = Callable[[int], None]


@dataclass(frozen=True)
class Rebuilt:
    """A rebuilt board: its name (game:mode:window) and number of players."""

    name: str
    generation: int
    players: int


def rebuild(
    board_id: int, now: datetime, *, only_stale: bool = False, say: Say | None = None
) -> Rebuilt | None:
    """Fill a new generation of the board and switch to it; None if archived or not stale.

    No score of the mode is written in the meantime; readers use the old generation until the
    switch. A move in progress is abandoned and must be begun again. If the process is killed, the
    old generation stays, and the next run begins again. Redis errors are raised.

    `say` is called with the number of players so far.
    """
    with alone(board_id) as (record, mode):
        if record.archived_at is not None or (only_stale and record.stale_since is None):
            return None
        retire(record, now, record.generation, record.layout, record.shards)
        if record.next_generation is not None:
            retire(record, now, record.next_generation, record.next_layout, record.next_shards)
            log.warning(
                "move_thrown_away",
                board_id=board_id,
                layout=record.next_layout,
                shards=record.next_shards,
            )
            forget(record)
        record.generation = free_generation(record)
        record.stale_since = None
        spec = catalogue.spec_of(catalogue.game_of(mode), mode, record)
        players = open_empty(spec, board_id).load(_held(board_id, spec.aggregation, say))
        record.rebuilt_at, record.verified_at = now, None
    log.info("rebuilt", board=spec.name, generation=spec.generation, players=players)
    return Rebuilt(spec.name, spec.generation, players)


def find(key: str) -> int:
    """Return the id of the board named `game:mode:window`.

    Raises:
        BoardNotFoundError: There is no such board.
    """
    board = catalogue.board_named(key)
    if board.archived_at is not None:
        raise BoardNotFoundError(
            f"Board {key} is archived and read from the blob store. There is nothing to rebuild."
        )
    return board.id


def living() -> list[tuple[int, str]]:
    """List id and name of every board that is not archived, by game, mode and window."""
    rows = db.session.execute(
        select(BoardRecord.id, ScoreGame.slug, Mode.slug, BoardRecord.window_id)
        .join(Mode, Mode.id == BoardRecord.mode_id)
        .join(ScoreGame, ScoreGame.id == Mode.game_id)
        .where(BoardRecord.archived_at.is_(None))
        .order_by(ScoreGame.slug, Mode.slug, BoardRecord.window_id)
    ).all()
    db.session.rollback()
    return [(board_id, f"{game}:{mode}:{window}") for board_id, game, mode, window in rows]


def _held(board_id: int, aggregation: Aggregation, say: Say | None) -> Iterator[tuple[str, Held]]:
    """Yield members and what they hold; the event only if it decides what later attempts count."""
    event: ColumnElement[str] = (
        cast(BoardScore.event_id, Text) if aggregation is Aggregation.LATEST else literal("")
    )
    rows = db.session.execute(
        select(cast(BoardScore.player_id, Text), BoardScore.score, BoardScore.at, event)
        .where(BoardScore.board_id == board_id)
        .execution_options(yield_per=CHUNK)
    )
    number = 0
    for partition in rows.partitions():
        number += len(partition)
        if len(partition) == CHUNK and say is not None:
            say(number)
        for player, score, at, event_id in partition:
            yield player, Held(score, at, event_id)


def drop_other_timelines() -> int:
    """Unlink keys of boards and league tables of other timelines; return how many.

    Raises:
        RedisAway: Redis cannot be reached.
    """
    dropped = 0
    for keys in chunks((key for key in _keys() if not is_ours(key)), BATCH):
        pipeline = boards_redis().pipeline(transaction=False)
        for key in keys:
            pipeline.unlink(key)
        dropped += sum(pipeline.execute())
    return dropped


def is_ours(key: str) -> bool:
    """Whether a key (BoardSpec.tag or timeline.key_of) belongs to this timeline."""
    generation = _GENERATION.search(key)
    if generation is not None:
        return int(generation[1] or 0) == epoch()
    mark = re.search(r"@\d+(?=:|$)", key)
    return (mark[0] if mark else "") == key_of("")


def _keys() -> Iterator[str]:
    client = boards_redis()
    scan = {"target_nodes": "primaries"} if is_cluster(client) else {}
    for pattern in PATTERNS:
        for key in client.scan_iter(pattern, count=1000, **scan):
            yield key.decode()
