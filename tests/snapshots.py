"""Worlds that are made once per process: later tests get a copy of their rows and keys.

A world takes hundreds of statements of the real services. What they wrote does not depend on the
test, so it is copied back, with the same ids.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

import psycopg
from redis import Redis
from sqlalchemy import Connection, inspect, text

from app.core import clock, metrics
from app.core.db import db
from app.core.redis.clients import boards_redis, jobs_redis
from tests.emptying import tables_with_rows
from tests.owner import owner_without_triggers

Parameters = ParamSpec("Parameters")
World = TypeVar("World")

SEQUENCES = text(
    "SELECT format('%I.%I', schemaname, sequencename), last_value FROM pg_sequences"
    " WHERE schemaname = 'public' AND last_value IS NOT NULL"
)
SET_SEQUENCE = text("SELECT setval(CAST(:name AS regclass), :value)")
CACHE_TAGS = b"polls:"  # they say how old cached pages may be, and the cache is empty
REAL_NOW = clock.now


@dataclass(frozen=True)
class Reference:
    """A row of the world, which each test loads into its own session."""

    kind: type[Any]
    key: tuple[Any, ...]


@dataclass(frozen=True)
class Snapshot:
    """What is in the stores.

    Attributes:
        rows: By table, in PostgreSQL's binary format.
        sequences: The last value of each that has been used.
        keys: For each store of Redis: name, milliseconds left (0: for ever) and value.
        world: With references instead of rows.
    """

    rows: dict[str, bytes]
    sequences: list[tuple[str, int]]
    keys: list[list[tuple[bytes, int, bytes]]]
    world: object


_snapshots: dict[tuple[str, ...], Snapshot] = {}


def made_once(make: Callable[Parameters, World]) -> Callable[Parameters, World]:
    """Make the world with these arguments once per process, and copy it into later empty stores.

    Stores that hold something already get a new world. A test that has set the clock shares its
    world only with tests that have set it to the same moment.
    """

    @wraps(make)
    def make_or_copy(*args: Parameters.args, **kwargs: Parameters.kwargs) -> World:
        with owner_without_triggers().begin() as connection:
            if tables_with_rows(connection):
                return make(*args, **kwargs)
        moment = "" if clock.now is REAL_NOW else str(clock.now())
        named = [f"{name}={_name_of(value)}" for name, value in sorted(kwargs.items())]
        key = (_name_of(make), moment, *map(_name_of, args), *named)
        if snapshot := _snapshots.get(key):
            return cast("World", _restore(snapshot))
        world = make(*args, **kwargs)
        _snapshots[key] = _take(world)
        return world

    return make_or_copy


def _name_of(argument: object) -> str:
    """Functions differ by where they are written, values by their content."""
    if callable(argument) and hasattr(argument, "__qualname__"):
        return f"{argument.__module__}.{argument.__qualname__}"
    return repr(argument)


def _take(world: object) -> Snapshot:
    metrics.flush()
    with owner_without_triggers().begin() as connection:
        return Snapshot(
            {name: _copy_out(connection, name) for name in tables_with_rows(connection)},
            [(name, value) for name, value in connection.execute(SEQUENCES)],
            [_keys_of(store) for store in (jobs_redis(), boards_redis())],
            _walk(world, _reference_to),
        )


def _restore(snapshot: Snapshot) -> object:
    with owner_without_triggers().begin() as connection:
        for name, rows in snapshot.rows.items():
            _copy_in(connection, name, rows)
        for name, value in snapshot.sequences:
            connection.execute(SET_SEQUENCE, {"name": name, "value": value})
    for store, keys in zip((jobs_redis(), boards_redis()), snapshot.keys, strict=True):
        for key, milliseconds, value in keys:
            store.restore(key, milliseconds, value, replace=True)
    return _walk(snapshot.world, _row_of)


def _copy_out(connection: Connection, table: str) -> bytes:
    columns = _columns_of(table)
    with (
        _cursor(connection) as cursor,
        cursor.copy(f'COPY (SELECT {columns} FROM "{table}") TO STDOUT (FORMAT binary)') as copy,
    ):
        return b"".join(copy)


def _copy_in(connection: Connection, table: str, rows: bytes) -> None:
    with (
        _cursor(connection) as cursor,
        cursor.copy(f'COPY "{table}" ({_columns_of(table)}) FROM STDIN (FORMAT binary)') as copy,
    ):
        copy.write(rows)


def _columns_of(table: str) -> str:
    """All that can be written."""
    columns = db.metadata.tables[table].columns
    return ", ".join(f'"{column.name}"' for column in columns if column.computed is None)


def _cursor(connection: Connection) -> psycopg.Cursor[tuple[Any, ...]]:
    driver = cast("psycopg.Connection[tuple[Any, ...]]", connection.connection.driver_connection)
    return driver.cursor()


def _keys_of(store: Redis) -> list[tuple[bytes, int, bytes]]:
    names = [name for name in store.scan_iter(count=1000) if not name.startswith(CACHE_TAGS)]
    return [(name, max(store.pttl(name), 0), store.dump(name)) for name in names]


def _walk(value: object, change: Callable[[object], object]) -> object:
    """A copy of the value in which `change` was applied to everything that is no container."""
    if isinstance(value, type):
        return value
    if is_dataclass(value) and not isinstance(value, Reference):
        changed = {
            field.name: _walk(getattr(value, field.name), change)
            for field in fields(value)
            if field.init
        }
        return replace(value, **changed)
    if isinstance(value, dict):
        return {key: _walk(content, change) for key, content in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_walk(content, change) for content in value)
    return change(value)


def _reference_to(value: object) -> object:
    if not isinstance(value, db.Model):
        return value
    return Reference(type(value), inspect(value).identity)


def _row_of(value: object) -> object:
    return db.session.get_one(value.kind, value.key) if isinstance(value, Reference) else value
