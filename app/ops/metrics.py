"""/metrics for Prometheus: the operators' figures, computed when they are scraped.

If a store does not answer, its metrics are left out and `pressbox_scrape_error` is set for it.
METRICS has all names, so that a test can compare alerts (deploy/alerts.yml) and dashboard with
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

import redis
from kafka.errors import KafkaError
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError

from app.core import clock, metrics
from app.core.db import db, read_replica
from app.core.redis.replica_lag import LONGEST_SECONDS, replica_lags
from app.dead_letters import alerts
from app.ops import figures, lag, slo, waits
from app.ops.health import check_all
from app.predictions.matches import findings
from app.settings import Settings

Values = Iterable[tuple[Sequence[str], float]]  # labels, value

# Name, help, labels. A name that ends with _total is a counter.
METRICS: dict[str, tuple[str, tuple[str, ...]]] = {
    "pressbox_up": ("1 when the part is up (as /healthz says)", ("part",)),
    "pressbox_scrape_error": ("1 when this store did not answer the scrape", ("store",)),
    "pressbox_outbox_events": ("Accepted events that the relay has not published yet", ()),
    "pressbox_outbox_oldest_seconds": ("How long the oldest of these events has waited", ()),
    "pressbox_consumer_lag_messages": (
        "Messages not committed by the group",
        ("group", "topic", "partition"),
    ),
    "pressbox_consumer_lag_seconds": (
        "How long the oldest uncommitted message has waited in Kafka",
        ("group", "topic", "partition"),
    ),
    "pressbox_queue_jobs": ("Jobs waiting for a worker", ("queue",)),
    "pressbox_queue_oldest_seconds": ("How long the oldest job has waited", ("queue",)),
    "pressbox_queue_retries": ("Failed jobs that will be tried again", ("queue",)),
    "pressbox_queue_workers": ("Live workers of the queue", ("queue",)),
    "pressbox_job_running_seconds": ("How long the longest-running job has run", ("queue",)),
    "pressbox_provider_findings": (
        "Findings in providers' answers that operators should check",
        ("kind",),
    ),
    "pressbox_dead_letters": ("Dead letters waiting for an operator", ("kind",)),
    "pressbox_statement_seconds": (
        "How long Pressbox's longest statement or open transaction has run",
        (),
    ),
    "pressbox_statements_blocked": ("Pressbox's statements that are waiting for a lock", ()),
    "pressbox_boards": ("Boards by the store that serves them", ("source",)),
    "pressbox_board_verified_seconds": (
        "Age of the oldest board verification",
        (),
    ),
    "pressbox_board_faults_total": ("Faults that the verifier has found and fixed", ()),
    "pressbox_boards_memory_bytes": ("Memory of the boards' Redis", ()),
    "pressbox_settlements": ("Settlements by state", ("state",)),
    "pressbox_settlement_oldest_seconds": ("How long the oldest pending settlement has waited", ()),
    "pressbox_provider_failures": ("The provider's consecutive failures", ("tournament",)),
    "pressbox_provider_answered_seconds": ("How long ago the provider answered", ("tournament",)),
    "pressbox_archive_broken_objects": (
        "Broken archive objects that have not been repaired",
        (),
    ),
    "pressbox_archive_written_seconds": ("How long ago the archive was written to", ()),
    "pressbox_schedule_late_seconds": ("How late the scheduled job is", ("job",)),
    "pressbox_feed_hub_failures_total": (
        "Errors that ended the open streams of a web process",
        (),
    ),
    "pressbox_webhook_failures_total": (
        "Errors that delayed a webhook's changes",
        (),
    ),
    "pressbox_replica_lag_seconds": ("How far the read replica is behind, rounded up", ()),
    "pressbox_redis_replica_lag_seconds": (
        "How long a replica that boards are read from takes to show a write; 1 is 1 or more",
        ("replica",),
    ),
    "pressbox_unsigned_messages": (
        "Messages on the topic that Pressbox did not write and no one has checked",
        ("topic",),
    ),
    "pressbox_feed_oldest_seconds": (
        "How long the oldest change has waited for its place in the feed",
        (),
    ),
    "pressbox_open_transaction_seconds": (
        "How long the oldest open transaction of any session has been open",
        ("session",),
    ),
    "pressbox_slo_events_total": ("Events that count toward an objective", ("objective",)),
    "pressbox_slo_good_total": ("Events that met the objective", ("objective",)),
    "pressbox_slo_target_ratio": (
        "The share of events that must meet the objective",
        ("objective",),
    ),
}


class _Figures(Collector):
    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def collect(self) -> Iterator[Metric]:
        away: dict[str, float] = {}
        for store, look in (
            ("health", self._health),
            ("postgres", lambda: (*_postgres(), *_objectives())),
            ("replica", _replica),
            ("redis", _redis),
            ("redis_replica", _redis_replicas),
            ("kafka", self._kafka),
            ("lag", self._lag_is_known),
        ):
            try:
                samples = list(look())
                away[store] = 0
            except (
                SQLAlchemyError,
                redis.RedisError,
                KafkaError,
                OSError,
                read_replica.ReplicaUnavailableError,
            ):
                db.session.rollback()
                away[store] = 1
                continue
            yield from (_family(name, values) for name, values in samples)
        yield _family("pressbox_scrape_error", [([store], value) for store, value in away.items()])

    def _health(self) -> Iterator[tuple[str, Values]]:
        yield "pressbox_up", [([part.name], float(part.up)) for part in check_all(self._settings)]

    @cached_property
    def _lags(self) -> list[lag.Lag]:
        return lag.lags(self._settings)

    def _lag_is_known(self) -> Iterator[tuple[str, Values]]:
        """Add nothing to `_kafka`, but fail if it had to leave a partition out.

        Raises:
            AnswerTimeoutError: The lag of a partition is unknown.
        """
        lag.behind(self._lags)
        return iter(())

    def _kafka(self) -> Iterator[tuple[str, Values]]:
        messages: list[tuple[Sequence[str], float]] = []
        seconds: list[tuple[Sequence[str], float]] = []
        for partition in self._lags:
            labels = [partition.group, partition.topic, str(partition.partition)]
            # otherwise it is left out: see `_lag_is_known`
            if partition.messages is not None and partition.seconds is not None:
                messages.append((labels, partition.messages))
                seconds.append((labels, partition.seconds))
        yield "pressbox_consumer_lag_messages", messages
        yield "pressbox_consumer_lag_seconds", seconds


def _postgres() -> Iterator[tuple[str, Values]]:
    now = clock.now()
    backlog, boards, archive = figures.backlog(now), figures.board_sums(now), figures.archive()
    statements = figures.statements()
    yield "pressbox_outbox_events", [([], backlog.events)]
    yield "pressbox_outbox_oldest_seconds", [([], backlog.oldest)]
    yield "pressbox_dead_letters", [([kind], count) for kind, count in alerts.waiting().items()]
    yield (
        "pressbox_statement_seconds",
        [([], max((statement.seconds for statement in statements), default=0.0))],
    )
    yield (
        "pressbox_statements_blocked",
        [([], sum(bool(statement.waits_for) for statement in statements))],
    )
    by_source = {
        "redis": boards.living - boards.from_postgresql,
        "postgresql": boards.from_postgresql,
    }
    yield "pressbox_boards", [([source], count) for source, count in by_source.items()]
    yield "pressbox_board_verified_seconds", [([], boards.oldest)]
    yield "pressbox_board_faults_total", [([], boards.faults)]
    yield (
        "pressbox_settlements",
        [([state], count) for state, count in figures.settlement_states().items()],
    )
    yield "pressbox_settlement_oldest_seconds", [([], figures.oldest_settlement(now))]
    providers = [
        (source, [str(source.tournament_id)])
        for source, _, is_active in figures.providers()
        if is_active
    ]
    yield "pressbox_provider_failures", [(labels, source.failures) for source, labels in providers]
    yield (
        "pressbox_provider_findings",
        [([kind], count) for kind, count in findings.count(now).items()],
    )
    answered = [
        (labels, source.succeeded_at) for source, labels in providers if source.succeeded_at
    ]
    yield (
        "pressbox_provider_answered_seconds",
        [(labels, (now - at).total_seconds()) for labels, at in answered],
    )
    yield "pressbox_archive_broken_objects", [([], archive.broken)]
    if archive.written_at is not None:
        yield "pressbox_archive_written_seconds", [([], (now - archive.written_at).total_seconds())]
    yield (
        "pressbox_unsigned_messages",
        [([topic], count) for topic, count in alerts.unsigned().items()],
    )
    yield "pressbox_feed_oldest_seconds", [([], waits.oldest_change(now))]
    holder = waits.oldest_transaction()
    yield (
        "pressbox_open_transaction_seconds",
        [([holder.session], holder.seconds)] if holder else [],
    )
    db.session.rollback()


def _replica() -> Iterator[tuple[str, Values]]:
    if read_replica.is_configured():
        yield "pressbox_replica_lag_seconds", [([], read_replica.seconds_behind())]
    db.session.rollback()


def _redis_replicas() -> Iterator[tuple[str, Values]]:
    yield (
        "pressbox_redis_replica_lag_seconds",
        [([lag.replica], min(lag.seconds, LONGEST_SECONDS)) for lag in replica_lags()],
    )


def _objectives() -> Iterator[tuple[str, Values]]:
    metrics.flush()
    yield "pressbox_feed_hub_failures_total", [([], slo.total(metrics.FEED_HUB, good=False))]
    yield "pressbox_webhook_failures_total", [([], slo.total(metrics.WEBHOOKS, good=False))]
    totals = slo.totals()
    yield (
        "pressbox_slo_events_total",
        [([objective.name], events) for objective, events, _ in totals],
    )
    yield "pressbox_slo_good_total", [([objective.name], good) for objective, _, good in totals]
    yield (
        "pressbox_slo_target_ratio",
        [([objective.name], objective.share / 100) for objective, _, _ in totals],
    )
    db.session.rollback()


def _redis() -> Iterator[tuple[str, Values]]:
    queues = figures.queues()
    yield "pressbox_queue_jobs", [([queue.name], queue.waiting) for queue in queues]
    yield "pressbox_queue_oldest_seconds", [([queue.name], queue.oldest) for queue in queues]
    yield "pressbox_queue_retries", [([queue.name], queue.later) for queue in queues]
    yield "pressbox_queue_workers", [([queue.name], queue.workers) for queue in queues]
    running = [
        ([queue.name], max((job.seconds for job in queue.running), default=0.0)) for queue in queues
    ]
    yield "pressbox_job_running_seconds", running
    yield "pressbox_boards_memory_bytes", [([], figures.boards_memory())]
    now = clock.now().timestamp()
    yield (
        "pressbox_schedule_late_seconds",
        [([job.name], max(0.0, now - job.next)) for job in figures.schedule()],
    )


def _family(name: str, values: Values) -> Metric:
    about, labels = METRICS[name]
    make: Callable[..., Metric] = (
        CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
    )
    family = make(name, about, labels=labels)
    for label_values, value in values:
        family.add_metric(label_values, value)  # type: ignore[attr-defined]
    return family


def text(settings: Settings) -> bytes:
    """Return all metrics in Prometheus' text format. Takes a few seconds at most."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Figures(settings))
    return generate_latest(registry)
