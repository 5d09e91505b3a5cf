"""Computes when each step of an imported game is entered.

Times follow the game clock and the pauses of a broadcast, because the files have no reliable wall
clock.
"""

from __future__ import annotations

from app.record import events as ev

_BETWEEN_SNAPS = 38_000
# before the second quarter, at half-time, before the fourth
_BREAKS = {2: 130_000, 3: 780_000, 4: 130_000}
_OVERTIME = 180_000
_TIMEOUT, _REVIEW, _COMMERCIAL = 110_000, 90_000, 100_000


class Pace:
    """The pace of one game; `at_ms` is called for each event in turn."""

    def __init__(self) -> None:
        self._now = 0
        self._snap = 0
        self._clock = 900
        self._period = 1

    def at_ms(self, body: ev.Body) -> int:
        """Milliseconds since the first event; never falls."""
        match body:
            case ev.Period(phase="start"):
                if body.period > 1:
                    self._now += _BREAKS.get(body.period, _OVERTIME)
                self._period, self._clock, self._snap = (
                    body.period,
                    900,
                    self._now - _BETWEEN_SNAPS + 5_000,
                )
            case ev.Snap():
                self._next_snap(body)
            case ev.Timeout():
                self._now += 1_000
                self._snap = max(self._snap, self._now + _TIMEOUT - _BETWEEN_SNAPS)
                return self._now
            case ev.Challenge(ruling="pending"):
                self._now += 12_000
            case ev.Challenge():
                self._now += _REVIEW
            case ev.Pass() | ev.Kick():
                self._now += 2_500
            case ev.Run() | ev.Sack() | ev.Conversion():
                self._now += 2_000
            case ev.Penalty():
                self._now += 4_000
            case ev.GameEnded() | ev.Final():
                self._now += 30_000
            case _:
                self._now += 700
        return self._now

    def _next_snap(self, snap: ev.Snap) -> None:
        played = max(0, self._clock - snap.clock) * 1000 if snap.period == self._period else 0
        pause = max(played, _BETWEEN_SNAPS)
        if snap.situation in ("kickoff", "free_kick"):
            pause += _COMMERCIAL
        self._now = max(self._now + 1_000, self._snap + pause)
        self._snap, self._clock, self._period = self._now, snap.clock, snap.period
