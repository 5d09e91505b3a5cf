"""Figures for operators: backlog, queues, database, boards, settlements, archive, schedule.

Each function asks one store and raises its errors; pages (pages.py) and metrics (metrics.py) say
what is unknown while a store is unavailable. Kafka is in lag.py, objectives in slo.py, availability
in health.py.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from rq import Queue, Worker
from rq.job import Job
from rq.utils import utcparse
from sqlalchemy import Row, func, select, text

from app.boards.models import BoardCount, BoardRecord, Mode, ScoreGame
from app.core import jobs
from app.core.db import db
from app.core.redis.clients import boards_redis, is_cluster, jobs_redis
from app.ops.work import OUTCOMES, SCHEDULE, Outcome, oldest_wait, workers_of
from app.predictions.models import Match, ProviderSource, Settlement, SettlementAudit, Tournament
from app.stream.models import ArchivedSegment, OutboxMessage

HISTORY = 50  # rows of a history on a page
SLOW_SECONDS = 1.0  # a statement that runs longer is shown


@dataclass(frozen=True)
class Backlog:
    """Accepted events that the relay has not published.

    `oldest`: seconds that the first one waits.
    """

    events: int
    oldest: float


def backlog(now: datetime) -> Backlog:
    """How many events wait in the outbox, and for how many seconds the oldest."""
    waiting = (OutboxMessage.published_at.is_(None), ~OutboxMessage.is_practice)
    events, oldest = db.session.execute(
        select(func.count(), func.min(OutboxMessage.accepted_at)).where(*waiting)
    ).one()
    return Backlog(events, max(0.0, (now - oldest).total_seconds()) if oldest else 0.0)


@dataclass(frozen=True)
class RunningJob:
    """`seconds` since it began, of at most `limit`."""

    name: str
    seconds: float
    limit: float


@dataclass(frozen=True)
class QueueFigures:
    """`waiting` jobs, of which the first waits `oldest` seconds; `later`: to be tried again.

    `failed` of the `ended` runs that are remembered.
    """

    name: str
    waiting: int
    oldest: float
    later: int
    workers: int
    running: Sequence[RunningJob]
    ended: int
    failed: int


def queues() -> list[QueueFigures]:
    """Every queue, in the order of jobs.QUEUES. Raises redis errors."""
    return [_queue(name, time.time()) for name in jobs.QUEUES]


def _queue(name: str, now: float) -> QueueFigures:
    client = jobs_redis()
    queue = jobs.queue(name)
    raw: list[bytes] = client.lrange(OUTCOMES.format(name), 0, -1)  # type: ignore[assignment]
    outcomes = [Outcome.parse(one) for one in raw]
    return QueueFigures(
        name,
        queue.count,
        oldest_wait(queue, now),
        queue.scheduled_job_registry.count,
        workers_of(client, name),
        _running(queue, now),
        len(outcomes),
        sum(bool(one.error) for one in outcomes),
    )


def _running(queue: Queue, now: float) -> list[RunningJob]:
    found = []
    for job_id in queue.started_job_registry.get_job_ids(cleanup=False):
        key = Job.key_for(job_id.split(":")[0])
        raw: Any = queue.connection.hmget(key, ["description", "started_at", "timeout"])
        name, began, limit = raw
        if name and began:
            seconds = max(0.0, now - utcparse(began.decode()).timestamp())
            found.append(
                RunningJob(short_name(name.decode().partition("(")[0]), seconds, float(limit or 0))
            )
    return found


@dataclass(frozen=True)
class WorkerFigures:
    """Figures of RQ workers."""

    name: str
    queues: str
    state: str
    done: int
    failed: int
    born: datetime | None


def workers() -> list[WorkerFigures]:
    """Every RQ worker, by its queues and name. Raises redis errors."""
    found = [
        WorkerFigures(
            one.name[:12],
            ", ".join(one.queue_names()),
            str(one.get_state()),
            one.successful_job_count or 0,
            one.failed_job_count or 0,
            one.birth_date,
        )
        for one in Worker.all(connection=jobs_redis())
    ]
    return sorted(found, key=lambda one: (one.queues, one.name))


@dataclass(frozen=True)
class Statement:
    """A statement of ours that PostgreSQL is working on.

    `seconds` it has run; `waits_for`: processes that hold the lock that it waits for.
    """

    pid: int
    use: str
    seconds: float
    state: str
    waits_for: Sequence[int]
    text: str


_STATEMENTS = text("""
    SELECT pid, application_name AS use, state, left(query, 300) AS text,
      pg_blocking_pids(pid) AS waits_for,
      extract(epoch FROM now() - coalesce(CASE WHEN state = 'active' THEN query_start
        ELSE xact_start END, now()))
        AS seconds
    FROM pg_stat_activity
    WHERE application_name LIKE 'pressbox%' AND datname = current_database()
      AND pid <> pg_backend_pid()
      AND state <> 'idle'
    ORDER BY seconds DESC LIMIT 200
