"""Empties the stores between two tests: of the tables only those that a test has written to."""

from __future__ import annotations

from sqlalchemy import text

from app.core import measures
from app.core.db import db
from app.core.redis import boards_redis, jobs_redis
from tests.owner import owner

# DELETE leaves dead rows, which later scans read: a table that has grown to this size is truncated.
MOST_BYTES = 256 * 1024
# With its partitions, if it has any.
SIZE = "coalesce((SELECT sum(pg_relation_size(relid)) FROM pg_partition_tree('{0}')), pg_relation_size('{0}'))"
# Without triggers and foreign keys the order does not matter, and no trigger notes the deletion.
WITHOUT_TRIGGERS = text("SET LOCAL session_replication_role = replica")
RESTART_SEQUENCES = text(
    "SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)"
    " FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL"
)


def empty_tables() -> None:
    """All tables of the models are empty and their sequences begin again."""
    names = [table.name for table in db.metadata.sorted_tables]
    looks = [f"SELECT '{name}', {SIZE.format(name)} WHERE EXISTS (SELECT FROM \"{name}\")" for name in names]
    db.session.rollback()  # what it still holds locks on is emptied by somebody else
    with owner().begin() as connection:
        filled = connection.execute(text(" UNION ALL ".join(looks))).all()
        large = ", ".join(f'"{name}"' for name, size in filled if size > MOST_BYTES)
        connection.execute(WITHOUT_TRIGGERS)
        for name, size in filled:
            if size <= MOST_BYTES:
                connection.execute(text(f'DELETE FROM "{name}"'))
        if large:
            connection.execute(text(f"TRUNCATE {large} CASCADE"))
        connection.execute(RESTART_SEQUENCES)


def empty_stores(keeping: tuple[str, ...] = ()) -> None:
    """Tables and Redis are empty but for the keys that begin with one of `keeping`."""
    empty_tables()
    measures.flush()  # what this process has counted and not written yet would come into the next test
    for store in (jobs_redis(), boards_redis()):
        if keeping:
            left = [key for key in store.scan_iter(count=1000) if not key.decode().startswith(keeping)]
            store.delete(*left, "nothing")
        else:
            store.flushall()
