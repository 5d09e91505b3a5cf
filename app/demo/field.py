"""The state of a simulated game between and during plays: ball, downs, clock, sides.

Every play reads and changes it; what the plays do is in plays.py and kicks.py. Spots count from 0
to 100 from the own goal line of the club that is named next to them, as in the wire schema.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Literal

from app.demo.lineup import Lineup
from app.demo.tape import Tape
from app.record.events import Situation, Snap, Timeout

Score = Literal["touchdown", "safety", "field_goal"]

PERIOD_SECONDS = 900
OVERTIME_SECONDS = 600
SECOND_QUARTER = 2
LAST_QUARTER = 4
OVERTIME = 5
TWO_MINUTES = 120  # left in the half: the officials' warning, and when clubs begin to hurry
_LATE_SECONDS = 300
LAST_DOWN = 4
GOAL_LINE = 100  # the opponents'


def flip(spot: int) -> int:
    """Return the same spot as seen from the other goal line."""
    return GOAL_LINE - spot


@dataclass(frozen=True, slots=True)
class Result:
    """How a play ended: `club` has the ball at `spot`, or has just scored.

    The play took `seconds` off the clock; `stopped` if the clock then waits for the next snap.
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
    """Begin a new series; the line to gain is the goal line if that is nearer than ten yards."""
    spot = max(1, min(99, spot))
    return Series(club, spot, 1, min(10, GOAL_LINE - spot))


@dataclass(slots=True)
class Field:
    """One game in progress.

    `changed`: possession has changed on the current play. `kicking`: the current play is a kick or
    a try. `running`: the clock runs. `warned`: the two-minute warning of this half was given.
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
        """Return the lineup of the club."""
        return self.home if club == self.home.club.id else self.away

    def other(self, club: str) -> str:
        """Return the id of the opponents of `club`."""
        return self.away.club.id if club == self.home.club.id else self.home.club.id

    @property
    def possession(self) -> str:
        """The club that has the ball at the snap."""
        return self.series.club

    @property
    def spot(self) -> int:
        """The line of scrimmage, as the offence counts it."""
        return self.series.spot

    @property
    def offence(self) -> Lineup:
        """The lineup with the ball."""
        return self.side(self.possession)

    @property
    def defence(self) -> Lineup:
        """The lineup without the ball."""
        return self.side(self.other(self.possession))

    @property
    def margin(self) -> int:
        """Points by which the side with the ball leads."""
        return self.tape.score(self.possession) - self.tape.score(self.other(self.possession))

    @property
    def late(self) -> bool:
        """Whether these are the last five minutes, or overtime."""
        return self.period > LAST_QUARTER or (
            self.period == LAST_QUARTER and self.clock <= _LATE_SECONDS
        )

    @property
    def half_is_ending(self) -> bool:
        """Whether these are the last two minutes of a half."""
        return self.period in (SECOND_QUARTER, LAST_QUARTER) and self.clock <= TWO_MINUTES

    def chance(self, probability: float) -> bool:
        """Draw whether something with this probability happens."""
        return self.rng.random() < probability

    def snap(self) -> None:
        """Begin a play from scrimmage."""
        series = self.series
        self._snap("scrimmage", series.club, series.spot, series.down, series.distance)

    def snap_kick(
        self, situation: Literal["kickoff", "free_kick", "try"], club: str, spot: int
    ) -> None:
        """Begin a kick or a try: `club` has the ball, without down and distance."""
        self.series = Series(club, spot, 1, min(10, GOAL_LINE - spot))
        self._snap(situation, club, spot, None, None)

    def _snap(
        self,
        situation: Situation,
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
        """Apply the rule of downs.

        Returns:
            A new series if the line to gain was reached or the ball changed hands, otherwise the
            next down.
        """
        series = self.series
        if (
            result.club != series.club
            or self.changed
            or result.spot >= series.spot + series.distance
        ):
            return first_and_ten(result.club, result.spot)
        if series.down == LAST_DOWN:
            return first_and_ten(self.other(series.club), flip(result.spot))
        return Series(
            series.club, result.spot, series.down + 1, series.distance - (result.spot - series.spot)
        )

    def call_timeout(self, club: str, reason: str = "") -> None:
        """Charge a timeout to `club` and stop the clock."""
        self.timeouts[club] -= 1
        self.tape.record(Timeout(team=club, reason=reason))
        self.running = False
