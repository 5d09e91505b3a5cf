"""An archive run on a broker and a blob store, and the resulting objects and rows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pyarrow as pa
from pyarrow import parquet
from sqlalchemy import select

from app.core import clock
from app.core.blob_store import BlobStore
from app.core.db import db
from app.record.events import decode
from app.record.rebuild import identify
from app.settings import Settings
from app.stream.archive import ArchiveRun, Outcome, archive, folder
from app.stream.models import ArchivedSegment

NOW = clock.now()
OLD = NOW - timedelta(days=3)
DAY = timedelta(days=1)


def only(*games: str) -> Callable[[bytes], tuple[str, int] | None]:
    """Identifies events of these games alone: the tests share the topic."""

    def of(value: bytes) -> tuple[str, int] | None:
        identity = identify(value)
        return identity if identity is not None and identity[0] in games else None

    return of


def run(settings: Settings, store: BlobStore, *games: str, older_than: timedelta = DAY) -> Outcome:
    return archive(
        settings, ArchiveRun(store, NOW, only(*games), lambda _: None), before=NOW - older_than
    )


def objects(store: BlobStore, game_id: str) -> dict[str, list[dict[str, object]]]:
    """Rows of every object of the game, read as Parquet, by name below the game's folder."""
    return {
        name.removeprefix(folder(game_id) + "/"): parquet.read_table(
            pa.BufferReader(store.get(name))
        ).to_pylist()
        for name in store.names(folder(game_id))
    }


def numbers(store: BlobStore, game_id: str) -> list[int]:
    """Every archived event number of the game, a double twice."""
    return sorted(
        decode(row["payload"]).event_number
        for rows in objects(store, game_id).values()
        for row in rows
    )


def rows() -> list[tuple[str, int, list[int], bool]]:
    """Of every segment: name, count, event numbers and whether it is verified; by name."""
    segments = db.session.scalars(select(ArchivedSegment))
    return sorted(
        (row.name, row.count, row.event_numbers, row.verified_at is not None) for row in segments
    )
