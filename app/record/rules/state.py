"""The state of a game from its valid events: score, status and last situation. Pure.

Shown above the play list; used by ingestion and the console. The next situation is in football/,
statistics are in stat_lines.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import itemgetter
from typing import Literal

from app.record import events as ev
from app.record.rules.misplaced import counted
from app.record.rules.order import in_order
from app.record.rules.reviews import plays_under_review
from app.record.rules.stat_lines import Numbered, touchdown_of

Status = Literal[
    "scheduled", "live", "ended", "final", "postponed", "suspended", "cancelled", "forfeited"
]
# No further play will follow.
OVER: tuple[Status, ...] = ("ended", "final", "cancelled", "forfeited")
# A gameweek does not wait for these: a postponed game counts where it is played, or not at all.
NOT_AWAITED: tuple[Status, ...] = (*OVER, "postponed")
Kind = Literal[
    "touchdown", "extra_point", "two_point", "defensive_two_point", "field_goal", "safety"
]


@dataclass(frozen=True, slots=True)
class ScoringPlay:
    """Points and the score after them.

    `player` scored, `passer` threw the pass; both may be unknown. `period` and `clock` are those of
    the snap.
    """

    event_number: int
    play_number: int
    team: str
    kind: Kind
    points: int
    player: str | None
    passer: str | None
    period: int
    clock: int
    home_score: int
    away_score: int


@dataclass(frozen=True, slots=True)
class GameState:
    """A game's score and situation.

    Scores by period start with the first quarter; overtime periods follow the fourth. `possession`
    to `distance` are those of the last snap; `spot` counts from the goal line of `possession`.
    `declared_home_score` and `declared_away_score`: the stadium's own final score, once declared.
    `reported_home_score` and `reported_away_score`: the last reading of the stadium's board plus
    all points since; the scores themselves without a reading. `reliable`: the plays add up to it,
    and to the declared final score. `under_review`: numbers of the plays under review.
    """

    home: str | None
    away: str | None
    home_score: int
    away_score: int
    home_by_period: tuple[int, ...]
    away_by_period: tuple[int, ...]
    status: Status
    period: int
    clock: int
    possession: str | None
    spot: int | None
    down: int | None
    distance: int | None
    play_number: int
    last_event_number: int
    declared_home_score: int | None
    declared_away_score: int | None
    reported_home_score: int
    reported_away_score: int
    reliable: bool
    under_review: tuple[int, ...]


def game_state(
    events: Iterable[Numbered], home: str | None = None, away: str | None = None
) -> GameState:
    """The state after these (event number, play number, body) triples, in any order.

    A game is live from its start, or from its first snap if that is known first; it returns to its
    earlier status if a declared status (events.GameStatus) is taken back. `home` and `away`: the
    registered clubs, else those that the start of the game names. Points of other clubs are
    ignored.
    """
    ordered = in_order(events)
    return Progress().then(ordered).state(plays_under_review(ordered), home, away)


@dataclass(frozen=True)
class Progress:
    """What the state of a game needs of its plays so far. It can be continued with later plays."""

    course: Course = field(default_factory=lambda: Course())
    scores: tuple[ScoringPlay, ...] = ()

    def then(self, events: Iterable[Numbered]) -> Progress:
        """The progress after the next plays, whose valid events are in the order of the game."""
        course, scores = replace(self.course), [*self.scores]
        for play_number, group in groupby(events, key=itemgetter(1)):
            play = [(number, body) for number, _, body in group]
            scores += _scores_of(play_number, play, course.scoring_period, course.scoring_clock)
            for number, body in play:
                course.add(number, play_number, body)
        return Progress(course, tuple(scores))

    def state(
        self, under_review: Iterable[int], home: str | None = None, away: str | None = None
    ) -> GameState:
        """As `game_state`; `under_review` are the numbers of the plays under review."""
        course, scores = self.course, self.scores
        if course.started and (home is None or away is None):
            home, away = course.started.home, course.started.away
        periods = max(4, course.period, *(play.period for play in scores), 0)
        counted = (_total(scores, home), _total(scores, away))
        reported = _reported(course, scores, home, away) or counted
        snap, final = course.snap, course.final
        return GameState(
            home=home,
            away=away,
            home_score=counted[0],
            away_score=counted[1],
            home_by_period=_by_period(scores, home, periods),
            away_by_period=_by_period(scores, away, periods),
            status=course.status,
            period=course.period,
            clock=course.clock,
            possession=snap.possession if snap else None,
            spot=snap.spot if snap else None,
            down=snap.down if snap else None,
            distance=snap.distance if snap else None,
            play_number=course.play_number,
            last_event_number=course.last_event_number,
            declared_home_score=final.home_score if final else None,
            declared_away_score=final.away_score if final else None,
            reported_home_score=reported[0],
            reported_away_score=reported[1],
            reliable=reported == counted,
            under_review=tuple(under_review),
        )


@dataclass
class Course:
    """How far a game has come: the last event of each kind.

    `played`: the status by its plays. `declared`: the declared status, as long as it holds.
    `scoring_period` and `scoring_clock`: those that a score of the next play has. `is_delayed`:
    whether play is delayed at the moment (in the browser delayedAfter, console/rules/state.js).
    """

    started: ev.GameStarted | None = None
    snap: ev.Snap | None = None
    board: ev.Scoreboard | None = None
    final: ev.Final | None = None
    played: Status = "scheduled"
    declared: ev.GameStatus | None = None
    is_delayed: bool = False
    period: int = 1
    clock: int = 900
    scoring_period: int = 1
    scoring_clock: int = 900
    play_number: int = 0
    last_event_number: int = 0

    @property
    def status(self) -> Status:
        """The status of the game."""
        declared: Status = self.declared.status if self.declared else "scheduled"
        if declared in ("cancelled", "forfeited"):
            return declared
        if declared == "scheduled" or self.played in ("ended", "final"):
            return self.played
        return "postponed" if self.played == "scheduled" else "suspended"

    def add(self, number: int, play_number: int, body: ev.Body) -> None:
        """Go on with the next event in the order of the game."""
        self.play_number = max(self.play_number, play_number)
        self.last_event_number = max(self.last_event_number, number)
        match body:
            case ev.GameStarted():
                self.started = body
            case ev.Snap():
                self.snap, self.period, self.clock = body, body.period, body.clock
                self.scoring_period, self.scoring_clock = body.period, body.clock
            case ev.Period():
                if body.period != self.period and body.phase == "start":
                    self.clock = 900
                self.period, self.clock = (body.period, 0 if body.phase == "end" else self.clock)
                self.scoring_period = body.period
            case ev.Final():
                self.final = body
            case ev.Scoreboard():
                self.board = body
            case ev.GameStatus():
                self.declared = body
            case ev.Delay():
                self.is_delayed = body.phase == "start"
        if isinstance(body, _PLAY | ev.GameStatus | ev.GameEnded | ev.Final):
            self.is_delayed = False
        self.played = _played(self.played, body)
        if _goes_on(body) and self.declared and self.declared.status in ("postponed", "suspended"):
            self.declared = None


def _reported(
    course: Course, scores: Iterable[ScoringPlay], home: str | None, away: str | None
) -> tuple[int, int] | None:
    """Home and away score of the stadium: declared final, else its board plus all points since."""
    if course.final is not None:
        return course.final.home_score, course.final.away_score
    if (board := course.board) is None:
        return None
    since = [play for play in scores if (play.period, -play.clock) > (board.period, -board.clock)]
    return board.home_score + _total(since, home), board.away_score + _total(since, away)


def _total(scores: Iterable[ScoringPlay], team: str | None) -> int:
    return sum(play.points for play in scores if play.team == team)


def status_of(events: Iterable[Numbered]) -> Status:
    """The status only, as in `game_state`."""
    course = Course()
    for number, play_number, body in in_order(events):
        course.add(number, play_number, body)
    return course.status


def _goes_on(body: ev.Body) -> bool:
    """Whether the event ends a postponement or a suspension by itself."""
    return isinstance(body, _PLAY) or (isinstance(body, ev.Delay) and body.phase == "end")


_PLAY = ev.GameStarted | ev.Period | ev.Snap


def _played(before: Status, body: ev.Body) -> Status:
    if isinstance(body, ev.Final):
        return "final"
    if before == "final":
        return before
    if isinstance(body, ev.GameEnded):
        return "ended"
    if before == "scheduled" and isinstance(body, _PLAY):
        return "live"
    return before


def _by_period(scores: Sequence[ScoringPlay], team: str | None, periods: int) -> tuple[int, ...]:
    return tuple(
        _total((play for play in scores if play.period == period), team)
        for period in range(1, periods + 1)
    )


def scoring_plays(events: Iterable[Numbered]) -> list[ScoringPlay]:
    """Every score in the order of the game.

    Touchdown 6, extra point 1, two points 2, field goal 3, safety 2 or 1. A play has at most one
    touchdown: the last flagged movement.
    """
    progress = Progress().then(in_order(events))
    started = progress.course.started
    totals: dict[str, int] = {}
    scoring: list[ScoringPlay] = []
    for score in progress.scores:
        totals[score.team] = totals.get(score.team, 0) + score.points
        if started:
            home, away = totals.get(started.home, 0), totals.get(started.away, 0)
            score = replace(score, home_score=home, away_score=away)
        scoring.append(score)
    return scoring


def _scores_of(
    play_number: int, play: Sequence[tuple[int, ev.Body]], period: int, clock: int
) -> Iterator[ScoringPlay]:
    """The scores of a play, without the score after them.

    `period` and `clock` are those before the play.
    """
    play = counted(play)
    touchdown = touchdown_of(play)
    thrown: ev.Pass | None = None
    for number, body in play:
        if isinstance(body, ev.Snap | ev.Period):
            period = body.period
        if isinstance(body, ev.Snap):
            clock = body.clock
        thrown = _passing(thrown, body)
        score = score_of(body, is_touchdown=number == touchdown)
        if score is None:
            continue
        kind, points, team, player = score
        passer = thrown.passer if thrown else None
        yield ScoringPlay(
            event_number=number,
            play_number=play_number,
            team=team,
            kind=kind,
            points=points,
            player=player,
            passer=body.passer if isinstance(body, ev.Conversion) else passer,
            period=period,
            clock=clock,
            home_score=0,
            away_score=0,
        )


def _passing(thrown: ev.Pass | None, body: ev.Body) -> ev.Pass | None:
    """The completed pass whose gain continues, if any."""
    if isinstance(body, ev.Pass):
        return body if body.result == "complete" else None
    if isinstance(body, ev.Recovery | ev.Interception | ev.Kick):
        return None
    return thrown


def score_of(body: ev.Body, *, is_touchdown: bool) -> tuple[Kind, int, str, str | None] | None:
    """Kind, points, club and player of the score that an event makes; None if it makes none."""
    score: tuple[Kind, int, str, str | None] | None = None
    match body:
        case ev.Pass() if is_touchdown:
            score = "touchdown", 6, body.team, body.receiver
        case ev.Run() | ev.Recovery() | ev.Interception() if is_touchdown:
            score = "touchdown", 6, body.team, body.player
        case ev.Kick(kind="extra_point", result="good"):
            score = "extra_point", 1, body.team, body.kicker
        case ev.Kick(kind="field_goal", result="good"):
            score = "field_goal", 3, body.team, body.kicker
        case ev.Conversion(good=True, side="offence"):
            score = "two_point", 2, body.team, body.player
        case ev.Conversion(good=True):
            score = "defensive_two_point", 2, body.team, body.player
        case ev.Safety():
            score = "safety", body.points, body.team, body.player
    return score
