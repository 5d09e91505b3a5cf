"""The service level objectives, measured live, with this month's results (seed 003, section 7).

Counting is in app/core/metrics.py, alerts are in deploy/alerts.yml.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import text

from app.core import metrics
from app.core.db import db
from app.core.metrics import (
    BIN,
    BIN_KEPT,
    BIN_SECONDS,
    BUCKETS,
    DAY,
    DAY_KEPT,
    TOTAL,
    bin_of,
    bucket_field,
    day_of,
)

DAYS = 30
BINS = 24  # two hours
ENOUGH_MISSES = 10  # an objective is judged once its error budget allows so many; fewer are chance
# Percent of the error budget below which the policy becomes stricter.
_FREEZE_EXPERIMENTS = 50
_FREEZE_DEPLOYS = 25
_SECONDS_UP_TO = 120  # longer durations are shown in minutes


@dataclass(frozen=True)
class Objective:
    """An objective: `share` percent of the events must be good.

    An event is good if it takes at most `seconds`, or, without that, if we did not fail.
    `without_events` is shown as long as nothing was measured.
    """

    name: str
    title: str
    indicator: str
    share: float
    seconds: float | None = None
    without_events: str = "no events yet"

    @property
    def target(self) -> str:
        """The objective in words."""
        if self.seconds is None:
            return f"{self.share:g} %"
        return f"p99 < {in_units(self.seconds)}"

    @property
    def fewest_events(self) -> int:
        """The number of events from which on the objective is judged.

        >>> OBJECTIVES[0].fewest_events, OBJECTIVES[1].fewest_events
        (20000, 1000)
        """
        return math.ceil(round(ENOUGH_MISSES * 100 / (100 - self.share), 6))


OBJECTIVES = (
    Objective(
        metrics.SCORE_API,
        "Score API availability",
        "Successful POST /scores, out of all well-formed ones",
        99.95,
    ),
    Objective(
        metrics.SCORE_ACCEPTED,
        "Score accepted",
        "From receiving POST /scores to Kafka's acknowledgement",
        99.0,
        0.05,
    ),
    Objective(
        metrics.REDIS_UPDATE,
        "Redis update",
        "The round trip that puts a judged score on its boards",
        99.0,
        0.005,
    ),
    Objective(metrics.READ, "Read latency", "GET of a leaderboard, at the server", 99.0, 0.04),
    Objective(metrics.REDIS_READ, "Redis read", "One round trip for a board", 99.0, 0.005),
    Objective(
        metrics.REPLICA_LAG,
        "Redis replica lag",
        "From a write to Redis until a replica that boards are read from shows it",
        99.0,
        0.2,
        without_events="no replica",
    ),
    Objective(
        metrics.CONSUMER_LAG,
        "Kafka consumer lag",
        "From Kafka's timestamp to the boards",
        99.0,
        5.0,
    ),
    Objective(
        metrics.WRITE_BEHIND, "Write-behind lag", "From Redis to the row in PostgreSQL", 99.0, 60.0
    ),
    Objective(
        metrics.QUARANTINE, "Anti-cheat", "From a suspicious score to its quarantine", 99.0, 300.0
    ),
)


@dataclass(frozen=True)
class Measured:
    """An objective as measured in DAYS days.

    Attributes:
        objective: The objective.
        events: All events.
        good: The good ones.
        budget: Percent of the error budget that are left; None without events.
        p99: The upper end of the bucket of the 99th percentile, in seconds.
        bins: Percent of good events in each five minutes of the last two hours; None without
            events.
    """

    objective: Objective
    events: int
    good: int
    budget: float | None
    p99: float | None
    bins: Sequence[float | None]

    @property
    def share(self) -> float | None:
        """The share of good events, in percent."""
        return 100 * self.good / self.events if self.events else None

    @property
    def is_judged(self) -> bool:
        """Whether there are enough events, or enough failures of ours among fewer events."""
        failed = self.events - self.good if self.objective.seconds is None else 0
        return self.events >= self.objective.fewest_events or failed >= ENOUGH_MISSES

    @property
    def is_met(self) -> bool:
        """Whether the objective is met."""
        return not self.is_judged or self.share is None or self.share >= self.objective.share

    @property
    def shown(self) -> str:
        """The share in percent, rounded down, because 99.99 % is not everything."""
        if self.share is None:
            return self.objective.without_events
        return f"{int(self.share * 1000) / 1000:g} %"

    @property
    def slowest(self) -> str:
        """The p99 in words, as `≤ 20 ms`; a dash without one."""
        if self.p99 is None:
            return "–"
        if math.isinf(self.p99):
            return f"over {in_units(BUCKETS[-2])}"
        return f"≤ {in_units(self.p99)}"

    @property
    def policy(self) -> str:
        """What the error budget says to do (seed 003)."""
        if self.budget is None or not self.is_judged or self.budget > _FREEZE_EXPERIMENTS:
            return "Normal feature work"
        if self.budget > _FREEZE_DEPLOYS:
            return "Freeze new ingest experiments"
        if self.budget > 0:
            return "Freeze deploys except hotfixes; scale consumers and Redis"
        return "Used up: declare an incident; consider read-only modes"


_COUNTS = text("""
    SELECT span, at, field, count AS events FROM measure_counts
    WHERE (span = 'day' AND at > :day) OR (span = 'bin' AND at > :bin) OR (span = 'total'
      AND :with_total)
