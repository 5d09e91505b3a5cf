"""Event types of the game's course: start, periods, snaps, timeouts, scoreboard, end."""

from __future__ import annotations

from typing import Literal

from typing_extensions import override

from app.record.events.declaration import EventBody, Milliseconds, PlayTable, Situation
from app.record.events.fields import Clock, ClubId, Distance, Down, Note, Place, Points, Yard
from app.record.events.fields import Period as PeriodNumber
from app.record.words import Who, clock_words, down_and_distance, period_words, spot

PERIOD_SECONDS = 900  # of a quarter
QUARTERS = 4  # periods of regulation; overtime periods follow
LAST_DOWN = 4
GOAL_LINE = 100  # the opponents' goal line, in yards from the own one
# What can be said of a game that is not played as planned; `scheduled`: it is played after all.
Declared = Literal["scheduled", "postponed", "suspended", "cancelled", "forfeited"]


def game_seconds_played(period: int, clock: int) -> int:
    """Seconds of game time played; overtime counts on from 3600, whatever its length.

    >>> game_seconds_played(2, 840)
    960
    """
    return (period - 1) * PERIOD_SECONDS + (PERIOD_SECONDS - clock)


class GameStarted(EventBody, tag="game_started", frozen=True, kw_only=True):
    """The start of the game."""

    home: ClubId
    away: ClubId

    @override
    def words(self, who: Who) -> str:
        return f"the game begins: {self.away} at {self.home}"


_CHOSEN = {
    "receive": "receives",
    "kick": "kicks",
    "defend": "chooses a goal",
    "defer": "defers to the second half",
}


class CoinToss(EventBody, tag="coin_toss", frozen=True, kw_only=True):
    """Who won the toss and chose what, before the game or an overtime.

    `receiver` gets the kickoff that follows. `goal`: which goal is defended, in the stadium's
    words.
    """

    part = "aside"

    winner: ClubId
    choice: Literal["receive", "kick", "defend", "defer"]
    receiver: ClubId
    goal: Note = ""

    @override
    def words(self, who: Who) -> str:
        goal = f" ({self.goal})" if self.goal else ""
        return (
            f"{self.winner} wins the toss and {_CHOSEN[self.choice]}: {self.receiver} "
            f"receives{goal}"
        )


class Delay(EventBody, tag="delay", frozen=True, kw_only=True):
    """A pause of the game, or its end: weather, a power cut.

    A delay does not change the game's status; resuming play ends a suspension or a postponement.
    """

    part = "aside"

    phase: Literal["start", "end"]
    reason: Note = ""

    @override
    def words(self, who: Who) -> str:
        act = "is delayed" if self.phase == "start" else "resumes"
        return f"play {act}{f' ({self.reason})' if self.reason else ''}"


class Period(EventBody, tag="period", frozen=True, kw_only=True):
    """The start or end of a period."""

    period: PeriodNumber
    phase: Literal["start", "end"]

    @override
    def words(self, who: Who) -> str:
        name = f"quarter {self.period}" if self.period <= QUARTERS else "overtime"
        return f"{name} {'begins' if self.phase == 'start' else 'ends'}"


class Snap(EventBody, tag="snap", frozen=True, kw_only=True):
    """The start of a play, kicks included; only snaps raise the play number.

    `play_place`: where the play is among the plays of the game, in play numbers; None: at its own
    number.
    """

    table = PlayTable(
        "plays",
        renamed={"field_position": "spot"},
        computed={"start_timestamp": Milliseconds, "game_seconds_played": int},
    )

    possession: ClubId
    spot: Yard
    period: PeriodNumber
    clock: Clock
    situation: Situation = "scrimmage"
    down: Down | None = None
    distance: Distance | None = None
    play_place: Place | None = None

    @property
    def game_seconds_played(self) -> int:
        """Seconds of game time played at the snap."""
        return game_seconds_played(self.period, self.clock)

    @override
    def words(self, who: Who) -> str:
        where = spot("its own", self.spot, "the opponents'")
        return f"{down_and_distance(self)}, {self.possession} ball on {where}"


class Timeout(EventBody, tag="timeout", frozen=True, kw_only=True):
    """`team` None: called by the officials (two-minute warning, injury, television)."""

    part = "aside"

    team: ClubId | None = None
    reason: Note = ""

    @override
    def words(self, who: Who) -> str:
        if self.team is not None:
            return f"timeout {self.team}"
        return f"officials' timeout{f': {self.reason}' if self.reason else ''}"


class Scoreboard(EventBody, tag="scoreboard", frozen=True, kw_only=True):
    """The score on the stadium's own board at this point, touchdowns before their try included.

    If the plays so far do not add up to it, the feed is unreliable until they do, or until a later
    reading agrees.
    """

    part = "aside"

    home_score: Points
    away_score: Points
    period: PeriodNumber
    clock: Clock

    @override
    def words(self, who: Who) -> str:
        when = f"{period_words(self.period)} {clock_words(self.clock)}"
        return f"the stadium's board at {when}: away {self.away_score}, home {self.home_score}"


class GameEnded(EventBody, tag="game_ended", frozen=True, kw_only=True):
    """The end of the game."""

    @override
    def words(self, who: Who) -> str:
        return "the game is over"


class GameStatus(EventBody, tag="game_status", frozen=True, kw_only=True):
    """What becomes of a game that is not played as planned.

    A game that has begun is suspended, not postponed, whichever of the two is said. Nothing of a
    cancelled game counts; a forfeited one is over as it stands. Play that continues ends a
    postponement or a suspension by itself.
    """

    status: Declared
    reason: Note = ""

    @override
    def words(self, who: Who) -> str:
        change = "is played after all" if self.status == "scheduled" else f"is {self.status}"
        return f"the game {change}{f' ({self.reason})' if self.reason else ''}"


class Final(EventBody, tag="final", frozen=True, kw_only=True):
    """The stadium's own final score, declared official."""

    home_score: Points
    away_score: Points

    @override
    def words(self, who: Who) -> str:
        return f"final score declared: away {self.away_score}, home {self.home_score}"
