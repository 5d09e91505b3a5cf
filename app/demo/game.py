"""A whole simulated game, from the kickoff to the final score.

This is the course of a game: periods, the clock between plays, drives, overtime, the end. Single
plays are in plays.py and kicks.py, fouls in flags.py, reviews in review.py, choices in calls.py.
Nothing here reads a clock or the global random number generator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from random import Random

from app.demo import calls, flags, kicks, plays
from app.demo.field import (
    LAST_QUARTER,
    OVERTIME,
    OVERTIME_SECONDS,
    PERIOD_SECONDS,
    SECOND_QUARTER,
    TWO_MINUTES,
    Field,
    Result,
    Score,
    Series,
    first_and_ten,
)
from app.demo.lineup import lineup
from app.demo.review import review
from app.demo.tape import Tape
from app.record.events import Final, GameEnded, GameStarted, Period, Timeout
from app.record.script import Club, Footballer, GameScript

_PLAYS: Mapping[calls.Call, Callable[[Field], Result]] = {
    "rush": plays.rush,
    "dropback": plays.dropback,
    "kneel": plays.kneel,
    "spike": plays.spike,
    "punt": kicks.punt,
    "field_goal": kicks.field_goal,
}


_TWO_POINTS = 2
_CLUBS_IN_A_GAME = 2


@dataclass(frozen=True, slots=True)
class Fixture:
    """A game of the regular season before it is played."""

    game_id: str
    home: Club
    away: Club
    kickoff: datetime
    season: int
    week: int


def simulate_game(
    seed: int, fixture: Fixture, rosters: Mapping[str, tuple[Footballer, ...]]
) -> GameScript:
    """Play a game; equal arguments give an equal script.

    Args:
        seed: Of everything that is random in the game.
        fixture: The game to play.
        rosters: Footballers by club id, the best of each position first.

    Returns:
        A script whose first step is game_started at 0 or a moment later, and whose last is `final`
        with the score under the events that are valid then.
    """
    home, away = fixture.home, fixture.away
    rng = Random(seed)  # noqa: S311
    tape = Tape(rng)
    field = Field(
        rng=rng,
        tape=tape,
        home=lineup(home, rosters[home.id]),
        away=lineup(away, rosters[away.id]),
        series=first_and_ten(home.id, 35),
    )
    _Game(field).play()
    return GameScript(
        game_id=fixture.game_id,
        season=fixture.season,
        season_type="REG",
        week=fixture.week,
        kickoff=fixture.kickoff,
        home=home,
        away=away,
        footballers=rosters[home.id] + rosters[away.id],
        events=tuple(tape.steps),
    )


class _Game:
    """The course of one game.

    Attributes:
        kicking: The club that kicks off next; None during a drive.
        free_kick: Whether that kick is one after a safety.
        had_their_chance: Clubs that have had the ball in overtime.
    """

    def __init__(self, field: Field) -> None:
        self.field = field
        self.clubs = (field.home.club.id, field.away.club.id)
        self.first_kicker = field.rng.choice(self.clubs)
        self.kicking: str | None = self.first_kicker
        self.free_kick = False
        self.had_their_chance: set[str] = set()

    def play(self) -> None:
        field = self.field
        field.tape.record(GameStarted(home=self.clubs[0], away=self.clubs[1]))
        self._half(self.first_kicker, 1, 2)
        field.tape.wait(240)
        self._half(field.other(self.first_kicker), 3, 4)
        if field.margin == 0:
            self._half(field.rng.choice(self.clubs), OVERTIME)
        field.tape.record(GameEnded())
        field.tape.wait(45)
        home, away = (field.tape.score(club) for club in self.clubs)
        field.tape.record(Final(home_score=home, away_score=away))

    def _half(self, kicker: str, *periods: int) -> None:
        """Play the periods that begin with one kickoff and share the timeouts.

        Overtime is a half by itself.
        """
        field = self.field
        self.kicking, self.free_kick = kicker, False
        overtime = periods[0] > LAST_QUARTER
        field.timeouts = dict.fromkeys(self.clubs, 2 if overtime else 3)
        field.warned = overtime
        self.had_their_chance = set()
        for period in periods:
            field.period, field.clock = period, OVERTIME_SECONDS if overtime else PERIOD_SECONDS
            field.running = False
            field.tape.record(Period(period=period, phase="start"))
            while field.clock > 0 and not (overtime and self._is_decided()):
                if self.kicking is None:
                    self._scrimmage()
                else:
                    self._kickoff(self.kicking)
            field.tape.record(Period(period=period, phase="end"))
            field.tape.wait(100)

    def _is_decided(self) -> bool:
        """Whether overtime is over: one side leads, and both have had their chance.

        `_scored` decides when there is no second chance.
        """
        return self.field.margin != 0 and len(self.had_their_chance) == _CLUBS_IN_A_GAME

    def _kickoff(self, club: str) -> None:
        field = self.field
        field.tape.wait(field.rng.uniform(35, 70))
        free, self.kicking, self.free_kick = self.free_kick, None, False
        if free:
            result = kicks.free_kick(field, club)
        elif calls.wants_onside(field, club):
            result = kicks.onside(field, club)
        else:
            result = kicks.kickoff(field, club)
        self._finish(result, flags.on_the_return(field, result))

    def _scrimmage(self) -> None:
        """Play one snap and everything that follows from it."""
        field = self.field
        call = calls.choose(field)
        if call in ("rush", "dropback") and flags.before_the_snap(field):
            field.running = False
            field.tape.wait_since_snap(field.rng.uniform(22, 34))
            return
        owner = field.possession
        field.snap()
        result = _PLAYS[call](field)
        after = field.series_after(result)
        if call == "punt" and result.scored is None:
            after = flags.on_the_return(field, result)
        elif call in ("rush", "dropback"):
            enforced = flags.after_the_play(field, result, after)
            if enforced is not None:
                result, after = Result(owner, enforced.spot, result.seconds, stopped=True), enforced
            else:
                result = review(field, result)
                after = field.series_after(result)
        self._finish(result, after)
        if self.kicking is not None or field.possession != owner:
            self.had_their_chance.add(owner)

    def _finish(self, result: Result, after: Series) -> None:
        """Move the clock after a play, then set up the try and the kickoff, or the next series."""
        field = self.field
        owner = field.possession
        field.clock = max(0, field.clock - result.seconds)
        field.running = not (
            result.stopped or field.kicking or after.club != owner or field.changed
        )
        if result.scored is not None:
            self._scored(result.scored, result.club)
        else:
            field.series = after
        if field.clock > 0:
            self._between_plays(result.seconds)
        else:
            field.tape.wait_since_snap(25)

    def _scored(self, score: Score, club: str) -> None:
        field = self.field
        self.kicking, self.free_kick = club, False
        if score == "safety":
            self.kicking, self.free_kick = field.other(club), True
        if field.period == OVERTIME and score != "field_goal":
            self.had_their_chance = set(self.clubs)  # sudden death: the game is over
        elif score == "touchdown":
            self._try(club)

    def _try(self, club: str) -> None:
        field = self.field
        lead = field.tape.score(club) - field.tape.score(field.other(club))
        if field.period == LAST_QUARTER and field.clock == 0 and (lead > 0 or lead < -_TWO_POINTS):
            return  # time is up and the try can change nothing
        field.tape.wait_since_snap(field.rng.uniform(35, 55))
        if calls.wants_two(field, club):
            kicks.two_point(field, club)
        else:
            kicks.extra_point(field, club)

    def _between_plays(self, played: int) -> None:
        """Handle timeouts, the two-minute warning and the running clock.

        Args:
            played: Seconds that the play took.
        """
        field, rng = self.field, self.field.rng
        self._two_minute_warning()
        if field.chance(0.004):
            self._stop_by_officials("injury", 90)
        runs_off = calls.seconds_to_next_snap(field)
        if not field.running:
            field.tape.wait_since_snap(rng.uniform(24, 37))
            return
        club = calls.timeout_by(field)
        if club is not None:
            field.clock = max(1, field.clock - rng.randint(2, 6))
            field.call_timeout(club)
            field.tape.wait(rng.uniform(45, 75))
            return
        before_warning = field.clock - (TWO_MINUTES if self._warning_is_due() else 0)
        field.clock -= min(runs_off, before_warning)
        field.tape.wait_since_snap(played + min(runs_off, before_warning))
        self._two_minute_warning()

    def _two_minute_warning(self) -> None:
        if self._warning_is_due() and self.field.clock <= TWO_MINUTES:
            self.field.warned = True
            self._stop_by_officials("two-minute warning", 75)

    def _warning_is_due(self) -> bool:
        return self.field.period in (SECOND_QUARTER, LAST_QUARTER) and not self.field.warned

    def _stop_by_officials(self, reason: str, seconds: int) -> None:
        self.field.running = False
        self.field.tape.record(Timeout(reason=reason))
        self.field.tape.wait(seconds)
