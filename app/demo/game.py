"""A whole simulated game, from the kickoff to the final score.

Lives here: the course of a game: periods, clock between plays, drives, overtime, the end. Not here:
single plays (plays.py, kicks.py), fouls (flags.py), reviews (review.py), choices (calls.py). Called
by season.py and by tests. Nothing here reads a clock or the global random numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from random import Random

from app.demo import calls, flags, kicks, plays
from app.demo.field import (
    OVERTIME_SECONDS,
    PERIOD_SECONDS,
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


def simulate_game(
    seed: int,
    game_id: str,
    home: Club,
    away: Club,
    rosters: Mapping[str, tuple[Footballer, ...]],
    kickoff: datetime,
    season: int,
    week: int,
) -> GameScript:
    """Plays a game of the regular season; equal arguments give an equal script.

    `rosters`: club id -> footballers, the best of each position first. The first step is
    game_started at 0 or a moment later, the last is `final` with the score under the events that
    are valid then.
    """
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
        game_id=game_id,
        season=season,
        season_type="REG",
        week=week,
        kickoff=kickoff,
        home=home,
        away=away,
        footballers=rosters[home.id] + rosters[away.id],
        events=tuple(tape.steps),
    )


class _Game:
    """The course of one game. `kicking`: the club that kicks off next, None during a drive."""

    def __init__(self, field: Field) -> None:
        self.field = field
        self.clubs = (field.home.club.id, field.away.club.id)
        self.first_kicker = field.rng.choice(self.clubs)
        self.kicking: str | None = self.first_kicker
        self.free_kick = False
        self.had_their_chance: set[str] = set()  # in overtime

    def play(self) -> None:
        field = self.field
        field.tape.record(GameStarted(home=self.clubs[0], away=self.clubs[1]))
        self._half(self.first_kicker, 1, 2)
        field.tape.wait(240)
        self._half(field.other(self.first_kicker), 3, 4)
        if field.margin == 0:
            self._half(field.rng.choice(self.clubs), 5)
        field.tape.record(GameEnded())
        field.tape.wait(45)
        home, away = (field.tape.score(club) for club in self.clubs)
        field.tape.record(Final(home_score=home, away_score=away))

    def _half(self, kicker: str, *periods: int) -> None:
        """Periods that begin with one kickoff and share the timeouts.

        Overtime is one of its own.
        """
        field = self.field
        self.kicking, self.free_kick = kicker, False
        overtime = periods[0] > 4
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
        """Overtime is over once a side leads after both had their chance (`_scored` says when there
        is no second).
        """
        return self.field.margin != 0 and len(self.had_their_chance) == 2

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
        """One snap and everything that follows from it."""
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
        """After a play: the clock, the try and the kickoff to come, else the next series."""
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
        if field.period == 5 and score != "field_goal":
            self.had_their_chance = set(self.clubs)  # sudden death: nobody gets another
        elif score == "touchdown":
            self._try(club)

    def _try(self, club: str) -> None:
        field = self.field
        lead = field.tape.score(club) - field.tape.score(field.other(club))
        if field.period == 4 and field.clock == 0 and (lead > 0 or lead < -2):
            return  # time is up and the try can change nothing
        field.tape.wait_since_snap(field.rng.uniform(35, 55))
        if calls.wants_two(field, club):
            kicks.two_point(field, club)
        else:
            kicks.extra_point(field, club)

    def _between_plays(self, played: int) -> None:
        """Timeouts, the two-minute warning, the running clock.

        `played`: seconds that the play took.
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
        before_warning = (
            field.clock - 120 if field.period in (2, 4) and not field.warned else field.clock
        )
        field.clock -= min(runs_off, before_warning)
        field.tape.wait_since_snap(played + min(runs_off, before_warning))
        self._two_minute_warning()

    def _two_minute_warning(self) -> None:
        field = self.field
        if field.period in (2, 4) and field.clock <= 120 and not field.warned:
            field.warned = True
            self._stop_by_officials("two-minute warning", 75)

    def _stop_by_officials(self, reason: str, seconds: int) -> None:
        self.field.running = False
        self.field.tape.record(Timeout(reason=reason))
        self.field.tape.wait(seconds)
