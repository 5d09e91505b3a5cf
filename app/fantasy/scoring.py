"""How many points is a stat worth? Scoring is a table: frozen data, stat -> thousandths of a point.

Source: nflverse's current rule (fantasy_points, fantasy_points_ppr), ANCHORS e1; Yahoo's default, ANCHORS e2.
All rules are linear, so the points of a stat line are the sum of the points of its credits, exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class ScoringRules:
    """`milli`: thousandths of a point for one unit of a stat (names in app/record/statlines.py)."""

    name: str
    title: str
    milli: Mapping[str, int]


_STANDARD = {
    "passing_yards": 40,  # a point for 25 yards
    "passing_tds": 4_000,
    "passing_interceptions": -2_000,
    "rushing_yards": 100,
    "rushing_tds": 6_000,
    "receiving_yards": 100,
    "receiving_tds": 6_000,
    "special_teams_tds": 6_000,
    "passing_2pt": 2_000,
    "rushing_2pt": 2_000,
    "receiving_2pt": 2_000,
    "fumbles_lost_scoring": -2_000,
}


def _preset(name: str, title: str, **changes: int) -> ScoringRules:
    return ScoringRules(name, title, MappingProxyType(_STANDARD | changes))


PRESETS: Mapping[str, ScoringRules] = MappingProxyType(
    {
        rules.name: rules
        for rules in (
            _preset("standard", "Standard"),
            _preset("half_ppr", "Half PPR", receptions=500),
            _preset("ppr", "PPR", receptions=1_000),
        )
    }
)


def points(stats: Mapping[str, int], rules: ScoringRules) -> int:
    """Thousandths of a point for a stat line; stats that the rules do not name are worth nothing.

    >>> points({"passing_yards": 250, "passing_tds": 2, "passing_interceptions": 1, "rushing_yards": 20},
    ...        PRESETS["standard"])
    18000
    """
    return sum(credit_points(stat, amount, rules) for stat, amount in stats.items())


def credit_points(stat: str, amount: int, rules: ScoringRules) -> int:
    """Thousandths of a point for one credit.

    >>> credit_points("rushing_yards", 40, PRESETS["standard"])
    4000
    """
    return rules.milli.get(stat, 0) * amount
