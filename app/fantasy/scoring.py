"""How statistics become fantasy points: frozen tables, one a preset, in thousandths of a point.

Lives here: the presets and the sum. Not here: what counts as which statistic (record/statlines.py).
Source: nflverse's fantasy_points and fantasy_points_ppr; Yahoo's default from its help pages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class ScoringRules:
    """`milli_points`: thousandths of a point for one unit of a statistic. What is not named counts nothing."""

    name: str
    title: str
    milli_points: Mapping[str, int]


_NFLVERSE = {
    "passing_yards": 40,
    "passing_tds": 4000,
    "passing_interceptions": -2000,
    "passing_2pt": 2000,
    "rushing_yards": 100,
    "rushing_tds": 6000,
    "rushing_2pt": 2000,
    "receiving_yards": 100,
    "receiving_tds": 6000,
    "receiving_2pt": 2000,
    "special_teams_tds": 6000,
    "fumbles_lost_scoring": -2000,
}

STANDARD = ScoringRules("standard", "Standard", _NFLVERSE)
HALF_PPR = ScoringRules("half_ppr", "Half a point a catch", _NFLVERSE | {"receptions": 500})
PPR = ScoringRules("ppr", "A point a catch", _NFLVERSE | {"receptions": 1000})

# Yahoo's players; its teams on defence score as teams, so that defensive statistics are not in it.
YAHOO = ScoringRules(
    "yahoo",
    "Yahoo default",
    {
        "passing_yards": 40,
        "passing_tds": 4000,
        "passing_interceptions": -1000,
        "passing_2pt": 2000,
        "rushing_yards": 100,
        "rushing_tds": 6000,
        "rushing_2pt": 2000,
        "receptions": 500,
        "receiving_yards": 100,
        "receiving_tds": 6000,
        "receiving_2pt": 2000,
        "special_teams_tds": 6000,
        "own_fumble_recovery_tds": 6000,
        "fumbles_lost": -2000,
        "fg_made_0_19": 3000,
        "fg_made_20_29": 3000,
        "fg_made_30_39": 3000,
        "fg_made_40_49": 4000,
        "fg_made_50_59": 5000,
        "fg_made_60_plus": 5000,
        "pat_made": 1000,
    },
)

PRESETS: Mapping[str, ScoringRules] = {rules.name: rules for rules in (STANDARD, HALF_PPR, PPR, YAHOO)}


def credit_points(stat: str, amount: int, rules: ScoringRules) -> int:
    """What one credit is worth, in thousandths. The rules are linear: these add up to the player's points.

    >>> credit_points("passing_yards", 25, STANDARD)
    1000
    """
    return rules.milli_points.get(stat, 0) * amount


def points(stats: Mapping[str, int], rules: ScoringRules) -> int:
    """A stat line's points in thousandths; may be negative.

    Worked example: 87 rushing yards, a rushing touchdown, 5 catches for 41 yards and a fumble lost on a run are
    8.7 + 6 + 4.1 - 2 = 16.80 by `standard` and 21.80 by `ppr`.

    >>> points({"passing_interceptions": 3}, STANDARD)
    -6000
    """
    return sum(credit_points(stat, amount, rules) for stat, amount in stats.items())
