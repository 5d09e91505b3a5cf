"""The boards' functions refuse malformed calls before they write anything."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
import redis
from flask import Flask

from app.boards.layouts import redis_functions as functions
from app.boards.layouts.parts import Part
from app.core.redis.clients import boards_redis

PART = Part("lb:{g:m:w:g1s0}")


def attempts(*values: Any, aggregation: str = "highest") -> tuple[Any, ...]:
    return (aggregation, "0", "0", "9", msgspec.msgpack.encode(values))


def everything() -> tuple[Any, ...]:
    store = boards_redis()
    return (
        sorted(store.scan_iter(count=1000)),
        store.zrange(PART.ranking, 0, -1, withscores=True),
        store.get(PART.size),
    )


@pytest.mark.parametrize(
    ("name", "keys", "arguments"),
    [
        (functions.PUBLISH, PART.published, ("0", "2", "ann", "-5", "bob", "no number")),
        (functions.PUBLISH, PART.published, ("0", "2", "ann")),
        (functions.AMEND, PART.published, ("0", "2", "ann", "-5", "bob", "")),
        (functions.PUT, PART.written, ("0", "ann", "-5", "", "bob", "-5:short", "")),
        (functions.PUT, PART.written, ("0", "ann", "-5")),
        (functions.APPLY, PART.written, ("highest", "0", "0", "9", b"no list")),
        (functions.APPLY, PART.written, attempts("ann", "e1", "9", 1)),
        (functions.APPLY, PART.written, attempts("ann", "e1", 9.5, 1)),
        (functions.APPLY, PART.written, attempts("ann", "e1", 9, 1, "bob", "", 9, 1)),
        (functions.APPLY, PART.written, attempts("ann", "e1", 9, 1, "bob")),
        (functions.APPLY, PART.written, attempts(*("ann", "e1", 9, 1) * 2_001)),
        (functions.APPLY, PART.written, attempts("ann", "e1", 1, 1, aggregation="lowest")),
        (
            functions.VIEW,
            (PART.ranking, PART.distinct, PART.details, PART.ties),
            ("0", "1e9", "", "0", "0"),
        ),
        (functions.PLACES, (PART.ranking, PART.distinct), ("inf", "ann")),
    ],
)
def test_a_refused_call_leaves_everything_as_it_was(
    app: Flask, name: str, keys: tuple[str, ...], arguments: tuple[Any, ...]
) -> None:
    functions.call([(functions.PUBLISH, PART.published, ("0", "1", "ann", "-7"))])
    before = everything()
    with pytest.raises(redis.ResponseError, match="pressbox: "):
        functions.call([(name, keys, arguments)])
    assert everything() == before
