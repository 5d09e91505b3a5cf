"""The statistics that can earn points, with their words. Pure.

To add a statistic, add a line here, so that commissioners can set its points; add it to a preset
(rules.py) if it should count by default. A test refuses a statistic that the record does not have:
its names are in record/rules/statistics.py, its rules in stat_lines.py beside it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from app.record.rules.statistics import LEVEL_STATS

# The part of a team whose work a statistic is. What a footballer does besides (a tackle by a
# receiver) counts too.
Unit = Literal["offence", "kicking", "defence", "team defence", "soccer"]


@dataclass(frozen=True)
class Statistic:
    """A statistic.

    `words`: a unit of it, as forms show it. `is_offered`: commissioners may set its points.
    """

    name: str
    words: str
    unit: Unit = "offence"
    is_offered: bool = True

    @property
    def sport(self) -> str:
        """The sport in which the statistic is counted."""
        return "soccer" if self.unit == "soccer" else "football"


# In the order in which they are listed everywhere.
_ALL = (
    Statistic("passing_tds", "Passing touchdown"),
    Statistic("passing_yards", "Passing yard"),
    Statistic("passing_interceptions", "Interception thrown"),
    Statistic("passing_2pt", "Two-point pass"),
    Statistic("rushing_yards", "Rushing yard"),
    Statistic("rushing_tds", "Rushing touchdown"),
    Statistic("rushing_2pt", "Two-point run"),
    Statistic("receptions", "Catch"),
    Statistic("receiving_yards", "Receiving yard"),
    Statistic("receiving_tds", "Receiving touchdown"),
    Statistic("receiving_2pt", "Two-point catch"),
    Statistic("special_teams_tds", "Return touchdown"),
    Statistic("fumbles_lost_scoring", "Fumble lost"),
    Statistic("fumbles_lost", "Fumble lost (any)"),
    Statistic("own_fumble_recovery_tds", "Own fumble recovery touchdown"),
    Statistic("fg_made_0_19", "Field goal, under 20 yards", "kicking"),
    Statistic("fg_made_20_29", "Field goal, 20 to 29 yards", "kicking"),
    Statistic("fg_made_30_39", "Field goal, 30 to 39 yards", "kicking"),
    Statistic("fg_made_40_49", "Field goal, 40 to 49 yards", "kicking"),
    Statistic("fg_made_50_59", "Field goal, 50 to 59 yards", "kicking"),
    Statistic("fg_made_60_plus", "Field goal, 60 yards or more", "kicking"),
    Statistic("fg_missed", "Field goal missed", "kicking"),
    Statistic("fg_blocked", "Field goal blocked", "kicking"),
    Statistic("pat_made", "Extra point", "kicking"),
    Statistic("tackles_solo", "Solo tackle", "defence"),
    Statistic("tackles_with_assist", "Tackle with an assist", "defence"),
    Statistic("tackle_assists", "Tackle assist", "defence"),
    Statistic("half_sacks", "Half sack", "defence"),
    Statistic("tackles_for_loss", "Tackle for loss", "defence"),
    Statistic("qb_hits", "Quarterback hit", "defence"),
    Statistic("interceptions_made", "Interception made", "defence"),
    Statistic("passes_defended", "Pass defended", "defence"),
    Statistic("fumbles_forced", "Forced fumble", "defence"),
    Statistic("fumbles_recovered_opp", "Fumble recovery", "defence"),
    Statistic("def_tds", "Defensive touchdown", "defence"),
    Statistic("safeties", "Safety", "defence"),
    Statistic("kicks_blocked", "Blocked kick", "defence"),
    Statistic("def_2pt", "Defensive two-point return", "defence"),
    Statistic("dst_sacks", "D/ST: sack", "team defence"),
    Statistic("dst_interceptions", "D/ST: interception", "team defence"),
    Statistic("dst_fumble_recoveries", "D/ST: fumble recovery", "team defence"),
    Statistic("dst_touchdowns", "D/ST: touchdown", "team defence"),
    Statistic("dst_safeties", "D/ST: safety", "team defence"),
    Statistic("dst_one_point_safeties", "D/ST: one-point safety", "team defence"),
    Statistic("dst_kicks_blocked", "D/ST: blocked kick", "team defence"),
    Statistic("dst_two_points", "D/ST: two-point return", "team defence"),
    Statistic("dst_points_allowed", "D/ST: point allowed", "team defence"),
    Statistic("dst_allowed_0", "D/ST: no points allowed", "team defence"),
    Statistic("dst_allowed_1_6", "D/ST: 1 to 6 points allowed", "team defence"),
    Statistic("dst_allowed_7_13", "D/ST: 7 to 13 points allowed", "team defence"),
    Statistic("dst_allowed_14_17", "D/ST: 14 to 17 points allowed", "team defence"),
    Statistic("dst_allowed_18_20", "D/ST: 18 to 20 points allowed", "team defence"),
    Statistic("dst_allowed_21_27", "D/ST: 21 to 27 points allowed", "team defence"),
    Statistic("dst_allowed_28_34", "D/ST: 28 to 34 points allowed", "team defence"),
    Statistic("dst_allowed_35_45", "D/ST: 35 to 45 points allowed", "team defence"),
    Statistic("dst_allowed_46_plus", "D/ST: 46 points allowed or more", "team defence"),
    Statistic("dst_yards_allowed", "D/ST: yard allowed", "team defence"),
    Statistic("dst_yards_under_100", "D/ST: under 100 yards allowed", "team defence"),
    Statistic("dst_yards_100_199", "D/ST: 100 to 199 yards allowed", "team defence"),
    Statistic("dst_yards_200_299", "D/ST: 200 to 299 yards allowed", "team defence"),
    Statistic("dst_yards_300_349", "D/ST: 300 to 349 yards allowed", "team defence"),
    Statistic("dst_yards_350_399", "D/ST: 350 to 399 yards allowed", "team defence"),
    Statistic("dst_yards_400_449", "D/ST: 400 to 449 yards allowed", "team defence"),
    Statistic("dst_yards_450_499", "D/ST: 450 to 499 yards allowed", "team defence"),
    Statistic("dst_yards_500_549", "D/ST: 500 to 549 yards allowed", "team defence"),
    Statistic("dst_yards_550_plus", "D/ST: 550 yards allowed or more", "team defence"),
    Statistic("carries", "Carry", is_offered=False),
    # Soccer
    Statistic("assists", "Assist", "soccer"),
    Statistic("penalties_saved", "Penalty saved", "soccer"),
    Statistic("penalties_missed", "Penalty missed", "soccer"),
    Statistic("own_goals", "Own goal", "soccer"),
    Statistic("yellow_cards", "Yellow card", "soccer"),
    Statistic("red_cards", "Red card", "soccer"),
    Statistic("bonus", "Bonus point", "soccer"),
    Statistic("minutes", "Minute", "soccer", is_offered=False),
    Statistic("goals", "Goal", "soccer", is_offered=False),
    Statistic("clean_sheets", "Clean sheet", "soccer", is_offered=False),
    Statistic("saves", "Save", "soccer", is_offered=False),
    Statistic("defensive_contribution", "Defensive action", "soccer", is_offered=False),
    Statistic("goals_conceded", "Goal conceded", "soccer", is_offered=False),
)
STATISTICS: dict[str, Statistic] = {statistic.name: statistic for statistic in _ALL}


def stat_words(stat: str) -> str:
    """The name of a statistic for people.

    >>> stat_words("receptions"), stat_words("punt_returns")
    ('Catch', 'Punt returns')
    """
    return STATISTICS[stat].words if stat in STATISTICS else stat.replace("_", " ").capitalize()


def counted(stat: str, amount: int) -> str:
    """The amount with its statistic in words.

    >>> counted("receptions", 1), counted("receiving_yards", 40)
    ('catch', '40 receiving yards')
    >>> counted("receiving_yards", 1)
    '1 receiving yard'
    >>> counted("dst_sacks", 1), counted("dst_sacks", 2)
    ('sack', '2 sacks')
    >>> counted("rushing_tds", -1), counted("dst_allowed_1_6", -1)
    ('-1 rushing touchdown', 'no longer 1 to 6 points allowed')
    """
    if abs(amount) == 1 and stat.endswith("_yards"):
        return f"{amount} {stat.removesuffix('s').replace('_', ' ')}"
    if abs(amount) == 1:
        words = stat_words(stat).removeprefix("D/ST: ").lower()
        taken_away = f"no longer {words}" if stat in LEVEL_STATS else f"-1 {words}"
        return words if amount == 1 else taken_away
    return f"{amount} {stat.removeprefix('dst_').replace('_', ' ')}"


def kind_of(stat: str) -> str:
    """The side of the game that the statistic belongs to, as people call it.

    >>> [kind_of(stat) for stat in ("passing_yards", "receptions", "pat_made")]
    ['Passing', 'Receiving', 'Kicking']
    >>> [kind_of(stat) for stat in ("tackles_solo", "fumbles_lost", "bonus")]
    ['Defense', 'Turnovers', 'Other']
    """
    return next((kind for kind, starts in _KINDS if stat.startswith(starts)), "Other")


# A statistic belongs to the first kind with a prefix that its name begins with.
_KINDS = (
    ("Passing", ("passing_",)),
    ("Rushing", ("rushing_", "carries")),
    ("Receiving", ("receptions", "receiving_")),
    ("Returns", ("special_teams_", "punt_return", "kick_return", "kickoff_return")),
    ("Kicking", ("fg_", "pat_")),
    ("Points and yards allowed", ("dst_points_", "dst_allowed_", "dst_yards_")),
    ("Team defense", ("dst_",)),
    ("Turnovers", ("fumbles_lost",)),
    (
        "Defense",
        (
            "tackle",
            "half_sacks",
            "qb_hits",
            "interceptions_made",
            "passes_defended",
            "fumbles_",
            "def_",
            "safeties",
            "kicks_blocked",
            "team_",
        ),
    ),
)


def in_order(stats: Collection[str]) -> list[str]:
    """The statistics in the order in which they are listed everywhere: those with words first."""
    known = [stat for stat in STATISTICS if stat in stats]
    return known + sorted(set(stats) - set(known))


def stats_offered(sport: str) -> list[str]:
    """The statistics whose points a commissioner may set."""
    return [
        statistic.name
        for statistic in STATISTICS.values()
        if statistic.sport == sport and statistic.is_offered
    ]
