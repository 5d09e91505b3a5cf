"""Figures for operators: backlog, queues, database, boards, settlements, archive, schedule.

Each function reads one store and raises its errors. Pages (pages.py) and metrics (metrics.py) say
what is unknown while a store does not answer. Kafka is in lag.py, objectives are in slo.py,
availability is in health.py.
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
    """Accepted events that the relay has not published, and how long the first has waited."""

    events: int
    oldest: float


def backlog(now: datetime) -> Backlog:
    """Count the events that wait in the outbox, and the seconds that the oldest has waited."""
    waiting = (OutboxMessage.published_at.is_(None), ~OutboxMessage.is_practice)
    events, oldest = db.session.execute(
        select(func.count(), func.min(OutboxMessage.accepted_at)).where(*waiting)
    ).one()
    return Backlog(events, max(0.0, (now - oldest).total_seconds()) if oldest else 0.0)


@dataclass(frozen=True)
class RunningJob:
    """A job that has run for `seconds` of at most `limit`."""

    name: str
    seconds: float
    limit: float


@dataclass(frozen=True)
class QueueFigures:
    """Figures of a queue.

    Attributes:
        name: Of the queue.
        waiting: Jobs that wait.
        oldest: Seconds that the first of them has waited.
        later: Jobs that will be tried again.
        workers: Live workers.
        running: Jobs that run.
        ended: Latest runs that are remembered.
        failed: How many of those failed.
    """

    name: str
    waiting: int
    oldest: float
    later: int
    workers: int
    running: Sequence[RunningJob]
    ended: int
    failed: int

    @property
    def needs_look(self) -> bool:
        """Whether jobs wait or have failed, or nobody is there to do them."""
        return bool(self.waiting or self.later or self.failed or not self.workers)


def queues() -> list[QueueFigures]:
    """Return every queue, in the order of jobs.QUEUES. Raises redis errors."""
    return [_queue(name, time.time()) for name in jobs.QUEUES]


def _queue(name: str, now: float) -> QueueFigures:
    client = jobs_redis()
    queue = jobs.queue(name)
    raw: list[bytes] = client.lrange(OUTCOMES.format(name), 0, -1)  # type: ignore[assignment]
    outcomes = [Outcome.parse(line) for line in raw]
    return QueueFigures(
        name,
        queue.count,
        oldest_wait(queue, now),
        queue.scheduled_job_registry.count,
        workers_of(client, name),
        _running(queue, now),
        len(outcomes),
        sum(bool(outcome.error) for outcome in outcomes),
    )


def _running(queue: Queue, now: float) -> list[RunningJob]:
    running_jobs = []
    for job_id in queue.started_job_registry.get_job_ids(cleanup=False):
        key = Job.key_for(job_id.split(":")[0])
        raw: Any = queue.connection.hmget(key, ["description", "started_at", "timeout"])
        name, began, limit = raw
        if name and began:
            seconds = max(0.0, now - utcparse(began.decode()).timestamp())
            running_jobs.append(
                RunningJob(short_name(name.decode().partition("(")[0]), seconds, float(limit or 0))
            )
    return running_jobs


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
    """Return every RQ worker, by its queues and name. Raises redis errors."""
    rows = [
        WorkerFigures(
            worker.name[:12],
            ", ".join(worker.queue_names()),
            str(worker.get_state()),
            worker.successful_job_count or 0,
            worker.failed_job_count or 0,
            worker.birth_date,
        )
        for worker in Worker.all(connection=jobs_redis())
    ]
    return sorted(rows, key=lambda row: (row.queues, row.name))


@dataclass(frozen=True)
class Statement:
    """A statement of ours that PostgreSQL works on.

    It has run for `seconds`; `waits_for` are the processes that hold the lock that it waits for.
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
    """Return statements and open transactions of ours, the longest first.

    They contain no values, because those are parameters.
    """
    return [
        Statement(row.pid, row.use, float(row.seconds), row.state, list(row.waits_for), row.text)
        for row in db.session.execute(_STATEMENTS)
    ]


