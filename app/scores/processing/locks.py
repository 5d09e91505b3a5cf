"""Locks of the consumer while it writes a batch: players of a mode by shard, and players' rows."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from sqlalchemy import text

from app.core.db import db
from app.core.postgres.advisory_locks import Lock


def lock_shards(keys: Collection[str], *, first: bool) -> None:
    """Lock the shards of players: one writer at a time, even while a topic's partitions move.

    Call it first in the transaction. A writer that hangs between two statements loses its
    transaction, and so its locks, after ten seconds.
    """
    if first:
        db.session.execute(
            text(
                "SELECT set_config('idle_in_transaction_session_timeout', '10s', true),"
                " set_config('lock_timeout', '60s', true)"
            )
        )
    db.session.execute(
        text(
            "SELECT pg_advisory_xact_lock(hashtextextended(key, :lock))"
            " FROM (SELECT key FROM unnest(CAST(:keys AS text[])) AS key ORDER BY key OFFSET 0) AS "
            "ordered"
        ),
        {"lock": Lock.SCORES, "keys": sorted(keys)},
    )


def lock_players(ids: Collection[UUID]) -> dict[UUID, bool]:
    """Return which of these players exist, and whether they are hidden.

    Both stay true until the transaction ends.
    """
    known = text(
        "SELECT id, hidden_at IS NOT NULL FROM players WHERE id = ANY(:ids) ORDER BY id FOR KEY "
        "SHARE"
    )
    return dict(db.session.execute(known, {"ids": sorted(ids)}).all())
