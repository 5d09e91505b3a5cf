"""What the anti-cheat judges and what it answers: plain values (PRODUCT D12).

A layer is an object with a name and one method, `judge`. stores.py says where layers read from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol
from uuid import UUID

from app.boards.order import Best, Order

State = Literal["clean", "flagged", "rejected"]
CLEAN: State = "clean"
FLAGGED: State = "flagged"
REJECTED: State = "rejected"
Location = tuple[float, float]  # latitude, longitude in degrees
_WORSE: dict[State, int] = {CLEAN: 0, FLAGGED: 1, REJECTED: 2}


@dataclass(frozen=True)
class Limits:
    """A mode's limits: the numbers of scores that are never held, and the distance of the fence."""

    per_minute: int
    per_hour: int
    reach: int


# What docs/integrators.md promises for modes without limits of their own; the API
# (app/api/scores.py) lets no more requests pass.
PROMISED = Limits(per_minute=60, per_hour=1_200, reach=6)


@dataclass(frozen=True)
class Submission:
    """One score on its way to the boards.

    Attributes:
        score: In the mode's smallest unit.
        cap: The attempt's own cap; None if it is unknown (the API has checked it).
        achieved_at: In microseconds, UTC.
        device: A salted hash.
        address: A salted hash.
        replay_hash: SHA-256 of the recorded game, in hex.
        limits: The mode's limits.
        order: The mode's order.
        location: Where the address is.
    """

    event_id: UUID
    attempt_id: UUID
    player_id: UUID
    mode_id: UUID
    score: int
    cap: int | None
    achieved_at: int
    device: str | None
    address: str | None
    replay_hash: str | None
    min_score: int
    max_score: int
    limits: Limits = PROMISED
    order: Order = field(default_factory=Order)
    location: Location | None = None

    @property
    def height(self) -> int:
        """The score, negated if the lowest is best: the greater, the better."""
        return self.score if self.order.best is Best.HIGHEST else -self.score


@dataclass(frozen=True)
class Verdict:
    """The state of a score: clean (on the boards), flagged (held for a review) or rejected.

    `reasons` are codes, see reasons.py.
    """

    state: str = CLEAN
    reasons: Sequence[str] = ()


class Layer(Protocol):
    """A check that gives one verdict per submission."""

    name: str

    def judge(self, batch: Sequence[Submission], now: int, /) -> list[Verdict]:
        """Return a verdict per submission, in their order."""


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst state of all, and every reason once, in the layers' order."""
    marked = [verdict for verdict in verdicts if verdict.state != CLEAN or verdict.reasons]
    if not marked:
        return Verdict()
    state = CLEAN
    reasons: dict[str, None] = {}
    for verdict in marked:
        state = max(state, verdict.state, key=_WORSE.__getitem__)  # type: ignore[arg-type]
        reasons |= dict.fromkeys(verdict.reasons)
    return Verdict(state, tuple(reasons))


def through(layers: Sequence[Layer], batch: Sequence[Submission], now: int) -> list[Verdict]:
    """Judge the batch with every layer; `now` is in microseconds."""
    judged = [layer.judge(batch, now) for layer in layers]
    return (
        [worst(verdicts) for verdicts in zip(*judged, strict=True)]
        if judged
        else [Verdict() for _ in batch]
    )
