"""Sleeper's scoring settings as scoring rules of Pressbox. Pure.

Sleeper names what a unit of each statistic is worth (`pass_yd: 0.04`). Where it counts a range that
is two levels here, both get its points.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from app.draft_leagues.importing.sleeper_values import Values

FLOAT32 = 1e-6  # more than what a number of 32 bits is off
MOST_POINTS = 100_000  # of a statistic, in thousandths
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
_HALVED: Mapping[str, str] = MappingProxyType({"idp_sack": "half_sacks"})


def read_scoring(settings: Mapping[str, object]) -> tuple[dict[str, int], list[str]]:
    """The scoring in thousandths, and notes of what could not be taken over.

    Sleeper adds up every setting that fits a play: with points for field goals from 50 yards and
    from 60 yards, one from 61 yards gets both.

    Raises:
        UnreadableDocumentError: A value is no number.

    >>> read_scoring({"pass_yd": 0.04, "fgm_50p": 5, "fgm_60p": 1, "bonus_rec_te": 0.5, "fum": 0})
    ({'passing_yards': 40, 'fg_made_50_59': 5000, 'fg_made_60_plus': 6000}, \
["Scoring we don't have: bonus_rec_te."])
    """
    values = Values("the scoring", settings)
    worth = {name: values.thousandths(name, MOST_POINTS) for name in settings}
    points = {name: value for name, value in worth.items() if value}
    rules: dict[str, int] = {}
    unknown, notes = [], []
    for name, value in points.items():
        stats = (*_SAME.get(name, ()), *([_HALVED[name]] if name in _HALVED else []))
        if not stats:
            if points.get(_PART_OF.get(name, "")) != value:
                unknown.append(name)
            continue
        # a sack is two half sacks
        each = value // 2 if name in _HALVED else value
        if name in _HALVED and value % 2:
            notes.append(f"{name} is {2 * each / 1000} here instead of {settings[name]}.")
        for stat in stats:
            rules[stat] = rules.get(stat, 0) + each
    notes += [
        f"{name} is {value / 1000} here instead of {settings[name]}: points have three decimals."
        for name, value in worth.items()
        if name not in unknown and value is not None and _differs(value, settings[name])
    ]
    if unknown:
        notes.insert(0, f"Scoring we don't have: {', '.join(sorted(unknown))}.")
    return {stat: total for stat, total in rules.items() if total}, notes


def _differs(thousandths: int, value: object) -> bool:
    """Whether the value is another one than Sleeper's, whose numbers have the accuracy of 32 bits.

    >>> _differs(40, 0.03999999910593033), _differs(33, 0.03333333)
    (False, True)
    """
    return isinstance(value, (int, float)) and abs(thousandths / 1000 - value) > FLOAT32
