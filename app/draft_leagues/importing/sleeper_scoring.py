"""Sleeper's scoring settings as scoring rules of Pressbox. Pure.

Sleeper names what a unit of each statistic is worth (`pass_yd: 0.04`). Where it counts a range that
is two levels here, both get its points.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_SAME: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "pass_yd": ("passing_yards",),
        "pass_td": ("passing_tds",),
        "pass_int": ("passing_interceptions",),
        "pass_2pt": ("passing_2pt",),
        "rush_yd": ("rushing_yards",),
        "rush_td": ("rushing_tds",),
        "rush_2pt": ("rushing_2pt",),
        "rec": ("receptions",),
        "rec_yd": ("receiving_yards",),
        "rec_td": ("receiving_tds",),
        "rec_2pt": ("receiving_2pt",),
        "fum_lost": ("fumbles_lost",),
        "fum_rec_td": ("own_fumble_recovery_tds",),
        "st_td": ("special_teams_tds",),
        "fgm_0_19": ("fg_made_0_19",),
        "fgm_20_29": ("fg_made_20_29",),
        "fgm_30_39": ("fg_made_30_39",),
        "fgm_40_49": ("fg_made_40_49",),
        "fgm_50_59": ("fg_made_50_59",),
        "fgm_60p": ("fg_made_60_plus",),
        "fgm_50p": ("fg_made_50_59", "fg_made_60_plus"),
        "fgmiss": ("fg_missed", "fg_blocked"),
        "xpm": ("pat_made",),
        "sack": ("dst_sacks",),
        "int": ("dst_interceptions",),
        "fum_rec": ("dst_fumble_recoveries",),
        "def_td": ("dst_touchdowns",),
        "safe": ("dst_safeties",),
        "blk_kick": ("dst_kicks_blocked",),
        "def_2pt": ("dst_two_points",),
        "pts_allow_0": ("dst_allowed_0",),
        "pts_allow_1_6": ("dst_allowed_1_6",),
        "pts_allow_7_13": ("dst_allowed_7_13",),
        "pts_allow_14_20": ("dst_allowed_14_17", "dst_allowed_18_20"),
        "pts_allow_21_27": ("dst_allowed_21_27",),
        "pts_allow_28_34": ("dst_allowed_28_34",),
        "pts_allow_35p": ("dst_allowed_35_45", "dst_allowed_46_plus"),
        "yds_allow_0_100": ("dst_yards_under_100",),
        "yds_allow_100_199": ("dst_yards_100_199",),
        "yds_allow_200_299": ("dst_yards_200_299",),
        "yds_allow_300_349": ("dst_yards_300_349",),
        "yds_allow_350_399": ("dst_yards_350_399",),
        "yds_allow_400_449": ("dst_yards_400_449",),
        "yds_allow_450_499": ("dst_yards_450_499",),
        "yds_allow_500_549": ("dst_yards_500_549",),
        "yds_allow_550p": ("dst_yards_550_plus",),
        "idp_tkl_solo": ("tackles_solo", "tackles_with_assist"),
        "idp_tkl_ast": ("tackle_assists",),
        "idp_tkl_loss": ("tackles_for_loss",),
        "idp_qb_hit": ("qb_hits",),
        "idp_int": ("interceptions_made",),
        "idp_pass_def": ("passes_defended",),
        "idp_ff": ("fumbles_forced",),
        "idp_fum_rec": ("fumbles_recovered_opp",),
        "idp_def_td": ("def_tds",),
        "idp_safe": ("safeties",),
        "idp_blk_kick": ("kicks_blocked",),
    }
)
# Counted here in another statistic already, so that they are mapped if both are worth the same.
_PART_OF: Mapping[str, str] = MappingProxyType({"def_st_td": "def_td", "def_pr_td": "def_td"})
# A sack is two half sacks.
_HALVED: Mapping[str, str] = MappingProxyType({"idp_sack": "half_sacks"})


def read_scoring(settings: Mapping[str, object]) -> tuple[dict[str, int], list[str]]:
    """The scoring, and the names of Sleeper's settings that have no counterpart.

    >>> read_scoring({"pass_yd": 0.04, "rec": 0.5, "bonus_rec_te": 0.5, "fum": 0})
    ({'passing_yards': 40, 'receptions': 500}, ['bonus_rec_te'])
    """
    points = {
        name: round(value * 1000)
        for name, value in settings.items()
        if isinstance(value, (int, float)) and value
    }
    rules: dict[str, int] = {}
    unknown = []
    for name, worth in points.items():
        if name in _SAME:
            rules |= dict.fromkeys(_SAME[name], worth)
        elif name in _HALVED:
            rules[_HALVED[name]] = worth // 2
        elif points.get(_PART_OF.get(name, "")) != worth:
            unknown.append(name)
    return {stat: worth for stat, worth in rules.items() if worth}, sorted(unknown)
