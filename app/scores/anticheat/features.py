"""Features of the anomaly model: one vector per score, relative to the player's previous scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median, pstdev

from app.scores.anticheat.distribution import Cohort

NAMES = ("height", "rise", "trend", "pace", "regularity")
HISTORY = 12  # previous scores that count
SECOND = 1_000_000

MIN_GAPS = 4  # fewer say nothing about a player's rhythm


@dataclass(frozen=True)
class Past:
    """One score of a player as its height (submission.py): `at` in microseconds."""

    at: int
    score: int


def vector(now: Past, previous: Sequence[Past], cohort: Cohort) -> tuple[float, ...]:
    """Compute the features in the order of NAMES.

    `previous` is ordered oldest first; its last HISTORY scores count. The features are: height, in
    distances from the cohort's median to its 95th percentile; rise, the same above the player's own
    median; trend, the share of steps in their scores that went up, in excess of half; pace, log10
    of the median seconds between scores; regularity, their spread over their mean (near 1 for a
    person, near 0 for a machine). With too few scores a feature has the value that is usual for
    most people.
    """
    past = [*previous[-HISTORY:], now]
    scores = [attempt.score for attempt in past]
    gaps = [max((b.at - a.at) / SECOND, 0.1) for a, b in pairwise(past)]
    unit = max(cohort.high - cohort.median, 1)
    rise = (now.score - median(scores[:-1])) / unit if previous else 0.0
    ups = [b > a for a, b in pairwise(scores)]
    many = len(gaps) >= MIN_GAPS
    return (
        (now.score - cohort.median) / unit,
        rise,
        fmean(ups) - 0.5 if many else 0.0,
        math.log10(median(gaps)) if gaps else 2.5,
        min(pstdev(gaps) / fmean(gaps), 2.0) if many else 0.8,
    )
