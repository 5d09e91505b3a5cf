"""Overtime and the end of the game: how overtime begins, and whether there is a next snap. Pure.

Sudden death with and without a possession for both clubs, extra periods of series, the end of
regulation. A play within overtime is in situation.py. The browser decides by the same rules
(static/js/console/rules/overtime.js, tests/js/examples).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from app.record import events as ev
from app.record.rules.football.rulebook import Rulebook
from app.record.rules.football.suggestion import Standing, Suggestion
from app.record.rules.state import ScoringPlay, scoring_plays

_REGULATION = 4
_FIELD_GOAL = 3
_TRY = 2  # the most that a try is worth


@dataclass(frozen=True)
class Course:
    """A game so far: its standing events in order, the two clubs, its rules.

    `known_scores` are the scores of these events, if the caller has them.
    """

    events: Sequence[Standing]
    home: str
    away: str
    book: Rulebook
    known_scores: Sequence[ScoringPlay] | None = None

    @cached_property
    def scores(self) -> Sequence[ScoringPlay]:
        """The scores so far."""
        if self.known_scores is not None:
            return self.known_scores
        return scoring_plays(
            (number, event.play_number, event.body)
            for number, event in enumerate(self.events, start=1)
        )

    def other(self, team: str) -> str:
        """The other club."""
        return self.away if team == self.home else self.home

    def points(self, team: str) -> int:
        """The club's points so far."""
        return sum(score.points for score in self.scores if score.team == team)

    def margin(self, team: str, *, without_play: int | None = None) -> int:
        """By how many points `team` leads, optionally without one play; negative if it trails."""
        scores = (score for score in self.scores if score.play_number != without_play)
        return sum(score.points if score.team == team else -score.points for score in scores)


def is_opened(period: int, book: Rulebook) -> bool:
    """Whether a period of overtime starts anew, with a kickoff or a series.

    Otherwise it continues where the last one ended.
    """
    return period > _REGULATION and (
        book.overtime_rule == "series" or (period - _REGULATION - 1) % book.overtime_half == 0
    )


def opening(period: int, clock: int, course: Course) -> Suggestion:
    """How a period of overtime begins: a kickoff, or the first club's series."""
    book = course.book
    if book.overtime_rule == "series":
        before = _first_of(period - 1, course.events)
        if before is not None and period > _REGULATION + 1:
            return _series(
                course.other(before),
                period,
                clock,
                book,
                "which had the ball second, is likely to begin",
            )
        return replace(
            _series(course.home, period, clock, book, "or the other club: the coin toss decides"),
            by_toss=True,
        )
    toss = (
        "The coin toss decides who kicks"
        if period == _REGULATION + 1
        else "The overtime coin tosses decide who kicks"
    )
    why = f"Overtime: {toss[:1].lower()}{toss[1:]}. {_how(book)}"
    return Suggestion(
        course.home, book.kickoff, period, clock, "kickoff", by_toss=True, check=True, why=why
    )


def _how(book: Rulebook) -> str:
    """How overtime is won, in a sentence."""
    return {
        "sudden_death": "The first score wins.",
        "modified": (
            "A touchdown on the first series wins, a field goal only after both clubs had the ball."
        ),
        "both": "Both clubs get the ball, then the first score wins.",
        "series": "Each club has a series from the same spot.",
    }[book.overtime_rule]


def _series(team: str, period: int, clock: int, book: Rulebook, who: str) -> Suggestion:
    number = period - _REGULATION
    if 0 < book.overtime_tries_from <= number:
        why = f"Extra period {number} is two-point tries only: {team}, {who}."
        return Suggestion(team, book.two_point_spot, period, clock, "try", why=why, check=True)
    spot = book.overtime_spot
    why = f"Extra period {number}, a series from the {100 - spot} each: {team}, {who}."
    return Suggestion(
        team, spot, period, clock, down=1, distance=min(10, 100 - spot), why=why, check=True
    )


@dataclass(frozen=True)
class LastPlay:
    """The last play of a game.

    `is_played`: something was played since the snap. `is_extended`: a foul of the play gives an
    untimed down if the half ended with it.
    """

    number: int
    snap: ev.Snap
    is_played: bool
    is_extended: bool


def decided(suggestion: Suggestion, last: LastPlay, course: Course) -> Suggestion:
    """The next snap at the end of regulation and in overtime, where the game may be over.

    `suggestion` is what would follow within a quarter.

    Worked example: in overtime of an NFL game of 2019 the club that received kicks a field goal: it
    kicks off; the other club is stopped on fourth down: the game is over.
    """
    ended = _ended(course.events)
    if last.is_extended and ended is not None and _can_go_on(suggestion, ended, course.book):
        return replace(
            suggestion,
            check=True,
            why=f"{suggestion.why} Time is up: an untimed down, for the foul.",
        )
    if max(last.snap.period, suggestion.period) <= _REGULATION:
        return _regulation(suggestion, course) if ended == _REGULATION else suggestion
    if course.book.overtime_rule == "series":
        return _after_series(suggestion, last.snap, is_over=ended is not None, course=course)
    return _after_overtime_play(suggestion, last, ended, course)


