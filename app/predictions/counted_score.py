"""Decides which score of a match counts if it goes to extra time or penalties. Pure.

Each tournament declares which one; this module applies the declaration. Points are in points.py,
and the meaning of providers' status words is in statuses.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from app.predictions import statuses


class CountedScore(StrEnum):
    """The score that a tournament declares as the one that counts.

    The first two take the provider's single score, whatever it includes.
    """

    AS_GIVEN = "as_given"
    OVERTIME = "overtime"
    REGULATION = "regulation"
    EXTRA_TIME = "extra_time"
    SHOOTOUT = "shootout"

    @property
    def is_one_score(self) -> bool:
        """Whether the provider's single score counts, without looking at its parts."""
        return self in (CountedScore.AS_GIVEN, CountedScore.OVERTIME)


class Duration(StrEnum):
    """How far a match went, shortest first."""

    REGULATION = "regulation"
    EXTRA_TIME = "extra_time"
    SHOOTOUT = "shootout"


class Score(NamedTuple):
    """Goals or points of both teams."""

    home: int
    away: int

    def __str__(self) -> str:
        return f"{self.home}–{self.away}"


@dataclass(frozen=True)
class Parts:
    """The scores of a match as its provider gives them; None means not given.

    `final` is the single score that every provider gives. `extra_time` is the score of the whole
    match without the shoot-out. `shootout` counts only the kicks of the shoot-out.
    """

    final: Score | None
    duration: Duration = Duration.REGULATION
    regulation: Score | None = None
    extra_time: Score | None = None
    shootout: Score | None = None


@dataclass(frozen=True)
class Counted:
    """The score that counts; None while it is not known, and then `fault` says why."""

    score: Score | None
    fault: str = ""


RULES = {
    CountedScore.AS_GIVEN: (
        "If a match goes to extra time or penalties, the score from the data provider counts. It "
        "may or may not include them."
    ),
    CountedScore.OVERTIME: "Overtime counts: the final score is used.",
    CountedScore.REGULATION: (
        "The score after 90 minutes and stoppage time counts. Extra time and penalties do not."
    ),
    CountedScore.EXTRA_TIME: (
        "If a match goes to extra time, the score after extra time counts. Penalty shootouts "
        "don't: a draw stays a draw."
    ),
    CountedScore.SHOOTOUT: (
        "If a match goes to extra time, the score after extra time counts. If that is a draw, the "
        "winner of the penalty shootout wins. Shootout goals do not count."
    ),
}

_COUNTING = {
    CountedScore.AS_GIVEN: "The provider's score counts.",
    CountedScore.OVERTIME: "The final score counts.",
    CountedScore.REGULATION: "The score after 90 minutes counts.",
    CountedScore.EXTRA_TIME: "The score after extra time counts.",
    CountedScore.SHOOTOUT: (
        "The score after extra time counts, and a shootout decides the winner of a draw."
    ),
}


def furthest(*durations: str | None) -> Duration:
    """Return the longest of the known durations of a match; regulation if none is known."""
    order = list(Duration)
    return max(
        (Duration(duration) for duration in durations if duration is not None),
        key=order.index,
        default=Duration.REGULATION,
    )


def counted(declared: CountedScore, parts: Parts, provider_status: str) -> Counted:
    """Return the score that counts for a match with this status.

    An awarded score counts as it is.
    """
    if declared.is_one_score or statuses.is_awarded(provider_status):
        return Counted(parts.final)
    if declared == CountedScore.REGULATION:
        return _counted_after_regulation(parts)
    return _counted_after_extra_time(declared, parts, statuses.is_over(provider_status))


def _counted_after_regulation(parts: Parts) -> Counted:
    if parts.regulation is not None or parts.duration == Duration.REGULATION:
        return Counted(parts.regulation or parts.final)
    return Counted(None, _missing(parts, "the score after 90 minutes", "regulation"))


