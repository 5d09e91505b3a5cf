"""What stands in for a position's games before a season, and the one before it, have any. Pure.

The lines of football are the means of everybody with a stat line in the first gameweek of the NFL
season 2019 (`python -m benchmarks.projections --typical`). They are worth what the league's own
scoring gives for them. In soccer a typical player is on the field for the whole match.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from app.fantasy.projections.rules import Figures, family_of
from app.fantasy.scoring.rules import ScoringRules, credit_points, points

GAMES = 100


@dataclass(frozen=True)
class TypicalLine:
    """A position's statistics in GAMES games.

    `deviation`: the standard deviation of a game's points as a share of their mean.
    """

    stats: Mapping[str, int]
    deviation: float


_FOOTBALL: Mapping[str, TypicalLine] = MappingProxyType(
    {
        "QB": TypicalLine(
            {
                "passing_yards": 22_272,
                "passing_tds": 152,
                "passing_interceptions": 55,
                "passing_2pt": 8,
                "completions": 1_912,
                "attempts": 2_858,
                "carries": 222,
                "rushing_yards": 725,
                "rushing_tds": 8,
                "fumbles_lost": 20,
                "fumbles_lost_scoring": 20,
            },
            0.62,
        ),
        "RB": TypicalLine(
            {
                "carries": 738,
                "rushing_yards": 3_361,
                "rushing_tds": 21,
                "rushing_2pt": 2,
                "targets": 249,
                "receptions": 194,
                "receiving_yards": 1_556,
                "receiving_tds": 7,
                "fumbles_lost": 3,
                "fumbles_lost_scoring": 3,
            },
            1.03,
        ),
        "WR": TypicalLine(
            {
                "targets": 485,
                "receptions": 315,
                "receiving_yards": 4_274,
                "receiving_tds": 31,
                "carries": 12,
                "rushing_yards": 52,
                "fumbles_lost": 4,
            },
            0.97,
        ),
        "TE": TypicalLine(
            {
                "targets": 347,
                "receptions": 250,
                "receiving_yards": 2_684,
                "receiving_tds": 17,
                "fumbles_lost": 2,
            },
            1.05,
        ),
        "K": TypicalLine(
            {
                "fg_att": 184,
                "fg_made": 155,
                "fg_made_0_19": 3,
                "fg_made_20_29": 45,
                "fg_made_30_39": 48,
                "fg_made_40_49": 39,
                "fg_made_50_59": 19,
                "fg_missed": 29,
                "pat_att": 261,
                "pat_made": 252,
            },
            0.58,
        ),
        "DST": TypicalLine(
            {
                "dst_sacks": 250,
                "dst_interceptions": 69,
                "dst_fumble_recoveries": 59,
                "dst_touchdowns": 16,
                "dst_safeties": 6,
                "dst_kicks_blocked": 6,
                "dst_allowed_1_6": 6,
                "dst_allowed_7_13": 19,
                "dst_allowed_14_17": 9,
                "dst_allowed_18_20": 6,
                "dst_allowed_21_27": 25,
                "dst_allowed_28_34": 22,
                "dst_allowed_35_45": 9,
                "dst_allowed_46_plus": 3,
                "dst_yards_200_299": 25,
                "dst_yards_300_349": 22,
                "dst_yards_350_399": 16,
                "dst_yards_400_449": 16,
                "dst_yards_450_499": 16,
                "dst_yards_500_549": 3,
                "dst_yards_550_plus": 3,
            },
            1.06,
        ),
        "DL": TypicalLine(
            {
                "tackles_solo": 128,
                "tackles_with_assist": 12,
                "tackle_assists": 101,
                "tackles_assist": 114,
                "tackles_for_loss": 35,
                "half_sacks": 49,
                "qb_hits": 64,
                "passes_defended": 11,
                "interceptions_made": 1,
                "fumbles_forced": 4,
                "fumbles_recovered_opp": 4,
            },
            0.84,
        ),
        "LB": TypicalLine(
            {
                "tackles_solo": 262,
                "tackles_with_assist": 18,
                "tackle_assists": 128,
                "tackles_assist": 146,
                "tackles_for_loss": 36,
                "half_sacks": 39,
                "qb_hits": 41,
                "passes_defended": 19,
                "interceptions_made": 3,
                "fumbles_forced": 8,
                "fumbles_recovered_opp": 2,
                "def_tds": 1,
            },
            0.77,
        ),
        "DB": TypicalLine(
            {
                "tackles_solo": 282,
                "tackles_with_assist": 11,
                "tackle_assists": 90,
                "tackles_assist": 101,
                "tackles_for_loss": 12,
                "half_sacks": 7,
                "qb_hits": 8,
                "passes_defended": 42,
                "interceptions_made": 7,
                "fumbles_forced": 1,
                "fumbles_recovered_opp": 4,
                "def_tds": 2,
            },
            0.74,
        ),
    }
)
_SOCCER_LINE = {"minutes": 90}
_SOCCER_DEVIATION = 1.0  # Of the points of players in soccer: no record is at hand to measure it.


def typical_figures(position: str, rules: ScoringRules) -> Figures:
    """One game of a typical player of the position under these rules.

    A position without a line is worth nothing.
    """
    if rules.sport == "soccer":
        mean: float = points(_SOCCER_LINE, rules, position)
        deviation = _SOCCER_DEVIATION
    else:
        line = _FOOTBALL.get(family_of(position))
        if line is None:
            return Figures(0, 0, 0)
        mean = (
            sum(credit_points(stat, amount, rules) for stat, amount in line.stats.items()) / GAMES
        )
        deviation = line.deviation
    return Figures(1, mean, mean**2 * (1 + deviation**2))