""")


def statements() -> list[Statement]:
    """Statements and open transactions of ours, the longest first.

    Values are not in them (they are parameters).
    """
    return [
        Statement(row.pid, row.use, float(row.seconds), row.state, list(row.waits_for), row.text)
        for row in db.session.execute(_STATEMENTS)
    ]


def slow(found: Sequence[Statement]) -> list[Statement]:
    """Those worth a look: they run for long, or wait for a lock."""
    return [one for one in found if one.seconds >= SLOW_SECONDS or one.waits_for]


@dataclass(frozen=True)
class BoardFigures:
    """`players` as PostgreSQL counts them.

    `state`: redis, postgresql (marked, to be rebuilt), moving or archive.
    """

    id: int
    name: str
    layout: str
    players: int
    state: str
    verified_at: datetime | None
    rebuilt_at: datetime | None
    fault: str | None
    fault_at: datetime | None
    faults: int


def boards(offset: int, limit: int) -> tuple[list[BoardFigures], int]:
    """Boards that are not archived, those with a fault first, then the longest not verified.

    And how many there are.
    """
    living = BoardRecord.archived_at.is_(None)
    total = db.session.scalar(select(func.count()).select_from(BoardRecord).where(living)) or 0
    order = (
        BoardRecord.stale_since.desc().nulls_last(),
        BoardRecord.verified_at.asc().nulls_first(),
        BoardRecord.id,
    )
    rows = db.session.execute(
        select(BoardRecord, Mode.slug, ScoreGame.slug)
        .join(Mode, Mode.id == BoardRecord.mode_id)
        .join(ScoreGame, ScoreGame.id == Mode.game_id)
        .where(living)
        .order_by(*order)
        .offset(offset)
        .limit(limit)
    ).all()
    ids = [record.id for record, _, _ in rows]
    counts: dict[int, int] = dict(
        db.session.execute(
            select(BoardCount.board_id, func.sum(BoardCount.players))
            .where(BoardCount.board_id.in_(ids))
            .group_by(BoardCount.board_id)
        ).all()
    )
    return [_board(record, f"{game}:{mode}", counts) for record, mode, game in rows], total


def _board(record: BoardRecord, mode: str, counts: dict[int, int]) -> BoardFigures:
    state = "redis"
    if record.stale_since is not None:
        state = "postgresql"
    elif record.next_generation is not None:
        state = "moving"
    return BoardFigures(
        record.id,
        f"{mode}:{record.window_id}",
        f"{record.layout}, {record.shards} parts" if record.shards > 1 else record.layout,
        int(counts.get(record.id, 0)),
        state,
        record.verified_at,
        record.rebuilt_at,
        record.fault,
        record.fault_at,
        record.faults,
    )


@dataclass(frozen=True)
class BoardSums:
    """`oldest`: seconds since the board was verified that has waited the longest.

    Boards that never were count from nothing. `faults`: ever found.
    """

    living: int
    from_postgresql: int
    unverified: int
    oldest: float
    faults: int


def board_sums(now: datetime) -> BoardSums:
    """Sums over all boards."""
    living = BoardRecord.archived_at.is_(None)
    count, stale, unverified, oldest = db.session.execute(
        select(
            func.count(),
            func.count(BoardRecord.stale_since),
            func.count().filter(BoardRecord.verified_at.is_(None)),
            func.min(BoardRecord.verified_at),
        ).where(living)
    ).one()
    faults = db.session.scalar(select(func.coalesce(func.sum(BoardRecord.faults), 0))) or 0
    return BoardSums(
        count, stale, unverified, (now - oldest).total_seconds() if oldest else 0.0, int(faults)
    )


def boards_memory() -> int:
    """Bytes that the boards' Redis uses; of a cluster all nodes. Raises redis errors."""
    client = boards_redis()
    info: Any = client.info("memory")
    nodes = info.values() if is_cluster(client) else [info]
    return sum(int(node["used_memory"]) for node in nodes)


