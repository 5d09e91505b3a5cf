"""Arguments of the boards' functions in Redis and of the scripts.

A declared error or an answer, and what a refused call met is as it was.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import redis
from flask import Flask

from app.accounts import throttle
from app.boards.layouts import redis_functions as functions
from app.boards.layouts.hashed import HashBoard
from app.boards.layouts.parts import Part
from app.boards.rules import Budget, Held, Ties
from app.boards.spec import BoardSpec
from app.core.page_cache.tags import Entry, TagStore
from app.core.redis.clients import boards_redis, init_app
from tests.waiting import patience

PARTS = [Part(f"lb:{{g:m:w:g1s{number}}}") for number in range(2)]
WRITES = (functions.APPLY, functions.PUT, functions.PUBLISH, functions.AMEND, functions.COUNT)
KEYS: dict[str, list[str]] = {
    **{
        name: list(PARTS[0].written)
        for name in (functions.APPLY, functions.PUT, functions.COUNT, functions.WHOLE)
    },
    **{name: list(PARTS[0].published) for name in (functions.PUBLISH, functions.AMEND)},
    functions.PLACES: [PARTS[0].ranking, PARTS[0].distinct],
    functions.VIEW: [PARTS[0].ranking, PARTS[0].distinct, PARTS[0].details, PARTS[0].ties],
    functions.WHOLE_VIEW: [
        *(key for part in PARTS for key in (part.ranking, part.distinct, part.ties)),
        *(part.details for part in PARTS),
    ],
}
REFUSED = "pressbox: "
NOW = datetime(2026, 9, 13, 18, tzinfo=UTC)
SCRIPTS = ("sign_in", "signed_in", "hold", "release", "remember", "look", "follow")
WORDS = (
    *KEYS,
    *SCRIPTS,
    "highest",
    "latest",
    "sum",
    "-7:00000000000ff",
    "inf",
    "nan",
    "1e999",
    "everything",
)
app = Flask(__name__)
tag_stores: list[TagStore] = []


def begin() -> None:
    url = os.environ["REDIS_URL"]
    init_app(app, url, url)
    app.app_context().push()
    tag_stores.append(TagStore(url, patience(2.5)))


def _call(call: functions.Call) -> list[Any]:
    name, _, arguments = call
    return [name, *(_as_text(argument) for argument in arguments)]


def _as_text(argument: Any) -> str:
    """Return the argument as JSON can hold it: packed bytes become one character per byte."""
    return argument.decode("latin-1") if isinstance(argument, bytes) else str(argument)


def seeds() -> Iterator[bytes]:
    """What our own boards send, in each way of counting."""
    for ties in Ties:
        board = HashBoard(
            BoardSpec("g", "m", "w", ties=ties, budget=Budget(tied=ties is Ties.EARLIEST))
        )
        standings = {"ann": Held(7, 255, "e1"), "bob": Held(-3, 99, "e2"), "cid": None}
        calls = [_call(call) for call in board._puts(standings.items())]
        attempts = ("ann", "e3", 9, 3, "ann", "e4", 2, 4)
        calls += [_call(call) for call in board.apply_calls(board.part_of("ann"), attempts)]
        calls += [_call(board.publish_call(functions.PUBLISH, 1, {"ann": 5, "bob": 5}))]
        calls += [_call(board.publish_call(functions.AMEND, 2, {"bob": 6})), [functions.COUNT]]
        calls += [_call(call) for call in board.wholeness_calls()]
        tie = "00000000000ff" if ties is Ties.EARLIEST else ""
        width = 13 if tie else 0
        calls += [
            [functions.PLACES, "-7", f"{tie}ann"],
            [functions.VIEW, "0", "10", "ann", "2", str(width)],
        ]
        calls += [[functions.WHOLE_VIEW, "0", "10", "ann", "2", str(width), "2", "0", "2"]]
        yield json.dumps(calls).encode()
    yield json.dumps(
        [["sign_in", "ann", "192.0.2.7"], ["sign_in", "ann", "::1", "d"], ["signed_in", "ann", ""]]
    ).encode()
    remembered = ["remember", "page", "the answer\nof two lines", "league:1", "member:7"]
    yield json.dumps(
        [remembered, ["look", "page"], ["hold", "league:1"], ["release", "league:1"]]
    ).encode()
    yield json.dumps(
        [remembered, ["look", "page", "other"], ["follow", "page", "7", "league:1"]]
    ).encode()


def one_input(data: bytes) -> None:
    try:
        calls = json.loads(data)
    except (ValueError, RecursionError):
        return
    store = boards_redis()
    store.flushall()
    for call in calls[:20] if isinstance(calls, list) else ():
        if isinstance(call, list) and call and isinstance(call[0], str):
            name, arguments = call[0], call[1:]
            if name in KEYS:
                _try_function(store, name, _arguments(arguments))
            elif name in SCRIPTS:
                _run_script(
                    name,
                    [str(argument).encode(errors="replace").decode() for argument in arguments],
                )
    assert store.ping(), "the server does not answer any more"


def _arguments(values: list[Any]) -> list[str | bytes | int | float]:
    return [
        value.encode("latin-1", "replace") if isinstance(value, str) else json.dumps(value).encode()
        for value in values
    ]


def _try_function(store: redis.Redis, name: str, arguments: list[Any]) -> None:
    """Refused in words of ours, with nothing changed.

    Or done, and the part is as many as it says.
    """
    before = _everything(store)
    refusal = ""
    try:
        functions.call([(name, KEYS[name], arguments)])
    except redis.ResponseError as error:
        refusal = str(error)
    if refusal:
        assert REFUSED in refusal, f"{name}: not an error that we declare: {refusal}"
        assert _everything(store) == before, (
            f"{name}: refused ({refusal}), and something is changed"
        )
    else:
        assert name in WRITES or _everything(store) == before, (
            f"{name} reads, and something is changed"
        )
        size = store.get(PARTS[0].size) if name in WRITES else None
        assert size is None or int(size) == store.zcard(PARTS[0].ranking), (
            f"{name}: the part counts wrong"
        )


def _run_script(name: str, texts: list[str]) -> None:
    """What the scripts are given of names and pages that people make up: no error at all."""
    first, *more = texts or [""]
    (tag_store,) = tag_stores
    if name == "sign_in":
        throttle.begin(throttle.Try(first, *(more[:2] or [""])), NOW)
    elif name == "signed_in":
        throttle.succeed(throttle.Try(first, *(more[:2] or [""])))
    elif name == "hold":
        tag_store.begin_write(texts)
    elif name == "release":
        tag_store.end_write(first, more)
    elif name == "remember":
        moment = tag_store.lookup(["no entry has this key"], NOW)[0].moment
        tag_store.store(first, moment, Entry(more[1:], (more or [""])[0].encode()))
    elif name == "look":
        tag_store.lookup(texts, NOW)
    else:
        moment = tag_store.lookup(["no entry has this key"], NOW)[0].moment
        tag_store.store("poll", moment, Entry(more[1:], page=first))
        tag_store.lookup(["poll"], NOW, (more or [""])[0])


def _everything(store: redis.Redis) -> dict[bytes, bytes | None]:
    """Of the boards: this process counts its reads of Redis beside them."""
    return {key: store.dump(key) for key in store.scan_iter(match="lb:*", count=1000)}
