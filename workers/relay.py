"""Publishes the outbox to Kafka, each game in order, one event at a time (PRODUCT A4).

An event is published only after every in-sync replica has the previous event of its game. If the
relay is killed before it has recorded an acknowledgement, it sends that event again, and ingestion
skips the duplicate. One relay works, and others wait for its lock. Run it with
`python -m workers.relay`.
"""

from __future__ import annotations

import select
import time
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import psycopg
import structlog
from kafka.errors import KafkaError
from psycopg.rows import dict_row

from app.core.errors import one_line
from app.core.postgres.advisory_locks import Lock
from app.core.postgres.connections import PostgresAway, connect
from app.core.postgres.timeouts import Use
from app.embedded.stack import with_running_stack
from app.setting_reading import settings_from_env
from app.stream.announcements import announce
from app.stream.kafka import SigningProducer, ensure_topics, producer
from app.stream.topics import GAME_EVENTS, OUTBOX_CHANNEL
from workers.process import Process, Progress, progress

log = structlog.get_logger(__name__)

BATCH = 1000
LATEST = 100  # the newest events show which games are being played now
LOOK_SECONDS = 5.0
IDLE_SECONDS = 1.0  # after that it notices that it must stop
RETRY_SECONDS = 1.0
ACK_SECONDS = 15

Row = dict[str, Any]


def rounds(rows: list[Row]) -> Iterator[list[Row]]:
    """Deal rows in outbox order into rounds that hold at most one event per game.

    >>> [[r["id"] for r in part] for part in rounds([
    ...     {"id": 1, "game_id": "a"}, {"id": 2, "game_id": "a"}, {"id": 3, "game_id": "b"}])]
    [[1, 3], [2]]
    """
    games: dict[str, list[Row]] = {}
    for row in rows:
        games.setdefault(row["game_id"], []).append(row)
    for part in zip_longest(*games.values()):
        yield [row for row in part if row is not None]


_WAITS = "published_at IS NULL AND NOT is_practice"
_COLUMNS = "id, game_id, event_number, payload"
_OLDEST = f"SELECT {_COLUMNS} FROM outbox WHERE {_WAITS} ORDER BY id LIMIT %s"  # noqa: S608 (our own words alone)
# MATERIALIZED, so that they are looked up by game and sorted afterwards. In the order of
# `id` they come after the whole backlog.
_OF_LATEST = f"""
    WITH latest AS (SELECT game_id FROM outbox WHERE {_WAITS} ORDER BY id DESC LIMIT %s),
    found AS MATERIALIZED (
      SELECT {_COLUMNS} FROM outbox WHERE {_WAITS} AND game_id = ANY(ARRAY(SELECT game_id
        FROM latest)))
    SELECT * FROM found ORDER BY id LIMIT %s
"""  # noqa: S608 (as above)

# A write without effect: what cannot be noted afterwards must not be sent.
_NOTABLE = "SELECT FROM outbox WHERE id = %s FOR NO KEY UPDATE"


def waiting(connection: psycopg.Connection[Row]) -> list[Row]:
    """Load the oldest waiting events by id, at most BATCH.

    If the backlog is larger, up to BATCH events of current games are added, so that these need not
    wait until whole seasons are republished. Each game's events come without gaps.
    """
    oldest = connection.execute(_OLDEST, (BATCH,)).fetchall()
    if len(oldest) < BATCH:
        return oldest
    of_latest = connection.execute(_OF_LATEST, (LATEST, BATCH)).fetchall()
    events = {row["id"]: row for row in (*oldest, *of_latest)}
    return [events[number] for number in sorted(events)]


def publish(
    connection: psycopg.Connection[Row],
    kafka: SigningProducer,
    process: Process,
    progress: Progress = progress,
) -> int:
    """Publish some of the waiting events, and return how many.

    A game that failed is left for the next call.
    """
    rows = waiting(connection)
    if rows:
        progress.begin()
        connection.execute(_NOTABLE, (rows[0]["id"],))
    else:
        progress.done()
    done: list[tuple[int, int, int]] = []
    failed: set[str] = set()
    for part in rounds(rows):
        sent = [
            (row, kafka.send(GAME_EVENTS.name, key=row["game_id"].encode(), value=row["payload"]))
            for row in part
            if row["game_id"] not in failed
        ]
        for row, future in sent:
            try:
                place = future.get(timeout=ACK_SECONDS)
                done.append((row["id"], place.partition, place.offset))
            except KafkaError as error:
                failed.add(row["game_id"])
                log.warning(
                    "not_published",
                    game_id=row["game_id"],
                    event_number=row["event_number"],
                    reason=repr(error),
                )
        if process.stopping.is_set():
            break
    if done:
        ids, partitions, offsets = (list(column) for column in zip(*done, strict=True))
        connection.execute(
            'UPDATE outbox SET published_at = now(), partition = new.partition, "offset" = '
            'new."offset"'
            ' FROM unnest(%s::bigint[], %s::int[], %s::bigint[]) AS new(id, partition, "offset")'
            " WHERE outbox.id = new.id",
            (ids, partitions, offsets),
        )
        progress.done()
        log.info("published", events=len(done), games=len({row["game_id"] for row in rows}))
    if failed:
        raise PublishError(f"{len(failed)} games wait for Kafka")
    return len(done)


class PublishError(Exception):
    """Kafka refused or did not answer; the events stay in the outbox."""


def work(process: Process, progress: Progress) -> None:
    """Connect, take the lock, and publish until stopped. Raises errors of the stores."""
    settings = process.settings
    ensure_topics(settings)
    kafka = producer(settings)
    try:
        with connect(
            settings.direct_database(Use.INGEST), autocommit=True, row_factory=dict_row
        ) as connection:
            # The lock belongs to this connection. If the connection breaks, another relay takes
            # over, and our own UPDATE can no longer be written either.
            connection.execute(f"LISTEN {OUTBOX_CHANNEL}")
            while not process.stopping.is_set() and not _locked(connection):
                process.stopping.wait(RETRY_SECONDS)
            while not process.stopping.is_set():
                try:
                    published = publish(connection, kafka, process, progress)
                except PublishError:
                    announce(settings, process.redis, GAME_EVENTS)  # the events of other games
                    raise
                if published:
                    announce(settings, process.redis, GAME_EVENTS)
                else:
                    _wait(connection, process)
    finally:
        kafka.close(timeout=2)


def _wait(connection: psycopg.Connection[Row], process: Process) -> None:
    """Wait for a notification of the outbox, at most LOOK_SECONDS in case one was lost."""
    until = time.monotonic() + LOOK_SECONDS
    while time.monotonic() < until and not process.stopping.is_set():
        if list(connection.notifies(timeout=0, stop_after=1)):
            return
        # psycopg itself would wake up ten times a second.
        select.select([connection], [], [], IDLE_SECONDS)


def _locked(connection: psycopg.Connection[Row]) -> bool:
    row = connection.execute("SELECT pg_try_advisory_lock(%s) AS held", (Lock.RELAY,)).fetchone()
    return bool(row and row["held"])


def run(process: Process, progress: Progress) -> None:
    """Publish until stopped, connecting again after errors."""
    while not process.stopping.is_set():
        try:
            work(process, progress)
        except (*PostgresAway, KafkaError, PublishError, OSError) as error:
            log.warning("waiting", reason=one_line(error))
            process.stopping.wait(RETRY_SECONDS)


def main() -> None:
    """Run the relay until stopped."""
    run(Process("relay", with_running_stack(settings_from_env())), progress)


if __name__ == "__main__":
    main()
