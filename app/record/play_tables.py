"""One table per kind of play, generated from the declared event types (PRODUCT A3, A8).

See app/record/events/declaration.py. All tables share the key (game_id, event_number, revision) and
`valid`. There are no references between events, because a pass may arrive before its snap. The
database rejects a second valid row for one event and a change of `valid` from false to true.
`place`: where the event stands among the events of its play, in event numbers; NULL: at its own
number. A new column or table needs a migration; tests/test_migrations.py says which. Events without
a table (periods, timeouts, game ends) live in `events` only.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from sqlalchemy import BigInteger, Boolean, Double, Index, Integer, MetaData, String, Table, text
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import db
from app.record import events as ev

_TYPES = {str: String, int: Integer, bool: Boolean, float: Double, ev.Milliseconds: BigInteger}


class _PlayRow(db.Model):  # type: ignore[name-defined]
    __abstract__ = True

    game_id: Mapped[str] = mapped_column(primary_key=True, sort_order=-5)
    event_number: Mapped[int] = mapped_column(primary_key=True, sort_order=-4)
    revision: Mapped[int] = mapped_column(primary_key=True, sort_order=-3)
    play_number: Mapped[int] = mapped_column(sort_order=-2)
    valid: Mapped[bool] = mapped_column(sort_order=-1)
    place: Mapped[float | None] = mapped_column(Double, sort_order=1)

    player_column: ClassVar[str | None] = None
    columns: ClassVar[tuple[ev.Column, ...]] = ()

    @classmethod
    def __table_cls__(cls, name: str, metadata: MetaData, *columns: Any, **kwargs: Any) -> Any:
        by = [cls.player_column] if cls.player_column else []
        indexes = [
            Index(
                f"uq_{name}_valid",
                "game_id",
                "event_number",
                unique=True,
                postgresql_where=text("valid"),
            ),
            Index(f"ix_{name}_game_id", "game_id", *by, postgresql_where=text("valid")),
        ]
        return Table(name, metadata, *columns, *indexes, **kwargs)


def columns_of_table(
    table: ev.PlayTable, kinds: Iterable[type[ev.EventBody]]
) -> tuple[ev.Column, ...]:
    """The columns of a table that these types share.

    A column that not all of them have is False or NULL for the others.
    """
    by_name: dict[str, ev.Column] = {}
    for kind in kinds:
        for column in ev.columns_of(kind, table):
            by_name.setdefault(column.name, column)
    return tuple(by_name.values())


def _model(table: ev.PlayTable, kinds: Iterable[type[ev.EventBody]]) -> Any:
    columns = columns_of_table(table, kinds)
    mapped = {
        column.name: mapped_column(_TYPES[column.type], nullable=column.nullable)
        for column in columns
    }
    about = {
        "__tablename__": table.name,
        "__module__": __name__,
        "__doc__": f"Rows of {', '.join(kind.__name__ for kind in kinds)}.",
        "player_column": table.player,
        "columns": columns,
    }
    return type(f"{table.name.capitalize()}Row", (_PlayRow,), about | mapped)


def _declared() -> dict[str, Any]:
    kinds: dict[str, list[type[ev.EventBody]]] = {}
    for kind in ev.EVENT_TYPES.values():
        if kind.table is not None:
            kinds.setdefault(kind.table.name, []).append(kind)
    return {
        name: _model(table_kinds[0].table, table_kinds)
        for name, table_kinds in kinds.items()
        if table_kinds[0].table is not None
    }


# By name, in the order of the event types.
PLAY_ROWS = _declared()
PLAY_TABLES = list(PLAY_ROWS.values())


def row_of(body: ev.EventBody, recorded_at: int) -> tuple[Any, dict[str, Any]] | None:
    """The table and the type's own columns (no key, play number or `valid`), if it has a table.

    `recorded_at`: milliseconds since 1970.
    """
    if body.table is None:
        return None
    table = PLAY_ROWS[body.table.name]
    return table, values_of(body, table.columns, recorded_at) | {"place": body.place}


def values_of(body: ev.EventBody, columns: Iterable[ev.Column], recorded_at: int) -> dict[str, Any]:
    """The body's values by column; False or None for a column of another type."""
    return {
        column.name: recorded_at
        if column.type is ev.Milliseconds
        else getattr(body, column.source, column.missing)
        for column in columns
    }