def _after_overtime_play(
    suggestion: Suggestion, last: LastPlay, ended: int | None, course: Course
) -> Suggestion:
    """The next snap in overtime that is not played in series."""
    is_last_period = (
        course.book.overtime_periods
        and ended is not None
        and ended - _REGULATION >= course.book.overtime_periods
    )
    if not last.is_played and not is_last_period:
        return suggestion
    # The points of a play that a flag wipes out do not count, although its events stand until they
    # are taken back.
    lead = course.margin(
        course.home,
        without_play=last.number if suggestion.situation == "scrimmage" else None,
    )
    if is_last_period and (suggestion.situation != "try" or abs(lead) > _TRY):
        return _over(suggestion, course, "Time is up")
    if lead == 0:
        return suggestion
    trailing = course.away if lead > 0 else course.home
    return (
        _over(suggestion, course, "")
        if _is_won(suggestion, trailing, abs(lead), course)
        else suggestion
    )


def _can_go_on(suggestion: Suggestion, ended: int, book: Rulebook) -> bool:
    """Whether a half has ended; a series does not end by the clock."""
    is_series = ended > _REGULATION and book.overtime_rule == "series"
    return suggestion.situation == "scrimmage" and book.is_late(ended) and not is_series


def _is_won(suggestion: Suggestion, trailing: str, lead: int, course: Course) -> bool:
    """Whether overtime is won by the club that leads."""
    rule = course.book.overtime_rule
    if rule == "sudden_death":
        return not (suggestion.situation == "try" and suggestion.possession == trailing)
    if suggestion.possession == trailing and suggestion.situation in ("scrimmage", "try"):
        return False
    return (rule == "modified" and lead > _FIELD_GOAL) or _had_the_ball(trailing, course)


def _had_the_ball(team: str, course: Course) -> bool:
    """Whether a club had its opportunity in overtime (NFL rule 16).

    A kickoff to it is one, whoever recovered it.
    """
    period = 1
    for event in course.events:
        body = event.body
        if isinstance(body, ev.Snap):
            period = body.period
        if period <= _REGULATION:
            continue
        match body:
            case ev.Snap(situation="scrimmage") | ev.Recovery() | ev.Interception() if (
                _team_of(body) == team
            ):
                return True
            case ev.Snap(situation="kickoff" | "free_kick") if body.possession != team:
                return True
            case ev.Kick(kind="punt" | "field_goal", result="recovered") if body.team != team:
                return True
    return False


def _team_of(body: ev.Snap | ev.Recovery | ev.Interception) -> str:
    return body.possession if isinstance(body, ev.Snap) else body.team


def _regulation(suggestion: Suggestion, course: Course) -> Suggestion:
    """After the last quarter: the end, a try that may still decide, or overtime."""
    lead = course.margin(course.home)
    if suggestion.situation == "try" and abs(lead) <= _TRY:
        return suggestion
    if lead:
        return _over(suggestion, course, "Time is up")
    begun = opening(_REGULATION + 1, suggestion.clock, course)
    return replace(begun, period=suggestion.period)


def _after_series(
    suggestion: Suggestion, snap: ev.Snap, *, is_over: bool, course: Course
) -> Suggestion:
    """The next snap after a play of a series in an extra period.

    The series continues, the other club's series or the next period begins, or the game is over.
    """
    team, book = snap.possession, course.book
    first = _first_of(snap.period, course.events) or team
    lead = course.margin(team)
    if (
        suggestion.possession == team
        and suggestion.situation in ("scrimmage", "try")
        and not is_over
    ):
        if suggestion.situation == "scrimmage" or snap.situation == "try":
            return suggestion
        if lead > 0 and first != team:
            return _over(suggestion, course, "")
        return _try_in_series(suggestion, snap.period, book)
    if (lead and first != team) or lead < 0:
        return _over(suggestion, course, "")
    if first != team:
        return opening(snap.period + 1, book.period_seconds(snap.period + 1), course)
    other = course.other(team)
    return _series(other, snap.period, suggestion.clock, book, f"after the series of {team}")


def _try_in_series(suggestion: Suggestion, period: int, book: Rulebook) -> Suggestion:
    """The try after a touchdown in an extra period, for two where the book demands it."""
    if not 0 < book.overtime_two_from <= period - _REGULATION:
        return suggestion
    why = f"{suggestion.possession} scored a touchdown and must try for two in this extra period."
    return replace(suggestion, spot=book.two_point_spot, choices=(), why=why)


def _first_of(period: int, events: Sequence[Standing]) -> str | None:
    """The club that had the first series of an extra period."""
    snaps = (event.body for event in events if isinstance(event.body, ev.Snap))
    return next((snap.possession for snap in snaps if snap.period == period), None)


def _ended(events: Sequence[Standing]) -> int | None:
    """The period that has ended since the last snap, none having begun."""
    for event in reversed(events):
        body = event.body
        if isinstance(body, ev.Snap) or (isinstance(body, ev.Period) and body.phase == "start"):
            return None
        if isinstance(body, ev.Period):
            return body.period
    return None


def _over(suggestion: Suggestion, course: Course, when: str) -> Suggestion:
    """The suggestion marked as over: its snap would only follow if the game were not over."""
    home, away = course.points(course.home), course.points(course.away)
    if home == away:
        score = f"{home} to {away}, a tie"
    elif home > away:
        score = f"{course.home} wins {home} to {away}"
    else:
        score = f"{course.away} wins {away} to {home}"
    lead = f"{when}: the game is over" if when else "The game is over"
    return replace(suggestion, over=True, check=True, choices=(), why=f"{lead}, {score}.")
