"""How statistics become fantasy points: frozen tables, one a preset, in thousandths of a point.

Lives here: the presets and the sum. Not here: what counts as which statistic (record/rules/stat_lines.py).
Source: nflverse's fantasy_points and fantasy_points_ppr; Yahoo's default from its help pages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """Points that do not follow the amount unit by unit, in thousandths, for these positions (none named: for all).

    `every`: for each whole so many of it (every 3 saves). `at_least`: once, from so much on (60 minutes).
    """

    stat: str
    points: int
    positions: tuple[str, ...] = ()
    every: int = 1
    at_least: int = 0

    def worth(self, amount: int, position: str) -> int:
        if self.positions and position not in self.positions:
            return 0
        if self.at_least:
            return self.points if amount >= self.at_least else 0
        return amount // self.every * self.points


@dataclass(frozen=True)
class ScoringRules:
    """`milli_points`: thousandths of a point for one unit of a statistic; `steps`: what is not so simple.

    What is not named counts nothing. `sport`: whose statistics these are.
    """

    name: str
    title: str
    milli_points: Mapping[str, int]
    steps: tuple[Step, ...] = ()
    sport: str = "football"


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

# Kickers as Yahoo counts them, and individual defence by the numbers that most leagues use (no official source).
_KICKER = {name: points for name, points in YAHOO.milli_points.items() if name.startswith(("fg_", "pat_"))}
_DEFENDER = {
    "tackles_solo": 1000,
    "tackles_with_assist": 1000,
    "tackle_assists": 500,
    "half_sacks": 1000,
    "tackles_for_loss": 500,
    "qb_hits": 500,
    "interceptions_made": 3000,
    "passes_defended": 1000,
    "fumbles_forced": 2000,
    "fumbles_recovered_opp": 2000,
    "def_tds": 6000,
    "safeties": 2000,
    "kicks_blocked": 2000,
    "def_2pt": 2000,
}
HALF_PPR_IDP = ScoringRules(
    "half_ppr_idp", "Half a point a catch, kickers and defenders", {**HALF_PPR.milli_points, **_KICKER, **_DEFENDER}
)

# Fantasy Premier League, 2025/26. `clean_sheets`: of those who played 60 minutes, as its data has it;
# `defensive_contribution`: clearances, blocks, interceptions, tackles, and from midfield on recoveries too.
SOCCER = ScoringRules(
    "soccer",
    "Soccer, after Fantasy Premier League",
    {
        "assists": 3000,
        "penalties_saved": 5000,
        "penalties_missed": -2000,
        "own_goals": -2000,
        "yellow_cards": -1000,
        "red_cards": -3000,
        "bonus": 1000,
    },
    (
        Step("minutes", 1000, at_least=1),
        Step("minutes", 1000, at_least=60),
        Step("goals", 10000, ("GK",)),
        Step("goals", 6000, ("DEF",)),
        Step("goals", 5000, ("MID",)),
        Step("goals", 4000, ("FWD",)),
        Step("clean_sheets", 4000, ("GK", "DEF")),
        Step("clean_sheets", 1000, ("MID",)),
        Step("saves", 1000, ("GK",), every=3),
        Step("defensive_contribution", 2000, ("DEF",), at_least=10),
        Step("defensive_contribution", 2000, ("MID", "FWD"), at_least=12),
        Step("goals_conceded", -1000, ("GK", "DEF"), every=2),
    ),
    sport="soccer",
)

PRESETS: Mapping[str, ScoringRules] = {
    rules.name: rules for rules in (STANDARD, HALF_PPR, PPR, YAHOO, HALF_PPR_IDP, SOCCER)
}


def credit_points(stat: str, amount: int, rules: ScoringRules) -> int:
    """What one credit is worth, in thousandths. Rules without steps: these add up to the player's points.

    >>> credit_points("passing_yards", 25, STANDARD)
    1000
    """
    return rules.milli_points.get(stat, 0) * amount


def points(stats: Mapping[str, int], rules: ScoringRules, position: str = "") -> int:
    """A stat line's points in thousandths; may be negative. `position`: the player's, for steps that ask for it.

    Worked example: 87 rushing yards, a rushing touchdown, 5 catches for 41 yards and a fumble lost on a run are
    8.7 + 6 + 4.1 - 2 = 16.80 by `standard` and 21.80 by `ppr`.

    >>> points({"passing_interceptions": 3}, STANDARD)
    -6000
    >>> points({"minutes": 90, "goals": 1, "clean_sheets": 1, "goals_conceded": 0}, SOCCER, "DEF")
    12000
    """
    linear = sum(credit_points(stat, amount, rules) for stat, amount in stats.items())
    return linear + sum(step.worth(stats.get(step.stat, 0), position) for step in rules.steps)
