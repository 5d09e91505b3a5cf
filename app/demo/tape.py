"""The steps of a game as they are entered: numbering, pace, what still counts.

The football is in plays.py and its neighbours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from random import Random

from app.record.events import (
    Body,
    Challenge,
    Conversion,
    Fact,
    Interception,
    Kick,
    Nullify,
    Overturn,
    Pass,
    Penalty,
    Recovery,
    Run,
    Safety,
    ScriptedEvent,
    Snap,
    Timeout,
)

_NOT_ACTION = (Snap, Penalty, Timeout)


def points(fact: Fact) -> int:
    """Return the points that `fact.team` scored with it."""
    match fact:
        case (
            Run(is_touchdown=True)
            | Pass(is_touchdown=True)
            | Recovery(is_touchdown=True)
            | Interception(is_touchdown=True)
        ):
            return 6
        case Kick(kind="field_goal", result="good"):
            return 3
        case Kick(kind="extra_point", result="good"):
            return 1
        case Conversion(good=True):
            return 2
        case Safety():
            return fact.points
        case _:
            return 0


class Tape:
    """A growing script. Event numbers count from 1; time starts at 0 and only rises."""

    def __init__(self, rng: Random) -> None:
        self.steps: list[ScriptedEvent] = []
        self._rng = rng
        self._now_ms = 0
        self._snapped_ms = 0
        self._snapped_at = 0  # event number of the last snap
        self._valid: dict[int, Fact] = {}
        self._scores: Counter[str] = Counter()  # of what is valid, by club

    def record(self, body: Body) -> int:
        """Record the next step, a moment after the previous one, and return its event number."""
        if self.steps:
            self._now_ms += self._rng.randint(700, 2200)
        self.steps.append(ScriptedEvent(at_ms=self._now_ms, body=body))
        number = len(self.steps)
        match body:
            case Overturn():
                self._count(body.event, body.ruling)
            case Nullify():
                for void in body.events:
                    self._count(void, None)
            case Challenge():
                pass
            case Snap():
                self._snapped_ms = self._now_ms
                self._snapped_at = number
                self._count(number, body)
            case _:
                self._count(number, body)  # type: ignore[arg-type]  # StatCorrection is never simulated
        return number

    def _count(self, number: int, fact: Fact | None) -> None:
        """Count this fact for the event from now on, or nothing."""
        before = self._valid.pop(number, None)
        for version, sign in ((before, -1), (fact, 1)):
            if version is not None and (worth := points(version)):
                self._scores[getattr(version, "team", "")] += sign * worth
        if fact is not None:
            self._valid[number] = fact

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self._now_ms += round(seconds * 1000)

    def wait_since_snap(self, seconds: float) -> None:
        """Let time pass until at least `seconds` after the last snap."""
        self._now_ms = max(self._now_ms, self._snapped_ms + round(seconds * 1000))

    def action(self) -> list[tuple[int, Fact]]:
        """Return the valid facts of the current play after the snap, without penalties.

        Returns:
            Pairs of event number and fact, in order.
        """
        return [
            (number, self._valid[number])
            for number in range(self._snapped_at, len(self.steps) + 1)
            if number in self._valid and not isinstance(self._valid[number], _NOT_ACTION)
        ]

    def nullify(self, numbers: Iterable[int], reason: str) -> None:
        """Record that these events do not count, if there are any."""
        if void := tuple(numbers):
            self.record(Nullify(events=void, reason=reason))

    def score(self, club: str) -> int:
        """Return the points of `club` under the facts that are valid now."""
        return self._scores[club]
