"""Empties the stores between two tests: of the tables only those that a test has written to."""

from __future__ import annotations

from functools import cache

from sqlalchemy import Connection, TextClause, text

from app.core import metrics
from app.core.db import db
from app.core.redis.clients import boards_redis, jobs_redis
from tests.owner import owner_without_triggers

# DELETE leaves dead rows, which later scans read: a table that has grown to this size is truncated.
MOST_BYTES = 256 * 1024
# With its partitions, if it has any.
LARGE = text("""
    SELECT c.relname FROM pg_class c
    WHERE c.relname = ANY(:names) AND c.relnamespace = 'public'::regnamespace AND :most < coalesce(
      (SELECT sum(pg_relation_size(relid)) FROM pg_partition_tree(c.oid)), pg_relation_size(c.oid))
""")
RESTART_SEQUENCES = text(
    "SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)"
    " FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL"
)


def empty_tables() -> None:
    """All tables of the models are empty and their sequences begin again."""
    db.session.rollback()  # what it still holds locks on is emptied by somebody else
    with owner_without_triggers().begin() as connection:
        filled = tables_with_rows(connection)
        if filled:
            large = connection.scalars(LARGE, {"names": filled, "most": MOST_BYTES}).all()
            deletions = [f'DELETE FROM "{name}"' for name in filled if name not in large]
            if large:
                quoted = ", ".join(f'"{name}"' for name in large)
                deletions.append(f"TRUNCATE {quoted} CASCADE")
            connection.exec_driver_sql("; ".join(deletions))  # one round trip
        connection.execute(RESTART_SEQUENCES)


def tables_with_rows(connection: Connection) -> list[str]:
    return [*connection.scalars(_names_of_tables_with_rows())]


@cache
def _names_of_tables_with_rows() -> TextClause:
    names = [table.name for table in db.metadata.sorted_tables]
    return text(
        " UNION ALL ".join(
            f"SELECT '{name}' WHERE EXISTS (SELECT FROM \"{name}\")" for name in names
        )
    )


def empty_stores(keeping: tuple[str, ...] = ()) -> None:
    """Tables and Redis are empty but for the keys that begin with one of `keeping`."""
    # what this process has counted and not written yet would come into the next test
    metrics.flush()
    empty_tables()
    for store in (jobs_redis(), boards_redis()):
        if keeping:
            left = [
                key for key in store.scan_iter(count=1000) if not key.decode().startswith(keeping)
            ]
            store.delete(*left, "nothing")
        else:
            store.flushall()
