"""How many timeouts each club has left, by the rulebook: so many per half, fewer in overtime. Pure.

The console offers no more than are left, and its checks accept no more (scorer_console).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from app.record import events as ev
from app.record.rules.football.rulebook import Rulebook
from app.record.rules.football.suggestion import Standing

_REGULATION = 4
# Why a club may be charged with one more than it has: someone is hurt, or its challenge was lost.
_EXCESS = re.compile(r"injur|challenge", re.IGNORECASE)


@dataclass(frozen=True)
class Timeouts:
    """How many timeouts each club has left until they are renewed.

    `excess`: an injury or a lost challenge may cost one more.
    """

    left: dict[str, int]
    excess: bool


@dataclass(frozen=True)
class TimeoutsCalled:
    """The timeouts that were called so far, by half and club, and where the game is."""

    period: int
    clock: int
    called: tuple[tuple[int, str], ...] = ()

    def then(self, events: Iterable[Standing], book: Rulebook) -> TimeoutsCalled:
        """The timeouts after the next valid events, in order of the game."""
        period, clock, called = self.period, self.clock, [*self.called]
        for event in events:
            match event.body:
                case ev.Snap():
                    period, clock = event.body.period, event.body.clock
                case ev.Period(phase="start") if event.body.period != period:
                    period, clock = event.body.period, book.period_seconds(event.body.period)
                case ev.Timeout(team=str(team)):
                    called.append((_half(period, book), team))
        return TimeoutsCalled(period, clock, tuple(called))

    def left(self, clubs: Iterable[str], book: Rulebook, *, is_playoff: bool) -> Timeouts:
        """The timeouts that the clubs have left."""
        half = _half(self.period, book)
        of_period = book.timeouts
        if self.period > _REGULATION:
            of_period = book.playoff_overtime_timeouts if is_playoff else book.overtime_timeouts
        left = {club: max(0, of_period - self.called.count((half, club))) for club in clubs}
        is_excess = _is_late(self.period) and self.clock <= book.excess_timeout_clock
        return Timeouts(left, excess=is_excess)


def none_called(book: Rulebook) -> TimeoutsCalled:
    """The timeouts before the game."""
    return TimeoutsCalled(1, book.period)


def timeouts_of(
    events: Iterable[Standing], clubs: Iterable[str], book: Rulebook, *, is_playoff: bool = False
) -> Timeouts:
    """The timeouts left after these valid events, in order of the game.

    Worked example: SF called three in the first half and one in the third quarter: 2 left. In
    overtime of an NFL game of the regular season it has 2 again, whatever it saved.
    """
    return none_called(book).then(events, book).left(clubs, book, is_playoff=is_playoff)


def timeout_fault(body: ev.Timeout, remaining: Timeouts) -> str | None:
    """Why this timeout cannot be charged, and what to do; None if it can."""
    if (
        body.team is None
        or remaining.left.get(body.team, 1) > 0
        or (remaining.excess and _EXCESS.search(body.reason))
    ):
        return None
    reason = (
        f"{body.team} has no timeouts left (0) in this half: undo one that was entered by mistake"
    )
    if remaining.excess:
        return f"{reason}, or give the reason: an injury, or a lost challenge."
    return f"{reason}, or enter it as the officials' timeout."


def _half(period: int, book: Rulebook) -> int:
    if period <= _REGULATION:
        return (period - 1) // 2
    return 2 + (period - _REGULATION - 1) // book.overtime_half


def _is_late(period: int) -> bool:
    return period in (2, 4) or period > _REGULATION
