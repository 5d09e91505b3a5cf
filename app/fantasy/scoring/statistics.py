"""The statistics that points can be given for, with their words: data for engine, forms, pages and explanations. Pure.

To score one more: add a line here, and commissioners may set it; add it to a preset (rules.py) where it should count by
default. What the record counts is in record/rules/stat_lines.py; a test refuses a line here that it does not know.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True)
class Statistic:
    """`words`: one of it, as a form says it. `is_offered`: a commissioner may set what one of it counts."""

    name: str
    words: str
    sport: str = "football"
    is_offered: bool = True


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
    Statistic("fumbles_lost", "Fumble lost, of any kind"),
    Statistic("own_fumble_recovery_tds", "Touchdown on an own fumble"),
    Statistic("fg_made_0_19", "Field goal, under 20 yards"),
    Statistic("fg_made_20_29", "Field goal, 20 to 29 yards"),
    Statistic("fg_made_30_39", "Field goal, 30 to 39 yards"),
    Statistic("fg_made_40_49", "Field goal, 40 to 49 yards"),
    Statistic("fg_made_50_59", "Field goal, 50 to 59 yards"),
    Statistic("fg_made_60_plus", "Field goal, 60 yards or more"),
    Statistic("pat_made", "Extra point"),
    Statistic("tackles_solo", "Solo tackle"),
    Statistic("tackles_with_assist", "Tackle with help"),
    Statistic("tackle_assists", "Assisted tackle"),
    Statistic("half_sacks", "Half a sack"),
    Statistic("tackles_for_loss", "Tackle for loss"),
    Statistic("qb_hits", "Hit on the passer"),
    Statistic("interceptions_made", "Interception made"),
    Statistic("passes_defended", "Pass defended"),
    Statistic("fumbles_forced", "Fumble forced"),
    Statistic("fumbles_recovered_opp", "Fumble recovered"),
    Statistic("def_tds", "Defensive touchdown"),
    Statistic("safeties", "Safety"),
    Statistic("kicks_blocked", "Kick blocked"),
    Statistic("def_2pt", "Two points by the defence"),
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
STATISTICS: dict[str, Statistic] = {one.name: one for one in _ALL}


def stat_words(stat: str) -> str:
    """
    >>> stat_words("receptions"), stat_words("punt_returns")
    ('Catch', 'Punt returns')
    """
    return STATISTICS[stat].words if stat in STATISTICS else stat.replace("_", " ").capitalize()


def counted(stat: str, amount: int) -> str:
    """
    >>> counted("receptions", 1), counted("receiving_yards", 40)
    ('catch', '40 receiving yards')
    """
    return stat_words(stat).lower() if amount == 1 else f"{amount} {stat.replace('_', ' ')}"


def in_order(stats: Collection[str]) -> list[str]:
    """The statistics as they are listed everywhere: those with words first."""
    known = [stat for stat in STATISTICS if stat in stats]
    return known + sorted(set(stats) - set(known))


def stats_offered(sport: str) -> list[str]:
    """The statistics whose points a commissioner may set."""
    return [one.name for one in STATISTICS.values() if one.sport == sport and one.is_offered]