def slow(running: Sequence[Statement]) -> list[Statement]:
    """Return statements that run for long or wait for a lock."""
    return [
        statement
        for statement in running
        if statement.seconds >= SLOW_SECONDS or statement.waits_for
    ]


@dataclass(frozen=True)
class BoardFigures:
    """Figures of a board.

    `players` is PostgreSQL's count. `state` is redis, postgresql (marked to be rebuilt) or moving.
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
    """Return a page of the boards that are not archived.

    Boards that are to be rebuilt come first, then those that were not verified for longest.

    Returns:
        The page, and the number of all boards.
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
    """Sums over all boards.

    `oldest` is the seconds since the least recently verified board was verified; boards that never
    were are in `unverified`. `faults` is the number of all faults ever found.
    """

    living: int
    from_postgresql: int
    unverified: int
    oldest: float
    faults: int


def board_sums(now: datetime) -> BoardSums:
    """Compute sums over all boards."""
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
    """Return the bytes that all nodes of the boards' Redis use. Raises redis errors."""
    client = boards_redis()
    info: Any = client.info("memory")
    nodes = info.values() if is_cluster(client) else [info]
    return sum(int(node["used_memory"]) for node in nodes)


def settlements() -> Sequence[Row[SettlementAudit, str]]:
    """Return the latest changes of what matches have earned, newest first."""
    return db.session.execute(
        select(SettlementAudit, Tournament.name.label("tournament"))
        .join(Match, Match.id == SettlementAudit.match_id)
        .join(Tournament, Tournament.id == Match.tournament_id)
        .order_by(SettlementAudit.id.desc())
        .limit(HISTORY)
    ).all()


def settlement_states() -> dict[str, int]:
    """Count the settlements by state."""
    return dict(
        db.session.execute(select(Settlement.state, func.count()).group_by(Settlement.state)).all()
    )


def oldest_settlement(now: datetime) -> float:
    """Return the seconds that the first settlement has waited; 0 if none waits."""
    oldest = db.session.scalar(
        select(func.min(Settlement.requested_at)).where(Settlement.state == "pending")
    )
    return max(0.0, (now - oldest).total_seconds()) if oldest else 0.0


def providers() -> Sequence[Row[ProviderSource, str, bool]]:
    """Return where matches come from and how the last polls went, by tournament."""
    return db.session.execute(
        select(ProviderSource, Tournament.name.label("tournament"), Tournament.is_active)
        .join(Tournament, Tournament.id == ProviderSource.tournament_id)
        .order_by(Tournament.is_active.desc(), Tournament.name)
    ).all()


@dataclass(frozen=True)
class Archive:
    """Figures of the archive; `broken` objects have not been repaired."""

    objects: int
    messages: int
    broken: int
    written_at: datetime | None
    verified_at: datetime | None


def archive() -> Archive:
    """Compute the figures of the archive."""
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
    """A scheduled job; it was sent last at `last`, in seconds since 1970."""

    name: str
    queue: str
    every: int
    last: float

    @property
    def next(self) -> float:
        """When the job is due next."""
        return self.last + self.every


def schedule() -> list[Scheduled]:
    """Return the scheduled jobs that were sent before, next run first. Raises redis errors."""
    sent: Any = jobs_redis().hgetall(SCHEDULE)
    scheduled = []
    for name, value in sent.items():
        queue, seconds, last = value.decode().split(" ")
        scheduled.append(
            Scheduled(short_name(name.decode()), queue, int(float(seconds)), float(last))
        )
    return sorted(scheduled, key=lambda job: (job.next, job.name))


def short_name(job: str) -> str:
    """Return `settle_matches` for `workers.jobs.settle_matches.run`."""
    return job.removeprefix("workers.jobs.").removesuffix(".run")
