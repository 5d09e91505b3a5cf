"""Anti-cheat: what the consumer of scores asks about each (PRODUCT D12). The layers are told in docs/anticheat.md."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from app.core.clock import to_us
from app.scores.anticheat.submission import Submission, Verdict, through

__all__ = ["Submission", "Verdict", "judge"]


def judge(batch: Sequence[Submission], now: datetime) -> list[Verdict]:
    """One verdict a submission, in the same order: the worst of the layers, with all reasons.

    Judging the same submission again changes nothing. Raises SQLAlchemy's errors; without Redis the velocity layer
    abstains.
    """
    return through([], batch, to_us(now))
