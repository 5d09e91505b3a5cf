"""Anti-cheat: the checks of every score (PRODUCT D12). docs/anticheat.md describes the layers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import structlog

from app.core.clock import to_us
from app.scores.anticheat.bounds import Bounds
from app.scores.anticheat.distribution import Distribution
from app.scores.anticheat.nonce import Nonce
from app.scores.anticheat.stores import RedisSightings, RedisStops, SqlCohorts
from app.scores.anticheat.submission import Layer, Submission, Verdict, through
from app.scores.anticheat.travel import Travel
from app.scores.anticheat.velocity import SightingsUnavailableError, Velocity

__all__ = ["Submission", "Verdict", "judge"]

log = structlog.get_logger(__name__)


class Abstaining:
    """A layer that abstains, and counts what it did not judge, while its sightings are away."""

    def __init__(self, layer: Layer) -> None:
        self.name = layer.name
        self.abstained = 0
        self._layer = layer

    def judge(self, batch: Sequence[Submission], now: int) -> list[Verdict]:
        try:
            return self._layer.judge(batch, now)
        except SightingsUnavailableError as error:
            self.abstained += len(batch)
            log.warning(
                "layer_abstains",
                layer=self.name,
                reason=str(error),
                scores=len(batch),
                so_far=self.abstained,
            )
            return [Verdict() for _ in batch]


def layers() -> tuple[Layer, ...]:
    """Return the layers that judge scores on their way to the boards, on the real stores."""
    return (
        Nonce(),
        Bounds(),
        Abstaining(Velocity(RedisSightings())),
        Abstaining(Travel(RedisStops())),
        Distribution(SqlCohorts()),
    )


_LAYERS = layers()


def judge(batch: Sequence[Submission], now: datetime) -> list[Verdict]:
    """One verdict a submission, in the same order: the worst of the layers, with all reasons.

    Judging the same submission again changes nothing. Raises SQLAlchemy's errors; without Redis the
    layers of velocity and travel abstain. A cohort is at most a minute old.
    """
    return through(_LAYERS, batch, to_us(now))
