"""Layer: a score far above all that the mode's players reach. Robust: a few wild scores in the cohort move nothing.

The fence is the median + REACH times the way from the median to the 95th percentile. For a normal cohort that is
9.9 standard deviations, for a long-tailed one (lognormal, sigma 0.5) about 4. Example: median 100, 95th percentile
220: flagged above 100 + 6 * 120 = 820. Fewer than SMALLEST scores say nothing. Scores far below are nobody's gain.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from app.scores.anticheat.submission import FLAGGED, Submission, Verdict

SMALLEST = 200
REACH = 6

Counts = Mapping[int, int]


@dataclass(frozen=True)
class Cohort:
    """The mode's clean scores in figures: how many, the median, the 95th percentile."""

    size: int
    median: int
    high: int

    @property
    def fence(self) -> int | None:
        """The highest score that is not suspicious; None where the cohort says nothing."""
        if self.size < SMALLEST or self.high <= self.median:
            return None
        return self.median + REACH * (self.high - self.median)


def cohort_of(counts: Counts) -> Cohort:
    """Figures of scores and how often each occurs. Quantiles are scores that occur: the smallest that has so many."""
    size = sum(counts.values())
    return Cohort(size, quantile(counts, 0.5), quantile(counts, 0.95)) if size else Cohort(0, 0, 0)


def quantile(counts: Counts, share: float) -> int:
    wanted = math.ceil(share * sum(counts.values()))
    below = 0
    for score in sorted(counts):
        below += counts[score]
        if below >= wanted:
            return score
    raise ValueError("no scores")


class Distribution:
    name = "distribution"

    def __init__(self, cohort: Callable[[UUID], Cohort]) -> None:
        self._cohort = cohort

    def judge(self, batch: Sequence[Submission], now: int) -> list[Verdict]:
        """Flags `outlier`."""
        fences = {mode: self._cohort(mode).fence for mode in {one.mode_id for one in batch}}
        return [self._one(one, fences[one.mode_id]) for one in batch]

    def _one(self, one: Submission, fence: int | None) -> Verdict:
        return Verdict(FLAGGED, ("outlier",)) if fence is not None and one.score > fence else Verdict()
