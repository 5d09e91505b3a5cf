"""Match points of head-to-head games, and the average that stands in for an opponent. Pure.

Who plays whom is in fixtures.py, tables are in results.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from app.fantasy.standings.fixtures import Pair

WIN, DRAW, LOSS = 3, 1, 0


def match_points(scores: Mapping[int, int], pairs: Sequence[Pair]) -> dict[int, int]:
    """Match points by member: three for a win, one for a draw, none for a loss.

    A member without a score has 0 points.

    >>> match_points({1: 9000, 2: 8000, 3: 8500}, [(1, 2), (3, None)])
    {1: 3, 2: 0, 3: 1}
    """
    average = average_points(scores, pairs)
    won: dict[int, int] = {}
    for home, away in pairs:
        home_score = scores.get(home, 0)
        if away is None:
            won[home] = _result(home_score, average)
        else:
            away_score = scores.get(away, 0)
            won[home] = _result(home_score, away_score)
            won[away] = _result(away_score, home_score)
    return won


def average_points(scores: Mapping[int, int], pairs: Sequence[Pair]) -> Fraction:
    """The exact average of everybody in `pairs`, in thousandths.

    A member without an opponent plays against it, and is included. Members who joined after the
    pairs were drawn are not.

    >>> average_points({1: 10, 2: 20, 3: 31, 9: 999}, [(1, 2), (3, None)])
    Fraction(61, 3)
    """
    playing = [member for pair in pairs for member in pair if member is not None]
    return Fraction(sum(scores.get(member, 0) for member in playing), len(playing) or 1)


def _result(score: int, opponent: int | Fraction) -> int:
    if score == opponent:
        return DRAW
    return WIN if score > opponent else LOSS
