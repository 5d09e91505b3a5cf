"""The chance of winning of two teams, from what their players are expected to score. Pure.

What each player still scores is taken as normal and independent of the others. A player on both
sides counts with the difference of how often they count, so that equal line-ups are even. The
chance is exact once nothing is to come.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import erf, sqrt

# While anything is to come nobody is sure to win.
LEAST_CHANCE = 0.001
EVEN = 0.5


@dataclass(frozen=True)
class Side:
    """A side of a matchup.

    Attributes:
        points: What it is expected to have in the end, in thousandths.
        counts: How often each of its players counts, by id.
    """

    points: int | Fraction
    counts: Mapping[str, int | Fraction]


def average_side(sides: Sequence[Side]) -> Side:
    """The average of these sides, which stands in for an opponent; at least one."""
    counts: dict[str, int | Fraction] = {}
    for side in sides:
        for player, times in side.counts.items():
            counts[player] = counts.get(player, 0) + Fraction(times, len(sides))
    return Side(Fraction(sum(side.points for side in sides), len(sides)), counts)


def win_chance(first: Side, second: Side, variances: Mapping[str, float]) -> float:
    """The first side's chance of winning, from 0 to 1; a tie counts half.

    The second side's chance is the rest of 1.

    Args:
        first: The side whose chance it is.
        second: Its opponent.
        variances: How much each player's points may still change, by id, in thousandths squared;
            players without anything to come may be missing.

    >>> ahead, behind = Side(80_000, {"a": 2}), Side(76_000, {"b": 1})
    >>> round(win_chance(ahead, behind, {"a": 3_000_000.0, "b": 4_000_000.0}), 3)  # 4 points in 4
    0.841
    >>> win_chance(ahead, behind, {}), win_chance(behind, ahead, {})
    (1.0, 0.0)
    >>> win_chance(ahead, ahead, {"a": 3_000_000.0})
    0.5
    """
    lead = first.points - second.points
    variance = 0.0
    for player in first.counts.keys() | second.counts.keys():
        times = first.counts.get(player, 0) - second.counts.get(player, 0)
        variance += float(times) ** 2 * variances.get(player, 0.0)
    if not variance:
        return EVEN if not lead else float(lead > 0)
    chance = EVEN * (1 + erf(float(lead) / sqrt(2 * variance)))
    return min(max(chance, LEAST_CHANCE), 1 - LEAST_CHANCE)