def _counted_after_extra_time(declared: CountedScore, parts: Parts, is_over: bool) -> Counted:
    if is_over and (fault := _contradiction(parts)):
        return Counted(None, fault)
    score = parts.extra_time
    if parts.duration != Duration.SHOOTOUT:
        score = score or parts.final
    if score is None:
        return Counted(None, _missing(parts, "the score after extra time", "afterExtraTime"))
    is_undecided = (
        declared == CountedScore.SHOOTOUT
        and is_over
        and parts.duration == Duration.SHOOTOUT
        and score.home == score.away
        and not _winner(parts.shootout)
    )
    if is_undecided:
        return Counted(None, _missing(parts, "the winner of the shootout", "shootout"))
    return Counted(score)


def shootout_winner(declared: CountedScore, score: Score, shootout: Score | None) -> int:
    """Return who wins a draw by the shoot-out: 1 the home team, -1 the away team, 0 neither."""
    if declared != CountedScore.SHOOTOUT or score.home != score.away:
        return 0
    return _winner(shootout)


def _winner(shootout: Score | None) -> int:
    return (
        0 if shootout is None else (shootout.home > shootout.away) - (shootout.home < shootout.away)
    )


def _missing(parts: Parts, what: str, field: str) -> str:
    if parts.final is None:
        return ""  # without any score there is another finding
    went_to = "penalties" if parts.duration == Duration.SHOOTOUT else "extra time"
    return (
        f"It went to {went_to} and {what} counts, but the provider doesn't send it. It should send "
        f"`{field}`."
    )


def _contradiction(parts: Parts) -> str:
    """Return why the parts of a finished match contradict each other; "" if they do not."""
    final, regulation, extra_time, shootout = (
        parts.final,
        parts.regulation,
        parts.extra_time,
        parts.shootout,
    )
    if (
        regulation
        and extra_time
        and (extra_time.home < regulation.home or extra_time.away < regulation.away)
    ):
        return (
            f"It is {regulation} after 90 minutes and {extra_time} after extra time. The provider "
            "should send the score of the whole match as `afterExtraTime`, not of extra time alone."
        )
    if final is None:
        return ""
    expected = {
        Duration.REGULATION: [regulation],
        Duration.EXTRA_TIME: [extra_time],
        Duration.SHOOTOUT: _finals_of_a_shootout(extra_time, shootout),
    }[parts.duration]
    known = [score for score in expected if score is not None]
    if not known or final in known:
        return ""
    return (
        f"The final score {final} contradicts {score_words(parts)}. The provider should send how "
        "far it went (`duration`) and correct the scores."
    )


def _finals_of_a_shootout(extra_time: Score | None, shootout: Score | None) -> list[Score | None]:
    """Return the final scores that providers may give after a shoot-out.

    Some leave the shoot-out out, some add all of its goals, and some add one goal for winning it.
    """
    if extra_time is None or shootout is None:
        return []
    winner = _winner(shootout)
    return [
        extra_time,
        Score(extra_time.home + shootout.home, extra_time.away + shootout.away),
        Score(extra_time.home + (winner > 0), extra_time.away + (winner < 0)),
    ]


def score_words(parts: Parts) -> str:
    """Describe each known score and the stage at which it stood.

    >>> score_words(Parts(None, Duration.SHOOTOUT, Score(1, 1), Score(2, 2), Score(4, 3)))
    '1–1 after 90 minutes, 2–2 after extra time, 4–3 on penalties'
    """
    labelled_scores = [
        (parts.regulation, "after 90 minutes"),
        (parts.extra_time, "after extra time"),
        (parts.shootout, "on penalties"),
    ]
    return ", ".join(f"{score} {when}" for score, when in labelled_scores if score is not None)


def explain(declared: CountedScore, parts: Parts) -> str:
    """Say how a match that went beyond regulation ended, and which score counts; else "".

    >>> explain(CountedScore.REGULATION, Parts(None, Duration.EXTRA_TIME, Score(1, 1), Score(2, 1)))
    '1–1 after 90 minutes, 2–1 after extra time. The score after 90 minutes counts.'
    >>> explain(CountedScore.AS_GIVEN, Parts(None, Duration.SHOOTOUT))
    "It went to penalties. The provider's score counts."
    """
    if parts.duration == Duration.REGULATION:
        return ""
    went_to = (
        "It went to penalties" if parts.duration == Duration.SHOOTOUT else "It went to extra time"
    )
    return f"{score_words(parts) or went_to}. {_COUNTING[declared]}"