def settlements() -> Sequence[Row[SettlementAudit, str]]:
    """The latest changes of what matches have earned, newest first."""
    return db.session.execute(
        select(SettlementAudit, Tournament.name.label("tournament"))
        .join(Match, Match.id == SettlementAudit.match_id)
        .join(Tournament, Tournament.id == Match.tournament_id)
        .order_by(SettlementAudit.id.desc())
        .limit(HISTORY)
    ).all()


def settlement_states() -> dict[str, int]:
    """How many settlements are in which state."""
    return dict(
        db.session.execute(select(Settlement.state, func.count()).group_by(Settlement.state)).all()
    )


def oldest_settlement(now: datetime) -> float:
    """Seconds that the first settlement waits; 0 when none does."""
    oldest = db.session.scalar(
        select(func.min(Settlement.requested_at)).where(Settlement.state == "pending")
    )
    return max(0.0, (now - oldest).total_seconds()) if oldest else 0.0


def providers() -> Sequence[Row[ProviderSource, str, bool]]:
    """Where matches come from and how the last polls went, by tournament."""
    return db.session.execute(
        select(ProviderSource, Tournament.name.label("tournament"), Tournament.is_active)
        .join(Tournament, Tournament.id == ProviderSource.tournament_id)
        .order_by(Tournament.is_active.desc(), Tournament.name)
    ).all()


@dataclass(frozen=True)
class Archive:
    """`broken`: objects that were found broken and not repaired."""

    objects: int
    messages: int
    broken: int
    written_at: datetime | None
    verified_at: datetime | None


def archive() -> Archive:
    """Figures of the archive."""
    row = db.session.execute(
        select(
            func.count(),
            func.coalesce(func.sum(ArchivedSegment.count), 0),
            func.count().filter(ArchivedSegment.verified_at.is_(None)),
            func.max(ArchivedSegment.written_at),
            func.max(ArchivedSegment.verified_at),
        )
    ).one()
    return Archive(row[0], int(row[1]), row[2], row[3], row[4])


@dataclass(frozen=True)
class Scheduled:
    """A job of the clock. `last`: when it was sent, seconds since 1970."""

    name: str
    queue: str
    every: int
    last: float

    @property
    def next(self) -> float:
        """When the job is due next."""
        return self.last + self.every


def schedule() -> list[Scheduled]:
    """What the scheduler sends by the clock, next run first; empty before it has sent anything.

    Raises redis errors.
    """
    sent: Any = jobs_redis().hgetall(SCHEDULE)
    found = []
    for name, value in sent.items():
        queue, seconds, last = value.decode().split(" ")
        found.append(Scheduled(short_name(name.decode()), queue, int(float(seconds)), float(last)))
    return sorted(found, key=lambda one: (one.next, one.name))


def short_name(job: str) -> str:
    """`settle_matches` for `workers.jobs.settle_matches.run`."""
    return job.removeprefix("workers.jobs.").removesuffix(".run")
