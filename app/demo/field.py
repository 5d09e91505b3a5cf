"""The state of a game between and during plays: ball, downs, clock, sides.

Lives here: what every play reads and moves. Not here: what the plays do (plays.py, kicks.py).
Spots count 0 to 100 from the own goal line of the club named next to them, as in the wire schema.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Literal

from app.demo.lineup import Lineup
from app.demo.tape import Tape
from app.record.events import Snap, Timeout

Score = Literal["touchdown", "safety", "field_goal"]

PERIOD_SECONDS = 900
OVERTIME_SECONDS = 600


def flip(spot: int) -> int:
    """The same spot seen from the other goal line."""
    return 100 - spot


@dataclass(frozen=True, slots=True)
class Result:
    """How a play left things: `club` has the ball at `spot`, or has just scored.

    `seconds` went off the clock; `stopped` when it then waits for the next snap.
    """

    club: str
    spot: int
    seconds: int
    stopped: bool = False
    scored: Score | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """What the next scrimmage snap will be."""

    club: str
    spot: int
    down: int
    distance: int


def first_and_ten(club: str, spot: int) -> Series:
    """A new series; to the goal line when that is nearer than ten yards."""
    spot = max(1, min(99, spot))
    return Series(club, spot, 1, min(10, 100 - spot))


@dataclass(slots=True)
class Field:
    """One game in progress.

    `changed`: on the current play the other side has had the ball; `kicking`: the current play is a
    kick or a try.
    """

    rng: Random
    tape: Tape
    home: Lineup
    away: Lineup
    series: Series
    period: int = 1
    clock: int = PERIOD_SECONDS
    running: bool = False
    changed: bool = False
    kicking: bool = False
    warned: bool = False
    timeouts: dict[str, int] = field(default_factory=dict)

    def side(self, club: str) -> Lineup:
        return self.home if club == self.home.club.id else self.away

    def other(self, club: str) -> str:
        return self.away.club.id if club == self.home.club.id else self.home.club.id

    @property
    def possession(self) -> str:
        return self.series.club

    @property
    def spot(self) -> int:
        return self.series.spot

    @property
    def offence(self) -> Lineup:
        return self.side(self.possession)

    @property
    def defence(self) -> Lineup:
        return self.side(self.other(self.possession))

    @property
    def margin(self) -> int:
        """Points by which the side with the ball leads."""
        return self.tape.score(self.possession) - self.tape.score(self.other(self.possession))

    @property
    def late(self) -> bool:
        """The last five minutes, or overtime."""
        return self.period > 4 or (self.period == 4 and self.clock <= 300)

    @property
    def half_is_ending(self) -> bool:
        return self.period in (2, 4) and self.clock <= 120

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def snap(self) -> None:
        """A scrimmage play begins."""
        series = self.series
        self._snap("scrimmage", series.club, series.spot, series.down, series.distance)

    def snap_kick(
        self, situation: Literal["kickoff", "free_kick", "try"], club: str, spot: int
    ) -> None:
        """A kick or a try begins: `club` has the ball, without down and distance."""
        self.series = Series(club, spot, 1, min(10, 100 - spot))
        self._snap(situation, club, spot, None, None)

    def _snap(
        self,
        situation: Literal["scrimmage", "kickoff", "free_kick", "try"],
        club: str,
        spot: int,
        down: int | None,
        distance: int | None,
    ) -> None:
        self.changed = False
        self.kicking = situation != "scrimmage"
        self.tape.record(
            Snap(
                possession=club,
                spot=spot,
                period=self.period,
                clock=self.clock,
                situation=situation,
                down=down,
                distance=distance,
            )
        )

    def series_after(self, result: Result) -> Series:
        """The rule of downs: a new series at the line to gain or for a new owner, else the next
        down.
        """
        series = self.series
        if (
            result.club != series.club
            or self.changed
            or result.spot >= series.spot + series.distance
        ):
            return first_and_ten(result.club, result.spot)
        if series.down == 4:
            return first_and_ten(self.other(series.club), flip(result.spot))
        return Series(
            series.club, result.spot, series.down + 1, series.distance - (result.spot - series.spot)
        )

    def call_timeout(self, club: str, reason: str = "") -> None:
        self.timeouts[club] -= 1
        self.tape.record(Timeout(team=club, reason=reason))
        self.running = False
