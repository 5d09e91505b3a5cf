"""Bulk inserts: many rows in one statement, sent to PostgreSQL as one JSON text.

JSON costs Python a fraction of one parameter per value, and one round trip for any number of rows.
Used where rows come by the hundred (the record's ingestion); `upsert` of app/core/db is for a few
rows. Only the caller commits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
from sqlalchemy import Row, TextClause, text

from app.core.db import db

_encoder = msgspec.json.Encoder()


def insert_rows(
    model: Any,
    rows: Sequence[Mapping[str, Any]],
    *,
    key: Sequence[str] = (),
    returning: Sequence[str] = (),
) -> Sequence[Row[Any]]:
    """Insert rows that have the same columns, in their order.

    Args:
        model: The table.
        rows: The rows.
        key: The columns of the primary key. With it, an existing row gets the other columns unless
            it has them already; no two of `rows` may then share a key. Without it, rows that
            violate a unique index are skipped.
        returning: Columns to return.

    Returns:
        The columns `returning` of the rows that were written.
    """
    if not rows:
        return []
    statement = _insert(model.__table__.name, tuple(rows[0]), tuple(key), tuple(returning))
    result = db.session.connection().execute(statement, {"rows": as_json(rows)})
    return result.all() if returning else []


def as_json(values: Any) -> str:
    """Encode plain values, times and wire structs, for a statement that reads rows from JSON."""
    return _encoder.encode(values).decode()


@cache
def _insert(
    table: str, columns: tuple[str, ...], key: tuple[str, ...], returning: tuple[str, ...]
) -> TextClause:
    source = f"json_populate_recordset(CAST(NULL AS {table}), CAST(:rows AS json)) AS new"
    other_columns = [name for name in columns if name not in key]
    if key:
        same = " AND ".join(f'old."{name}" = new."{name}"' for name in key)
        differs = (
            f"({_list(other_columns, 'old.')}) IS DISTINCT FROM ({_list(other_columns, 'new.')})"
        )
        source += f" LEFT JOIN {table} AS old ON {same} WHERE {differs}"
        sets = ", ".join(f'"{name}" = excluded."{name}"' for name in other_columns)
        conflict = f"({_list(key)}) DO UPDATE SET {sets}"
    else:
        conflict = "DO NOTHING"
    back = f" RETURNING {_list(returning)}" if returning else ""
    into = f"INSERT INTO {table} ({_list(columns)}) SELECT {_list(columns, 'new.')}"
    return text(f"{into} FROM {source} ON CONFLICT {conflict}{back}")


def _list(names: Sequence[str], before: str = "") -> str:
    return ", ".join(f'{before}"{name}"' for name in names)
