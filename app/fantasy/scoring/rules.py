"""How statistics become fantasy points: one frozen table per preset, in thousandths of a point.

What counts as which statistic is in record/rules/stat_lines.py. Sources: nflverse's fantasy_points
and fantasy_points_ppr; Yahoo's default settings from its help pages; ESPN's standard settings as
its leagues show them, and its page on D/ST scoring (decision 28).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """Points that are not proportional to the amount.

    Attributes:
        stat: The statistic.
        points: Thousandths.
        positions: Who earns them; empty: everybody.
        every: The points are for each full group of this size (every 3 saves).
        at_least: The points are earned once, from this amount on (60 minutes). 0: see `every`.
    """

    stat: str
    points: int
    positions: tuple[str, ...] = ()
    every: int = 1
    at_least: int = 0

    def worth(self, amount: int, position: str) -> int:
        """What this amount is worth to a footballer of the position, in thousandths."""
        if self.positions and position not in self.positions:
            return 0
        if self.at_least:
            return self.points if amount >= self.at_least else 0
        return amount // self.every * self.points


@dataclass(frozen=True)
class ScoringRules:
    """What each statistic is worth. Statistics that are not named are worth nothing.

    Attributes:
        name: The key of the rules.
        title: The name for people.
        milli_points: Thousandths of a point per unit of a statistic.
        steps: Points that are not proportional to an amount.
        sport: The sport of the statistics.
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
HALF_PPR = ScoringRules("half_ppr", "Half PPR", _NFLVERSE | {"receptions": 500})
PPR = ScoringRules("ppr", "PPR", _NFLVERSE | {"receptions": 1000})

# D/ST as both count it; the levels of points and yards allowed are each one's own.
_TEAM_DEFENCE = {
    "dst_sacks": 1000,
    "dst_interceptions": 2000,
    "dst_fumble_recoveries": 2000,
    "dst_touchdowns": 6000,
    "dst_safeties": 2000,
    "dst_kicks_blocked": 2000,
}
_YAHOO_LEVELS = {
    "dst_allowed_0": 10000,
    "dst_allowed_1_6": 7000,
    "dst_allowed_7_13": 4000,
    "dst_allowed_14_17": 1000,
    "dst_allowed_18_20": 1000,
    "dst_allowed_28_34": -1000,
    "dst_allowed_35_45": -4000,
    "dst_allowed_46_plus": -4000,
}
_ESPN_LEVELS = {
    "dst_allowed_0": 5000,
    "dst_allowed_1_6": 4000,
    "dst_allowed_7_13": 3000,
    "dst_allowed_14_17": 1000,
    "dst_allowed_28_34": -1000,
    "dst_allowed_35_45": -3000,
    "dst_allowed_46_plus": -5000,
    "dst_yards_under_100": 5000,
    "dst_yards_100_199": 3000,
    "dst_yards_200_299": 2000,
    "dst_yards_350_399": -1000,
    "dst_yards_400_449": -3000,
    "dst_yards_450_499": -5000,
    "dst_yards_500_549": -6000,
    "dst_yards_550_plus": -7000,
}

# Yahoo's teams on defence score as teams: it has no default numbers for single defenders.
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
        **_TEAM_DEFENCE,
        **_YAHOO_LEVELS,
    },
)
# ESPN's standard scoring without points for catches. Fractions of a point for yards; it has no
# default for defenders.
ESPN = ScoringRules(
    "espn",
    "ESPN standard",
    {stat: points for stat, points in _NFLVERSE.items() if stat != "fumbles_lost_scoring"}
    | {
        "own_fumble_recovery_tds": 6000,
        "fumbles_lost": -2000,
        "fg_made_0_19": 3000,
        "fg_made_20_29": 3000,
        "fg_made_30_39": 3000,
        "fg_made_40_49": 4000,
        "fg_made_50_59": 5000,
        "fg_made_60_plus": 5000,
        "fg_missed": -1000,
        "fg_blocked": -1000,
        "pat_made": 1000,
        **_TEAM_DEFENCE,
        "dst_one_point_safeties": 1000,
        "dst_two_points": 2000,
        **_ESPN_LEVELS,
    },
)

# nflverse's scoring has neither kickers nor defence. With both: kickers and D/ST as Yahoo counts
# them, and individual defence by the numbers that most leagues use (no official source).
_KICKER = {
    name: points for name, points in YAHOO.milli_points.items() if name.startswith(("fg_", "pat_"))
}
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
_REST = _KICKER | _DEFENDER | _TEAM_DEFENCE | _YAHOO_LEVELS
STANDARD_IDP = ScoringRules(
    "standard_idp", "Standard, kickers and defense", {**STANDARD.milli_points, **_REST}
)
HALF_PPR_IDP = ScoringRules(
    "half_ppr_idp", "Half PPR, kickers and defense", {**HALF_PPR.milli_points, **_REST}
)
PPR_IDP = ScoringRules("ppr_idp", "PPR, kickers and defense", {**PPR.milli_points, **_REST})

# Fantasy Premier League, 2025/26. `clean_sheets`: of those who played 60 minutes, as its data has
# it; `defensive_contribution`: clearances, blocks, interceptions, tackles, and from midfield on
# recoveries too.
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
    rules.name: rules
    for rules in (STANDARD, HALF_PPR, PPR, YAHOO, ESPN, STANDARD_IDP, HALF_PPR_IDP, PPR_IDP, SOCCER)
}


def credit_points(stat: str, amount: int, rules: ScoringRules) -> int:
    """What one credit is worth, in thousandths.

    Under rules without steps, the credits of a player add up to their points.

    >>> credit_points("passing_yards", 25, STANDARD)
    1000
    """
    return rules.milli_points.get(stat, 0) * amount


def parts(stats: Mapping[str, int], rules: ScoringRules, position: str = "") -> dict[str, int]:
    """What each statistic is worth, in thousandths, without those that earn nothing.

    They add up to `points`.

    >>> parts({"receptions": 2, "receiving_yards": 31, "targets": 4}, PPR)
    {'receptions': 2000, 'receiving_yards': 3100}
    """
    worth = {stat: credit_points(stat, amount, rules) for stat, amount in stats.items()}
    for step in rules.steps:
        worth[step.stat] = worth.get(step.stat, 0) + step.worth(stats.get(step.stat, 0), position)
    return {stat: earned for stat, earned in worth.items() if earned}


def points(stats: Mapping[str, int], rules: ScoringRules, position: str = "") -> int:
    """A stat line's points in thousandths; may be negative.

    `position`: the player's; some steps count for some positions only.

    Worked example: 87 rushing yards, a rushing touchdown, 5 catches for 41 yards and a fumble lost
    on a run are 8.7 + 6 + 4.1 - 2 = 16.80 by `standard` and 21.80 by `ppr`.

    >>> points({"passing_interceptions": 3}, STANDARD)
    -6000
    >>> points({"minutes": 90, "goals": 1, "clean_sheets": 1, "goals_conceded": 0}, SOCCER, "DEF")
    12000
    """
    linear = sum(credit_points(stat, amount, rules) for stat, amount in stats.items())
    return linear + sum(step.worth(stats.get(step.stat, 0), position) for step in rules.steps)
