"""Loads the boards' Lua library into Redis once per server, and calls its functions by name.

A Redis function, unlike a script, reaches replicas and the append-only file. Its name holds the
digest of its text, so two versions of Pressbox may use one server. Needs Redis 7 or Valkey.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import redis
from redis.exceptions import ResponseError

from app.core import metrics
from app.core.redis.clients import boards_reader, boards_redis, is_cluster

APPLY, PUT, PUBLISH, AMEND, PLACES, VIEW = "apply", "put", "publish", "amend", "places", "view"
WHOLE, COUNT, WHOLE_VIEW = "whole", "count", "whole_view"
READS = frozenset({PLACES, VIEW, WHOLE, WHOLE_VIEW})
# function, keys (of one part, or on one server), arguments
Call = tuple[str, Sequence[str], Sequence[Any]]


@cache
def _source() -> tuple[str, str]:
    """Return version and text of the library."""
    text = (Path(__file__).parent / "lua" / "boards.lua").read_text()
    version = sha256(text.encode()).hexdigest()[:8]
    return version, text.replace("@version@", version)


def call(calls: Sequence[Call], *, together: bool = False, measured: bool = True) -> list[Any]:
    """Run all calls in one round trip, one per node on a cluster; answers keep the order.

    Reads may be answered by a replica. A call whose first try failed because the library was
    missing is repeated. Redis errors are raised.

    Args:
        calls: The calls.
        together: On one server nobody sees some of the calls done and others not; a cluster cannot
            promise that for parts on different nodes.
        measured: Count the call for the objective of reads; False for reads of many boards at once.
    """
    only_reads = all(name in READS for name, _, _ in calls)
    began = time.perf_counter()
    answers = _send(calls, boards_reader() if only_reads else boards_redis(), together=together)
    if only_reads and measured:
        metrics.observe(metrics.REDIS_READ, time.perf_counter() - began)
    missing = [number for number, answer in enumerate(answers) if _is_missing(answer)]
    if missing:  # on a cluster maybe one node alone: what others have done stays done
        boards_redis().function_load(_source()[1], replace=True)
        # a replica may have to wait for it
        again = _send([calls[number] for number in missing], boards_redis())
        for number, answer in zip(missing, again, strict=True):
            answers[number] = answer
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
    return answers


def _send(calls: Sequence[Call], client: redis.Redis, *, together: bool = False) -> list[Any]:
    version, _ = _source()
    pipeline = client.pipeline(transaction=together and not is_cluster(client))
    for name, keys, arguments in calls:
        command = "FCALL_RO" if name in READS else "FCALL"
        pipeline.execute_command(command, f"pb_{version}_{name}", len(keys), *keys, *arguments)
    answers: list[Any] = pipeline.execute(raise_on_error=False)
    return answers


def _is_missing(answer: Any) -> bool:
    return isinstance(answer, ResponseError) and "Function not found" in str(answer)
