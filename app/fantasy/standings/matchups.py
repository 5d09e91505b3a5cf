"""What a head-to-head game is worth: match points, and the average that a member without an
opponent plays against. Pure.

Not here: who plays whom (fixtures.py), tables (results.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from app.fantasy.standings.fixtures import Pair

WIN, DRAW, LOSS = 3, 1, 0


def match_points(scores: Mapping[int, int], pairs: Sequence[Pair]) -> dict[int, int]:
    """Three points for a win, one for a draw, none for a loss, by member. Who has no score has 0.

    >>> match_points({1: 9000, 2: 8000, 3: 8500}, [(1, 2), (3, None)])
    {1: 3, 2: 0, 3: 1}
    """
    average = average_points(scores, pairs)
    won: dict[int, int] = {}
    for home, away in pairs:
        mine = scores.get(home, 0)
        if away is None:
            won[home] = _result(mine, average)
        else:
            theirs = scores.get(away, 0)
            won[home], won[away] = _result(mine, theirs), _result(theirs, mine)
    return won


def average_points(scores: Mapping[int, int], pairs: Sequence[Pair]) -> Fraction:
    """What a member without an opponent plays against, in thousandths: the average of everybody in
    `pairs`, that member included, exact. Whoever joined after the pairs were made is not in it.

    >>> average_points({1: 10, 2: 20, 3: 31, 9: 999}, [(1, 2), (3, None)])
    Fraction(61, 3)
    """
    playing = [member for pair in pairs for member in pair if member is not None]
    return Fraction(sum(scores.get(member, 0) for member in playing), len(playing) or 1)


def _result(mine: int, theirs: int | Fraction) -> int:
    return WIN if mine > theirs else DRAW if mine == theirs else LOSS