""")
_TRIM = text(
    "DELETE FROM measure_counts WHERE (span = 'bin' AND at < :bin) OR (span = 'day' AND at < :day)"
)


def table(now: float | None = None) -> list[Measured]:
    """Measure every objective, in OBJECTIVES' order, with one query."""
    now = time.time() if now is None else now
    first_bin = bin_of(now) - timedelta(seconds=BINS * BIN_SECONDS)
    values = {"day": day_of(now) - timedelta(days=DAYS), "bin": first_bin, "with_total": False}
    month: Counter[str] = Counter()
    bins: list[Counter[str]] = [Counter() for _ in range(BINS)]
    for row in db.session.execute(_COUNTS, values):
        if row.span == DAY:
            month[row.field] += row.events
        elif (
            row.span == BIN
            and 0 <= (number := (row.at - first_bin) // timedelta(seconds=BIN_SECONDS) - 1) < BINS
        ):
            bins[number][row.field] += row.events
    return [_measured(objective, month, bins) for objective in OBJECTIVES]


def totals() -> list[tuple[Objective, int, int]]:
    """Return each objective with the numbers of all events and of good ones, ever."""
    counts = _totals()
    return [(objective, *_good(objective, counts)) for objective in OBJECTIVES]


def total(name: str, *, good: bool) -> int:
    """Return what `metrics.count` has counted, ever."""
    return _totals().get(f"{name}:{'good' if good else 'bad'}", 0)


def _totals() -> dict[str, int]:
    query = text("SELECT field, count AS events FROM measure_counts WHERE span = :span")
    return {row.field: row.events for row in db.session.execute(query, {"span": TOTAL})}


def jobs_of_month(queue: str, month: Mapping[str, int]) -> tuple[int, int]:
    """Count the runs of a queue's jobs in DAYS days that succeeded, and that failed."""
    name = metrics.JOBS.format(queue)
    return month.get(f"{name}:good", 0), month.get(f"{name}:bad", 0)


def month_counts(now: float | None = None) -> Mapping[str, int]:
    """Return everything that was counted in DAYS days, by field."""
    query = text(
        "SELECT field, sum(count)::bigint AS events FROM measure_counts WHERE span = 'day' AND at "
        "> :day GROUP BY 1"
    )
    since = day_of(time.time() if now is None else now) - timedelta(days=DAYS)
    return {row.field: row.events for row in db.session.execute(query, {"day": since})}


def trim(now: float) -> None:
    """Delete counts that nothing reads any more. Commits."""
    values = {"bin": bin_of(now - BIN_KEPT), "day": day_of(now - DAY_KEPT)}
    db.session.execute(_TRIM, values)
    db.session.commit()


def in_units(seconds: float) -> str:
    """Format a duration in the unit that keeps it short.

    >>> in_units(0.04), in_units(5), in_units(300)
    ('40 ms', '5 s', '5 min')
    """
    if seconds < 1:
        return f"{seconds * 1000:g} ms"
    return f"{seconds:g} s" if seconds < _SECONDS_UP_TO else f"{seconds / 60:g} min"


def _good(objective: Objective, counts: Mapping[str, int]) -> tuple[int, int]:
    """Return the numbers of events and of good ones."""
    if objective.seconds is None:
        good = counts.get(f"{objective.name}:good", 0)
        return good + counts.get(f"{objective.name}:bad", 0), good
    counted = _buckets(objective, counts)
    return sum(counted), sum(counted[: BUCKETS.index(objective.seconds) + 1])


def _buckets(objective: Objective, counts: Mapping[str, int]) -> list[int]:
    """Return the number of events in each of BUCKETS."""
    return [counts.get(bucket_field(objective.name, bound), 0) for bound in BUCKETS]


def _measured(
    objective: Objective, month: Mapping[str, int], bins: Sequence[Mapping[str, int]]
) -> Measured:
    events, good = _good(objective, month)
    allowed = events * (100 - objective.share) / 100
    budget = None if not events else max(0.0, 100 * (1 - (events - good) / allowed))
    shares = [
        100 * fine / total if total else None
        for total, fine in (_good(objective, counts) for counts in bins)
    ]
    return Measured(objective, events, good, budget, _p99(objective, month), shares)


def _p99(objective: Objective, counts: Mapping[str, int]) -> float | None:
    """Return the upper end of the bucket of the 99th percentile; None without events."""
    if objective.seconds is None:
        return None
    counted = _buckets(objective, counts)
    total, below = sum(counted), 0
    for bucket, count in zip(BUCKETS, counted, strict=True):
        below += count
        if total and below >= 0.99 * total:
            return bucket
    return None
