"""Sentences of the prediction pages: reasons for points, states and corrections. Pure.

`points.words` describes the rule of a tournament.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from app.predictions import points
from app.predictions.pages.queries import MatchRow, OwnGuess
from app.predictions.points import WHOLE, GuessKind, Terms
from app.predictions.statuses import ABANDONED, ENDED, NOT_DEFINED, POSTPONED, VOID

SCORE_AWAITED = "Score pending"
AWAITED_OUTLOOK = "Waiting for the official score. Points follow."


@dataclass(frozen=True)
class Reason:
    """One reason for points. `points` are hundredths, or 0 if it says why there are none."""

    text: str
    points: int


def amount(hundredths: int) -> str:
    """Format hundredths as a number without trailing zeros.

    >>> amount(100), amount(50), amount(325), amount(0)
    ('1', '0.5', '3.25', '0')
    """
    return f"{hundredths / WHOLE:.2f}".rstrip("0").rstrip(".")


def amount_words(hundredths: int) -> str:
    """Return an amount of points in words.

    >>> amount_words(100), amount_words(150)
    ('1 point', '1.5 points')
    """
    return f"{amount(hundredths)} point" + ("" if hundredths == WHOLE else "s")


def guess(guess: OwnGuess, kind: GuessKind, match: MatchRow) -> str:
    """Return a guess as its member says it: "17–24", "Harbor", "Harbor for 7"."""
    if kind == GuessKind.SCORES:
        return points.pair(guess.home, guess.away, is_away_first=match.is_away_first)
    if guess.home == guess.away:
        team = "a draw"
    else:
        team = (match.home if guess.home > guess.away else match.away).name
    return team if guess.confidence is None else f"{team} for {guess.confidence}"


def reasons(guess: OwnGuess, terms: Terms) -> list[Reason]:
    """Explain the result of `points.earned` part by part.

    The parts and the multiplier add up to its total.
    """
    home, away, rule = guess.home, guess.away, terms.rule
    earned = points.earned(home, away, terms, guess.confidence or 1)
    off = points.distance(home, away, terms)
    both_off = abs(home - terms.home) + abs(away - terms.away)
    outcome = "Right winner" if terms.outcome else "Draw, as predicted"
    if terms.shootout:
        outcome = "Right winner, on penalties"
    if guess.confidence is not None:
        outcome = f"{outcome}, confidence {guess.confidence}"
    parts = [
        Reason("Both scores right", earned.exact),
        Reason(f"{outcome}, scores off by {both_off} in total", earned.close),
        Reason(outcome, earned.winner),
        Reason(
            "Winning margin right" if off == 0 else f"Winning margin off by {off}", earned.margin
        ),
        Reason("Closest margin of everyone", earned.closest),
    ]
    parts = [part for part in parts if part.points]
    if parts and terms.multiplier != WHOLE:
        parts.append(Reason(f"Points ×{amount(terms.multiplier)} in this round", 0))
    if parts:
        return parts
    if points.is_right(home, away, terms):
        too_little = "" if rule.guess != GuessKind.SCORES else ", but scores too far off"
        return [Reason(f"{outcome}{too_little}", 0)]
    wrong = "Wrong winner" if terms.outcome else "It was a draw"
    if terms.shootout and home == away:
        wrong = "Not a draw: decided on penalties"
    return [Reason(f"{wrong}, margin off by {off}" if rule.margin else wrong, 0)]


def outlook(status: str, fate: str | None, kickoff: datetime | None) -> str:
    """Say what a match that is not played as planned means for the guess; '' for any other."""
    if fate == POSTPONED:
        return "Postponed. Your pick is kept, and you can change it until the new kickoff."
    if fate == ABANDONED:
        return "Abandoned. No points unless a result is awarded later."
    if fate == VOID:
        return "Called off. No points for this match. The round is complete without it."
    if status == NOT_DEFINED:
        return "It isn't clear yet whether this match will be played. Your pick is kept."
    if kickoff is None:
        return "Kickoff time to be announced. You can change your pick until then."
    return ""


def state(status: str, fate: str | None, kickoff: datetime | None, now: datetime) -> str:
    """Return the state of a match in a word or two.

    >>> moment = datetime(2026, 9, 10, 17, tzinfo=UTC)
    >>> state("open", None, moment, moment), state("ended", None, moment, moment)
    ('Live', 'Final')
    >>> state("open", None, None, moment)
    'No kickoff yet'
    """
    if fate is not None:
        return {POSTPONED: "Postponed", ABANDONED: "Abandoned", VOID: "Called off"}[fate]
    if status == ENDED:
        return "Final"
    if status == NOT_DEFINED:
        return "To be confirmed"
    if kickoff is None:
        return "No kickoff yet"
    return "Live" if kickoff <= now else moment_words(kickoff)


def moment_words(moment: datetime) -> str:
    """Format a moment in UTC, to the minute.

    >>> moment_words(datetime(2026, 9, 10, 17, 5, tzinfo=UTC))
    'Thu 10 Sep, 17:05 UTC'
    """
    there = moment.astimezone(UTC)
    return f"{there:%a} {there.day} {there:%b}, {there:%H:%M} UTC"


def missing_pick(*, is_picked: bool, is_out: bool, is_open: bool) -> str:
    """Say whether a survivor still has to pick a team of the round.

    >>> missing_pick(is_picked=False, is_out=False, is_open=True)
    'Pick one team'
    """
    if is_picked:
        return "Picked"
    if is_out or not is_open:
        return "No open picks"
    return "Pick one team"


def missing(count: int, of: int) -> str:
    """Say how many of the open matches still lack a guess.

    >>> missing(0, 0), missing(0, 3), missing(1, 3), missing(2, 3)
    ('No open picks', 'All 3 picks made', '1 pick missing', '2 picks missing')
    """
    if not of:
        return "No open picks"
    if not count:
        return "Pick made" if of == 1 else f"All {of} picks made"
    return f"{count} pick{'' if count == 1 else 's'} missing"


def correction(before: Terms | None, after: Terms | None, *, is_away_first: bool = False) -> str:
    """Return a sentence on how a result changed.

    >>> rule = points.PRESETS["winner"]
    >>> correction(Terms(2, 1, rule), Terms(2, 2, rule))
    'The result was corrected from 2–1 to 2–2.'
    """
    old, new = (
        "" if terms is None else points.result_words(terms, is_away_first=is_away_first)
        for terms in (before, after)
    )
    if before is None:
        return f"It ended {new}." if new else ""
    if after is None:
        return f"The result {old} was withdrawn."
    if (before.home, before.away, before.shootout) != (after.home, after.away, after.shootout):
        return f"The result was corrected from {old} to {new}."
    return f"The result is still {new}. Points were recalculated."
