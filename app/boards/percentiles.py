"""Percentiles of a board: the scores that divide its players, measured by a job, cached in Redis.

On a board of millions, "in the top 10 %" says more than an exact rank, and a game can tell it from
these scores without a call per player. Exact ranks stay available (reads.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec
import structlog

from app.accounts import sanctions
from app.boards import services
from app.boards.catalogue import queries as catalogue
from app.boards.services import Reading
from app.boards.windows.rules import InvalidWindowError
from app.core.batch_failures import Failures
from app.core.errors import one_line
from app.core.redis.clients import RedisAway, jobs_redis
from app.core.restore_epoch import key_of

log = structlog.get_logger(__name__)

STEPS = (10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99)
CACHED = timedelta(minutes=10)  # the job measures again every minute, while somebody asks
WANTED = timedelta(hours=1)  # since somebody last asked
WANTED_KEY = "percentiles:wanted"


class Percentile(msgspec.Struct, frozen=True):
    """The last record among the best (100 - `percentile`) % of players, rounded up."""

    percentile: int
    score: int
    subscore: int | None = None


class Percentiles(msgspec.Struct, frozen=True):
    """Scores in units, lowest percentile first; none if the board has no players.

    `count` is the number of players at the time.
    """

    as_of: datetime
    count: int
    rows: Sequence[Percentile]


_decoder = msgspec.msgpack.Decoder(Percentiles)


def read(reading: Reading, now: datetime) -> Percentiles:
    """Return the cached percentiles, or measure and cache them."""
    if reading.record is None:
        return Percentiles(now, 0, [])
    # this reader's board has a row that nobody else sees
    if sanctions.shadowed_viewer() is not None:
        return measure(reading, now)
    try:
        store = jobs_redis()
        store.zadd(WANTED_KEY, {_name(reading): now.timestamp()})
        cached: bytes | None = store.get(_key(reading))  # type: ignore[assignment]
        return _measure_and_cache(reading, now) if cached is None else _decoder.decode(cached)
    except RedisAway as error:
        log.warning("percentiles_not_cached", reason=one_line(error))
        return measure(reading, now)


def measure(reading: Reading, now: datetime) -> Percentiles:
    """Look up the score at each step's place.

    The board may move meanwhile; each place is right when it is read.
    """
    count = reading.board.count()
    rows = []
    for percentile in STEPS if count else ():
        place = -(-count * (100 - percentile) // 100)  # rounded up
        for row in reading.board.page(place - 1, 1):
            rows.append(Percentile(percentile, row.score, row.subscore))
    return Percentiles(now, count, rows)


def measure_wanted(now: datetime) -> int:
    """Measure the boards that somebody asked for within the last hour; return how many.

    Raises:
        RedisAway: Redis cannot be reached.
        Exception: A board could not be measured; raised when all others are.
    """
    store = jobs_redis()
    store.zremrangebyscore(WANTED_KEY, "-inf", (now - WANTED).timestamp())
    measured = 0
    names: list[bytes] = store.zrange(WANTED_KEY, 0, -1)  # type: ignore[assignment]
    failures = Failures("percentiles_not_measured", *RedisAway)
    for name in names:
        with failures.apart(name.decode()):
            if (reading := _find(name.decode())) is not None:
                _measure_and_cache(reading, now)
                measured += 1
    failures.raise_first()
    return measured


def _measure_and_cache(reading: Reading, now: datetime) -> Percentiles:
    percentiles = measure(reading, now)
    jobs_redis().set(_key(reading), msgspec.msgpack.encode(percentiles), ex=CACHED)
    return percentiles


def _key(reading: Reading) -> str:
    """Return the cache key; a frozen board has its own, because it shows older standings."""
    record = reading.record
    return key_of(f"percentiles:{record.id}:{record.frozen_at}") if record else ""


def _name(reading: Reading) -> str:
    return f"{reading.game.slug}/{reading.mode.slug}/{reading.window.window_id}"


def _find(name: str) -> Reading | None:
    """Find the board of that name; None if its game or mode is gone or being deleted."""
    game_slug, mode_slug, window_id = name.split("/")
    game = catalogue.find_game(game_slug)
    mode = catalogue.find_mode(game, mode_slug) if game else None
    if game is None or mode is None:
        return None
    try:
        return services.read(game, mode, window_id)
    except InvalidWindowError:
        return None
