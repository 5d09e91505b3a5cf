"""From a body on the wire to its row in the play tables, as its type declares it
(app/record/events/declaration.py).

Pure. Bodies without a table of their own (periods, timeouts, game ends) live in `events` alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from app.record import events as ev
from app.record.play_tables import PLAY_ROWS


def row_of(body: ev.EventBody, recorded_at: int) -> tuple[Any, dict[str, Any]] | None:
    """The table and the columns of its own (without key, play number and `valid`), or None without
    a table.

    `recorded_at`: milliseconds since 1970.
    """
    if body.table is None:
        return None
    table = PLAY_ROWS[body.table.name]
    return table, values_of(body, table.columns, recorded_at) | {"place": body.place}


def values_of(body: ev.EventBody, columns: Iterable[ev.Column], recorded_at: int) -> dict[str, Any]:
    """The body's values by column.

    False or None for a column that only another type of the table has.
    """
    return {
        column.name: recorded_at
        if column.type is ev.Milliseconds
        else getattr(body, column.source, column.missing)
        for column in columns
    }
