"""The names of the official statistics, in the order of a stat line. Amounts are integers.

A name begins with its kind (`rushing_`); a band of lengths ends like `fg_made_60_plus`, and `_long`
means the longest one. How each is counted is in stat_lines.py; which may earn points, in
app/fantasy/scoring/statistics.py.
"""

from __future__ import annotations

# `tackles_solo`: alone; `tackles_with_assist`: the tackler who had help; `tackle_assists`: the
# help; `tackles_assist`: the last two together, as wide play-by-play counts them. Officially solo
# are the first two. `half_sacks`: sacks made, counted in halves (2 = one sack).
STATS = (
    "completions",
    "attempts",
    "passing_yards",
    "passing_tds",
    "passing_interceptions",
    "sacks_suffered",
    "sack_yards_lost",
    "passing_2pt",
    "carries",
    "rushing_yards",
    "rushing_tds",
    "rushing_2pt",
    "targets",
    "receptions",
    "receiving_yards",
    "receiving_tds",
    "receiving_2pt",
    "fumbles",
    "fumbles_lost",
    "fumbles_lost_scoring",
    "special_teams_tds",
    "def_tds",
    "fumble_recovery_tds",
    "own_fumble_recovery_tds",
    "tackles_solo",
    "tackles_assist",
    "tackles_with_assist",
    "tackle_assists",
    "tackles_for_loss",
    "half_sacks",
    "qb_hits",
    "interceptions_made",
    "passes_defended",
    "fumbles_forced",
    "fumbles_recovered_own",
    "fumbles_recovered_opp",
    "safeties",
    "kicks_blocked",
    "def_2pt",
    "fg_att",
    "fg_made",
    "fg_made_0_19",
    "fg_made_20_29",
    "fg_made_30_39",
    "fg_made_40_49",
    "fg_made_50_59",
    "fg_made_60_plus",
    "fg_missed",
    "fg_blocked",
    "pat_att",
    "pat_made",
    "punt_returns",
    "kickoff_returns",
)

# Of a club's defence and special teams as one (team_defence.py). The two sums from which the levels
# follow come last.
TEAM_STATS = (
    "dst_sacks",
    "dst_interceptions",
    "dst_fumble_recoveries",
    "dst_touchdowns",
    "dst_safeties",
    "dst_one_point_safeties",
    "dst_kicks_blocked",
    "dst_two_points",
    "dst_points_allowed",
    "dst_yards_allowed",
)
# The levels of points and yards allowed: the most that each takes in (None: without end). One of
# each counts 1.
LEVELS: dict[str, tuple[tuple[int | None, str], ...]] = {
    "dst_points_allowed": (
        (0, "dst_allowed_0"),
        (6, "dst_allowed_1_6"),
        (13, "dst_allowed_7_13"),
        (17, "dst_allowed_14_17"),
        (20, "dst_allowed_18_20"),
        (27, "dst_allowed_21_27"),
        (34, "dst_allowed_28_34"),
        (45, "dst_allowed_35_45"),
        (None, "dst_allowed_46_plus"),
    ),
    "dst_yards_allowed": (
        (99, "dst_yards_under_100"),
        (199, "dst_yards_100_199"),
        (299, "dst_yards_200_299"),
        (349, "dst_yards_300_349"),
        (399, "dst_yards_350_399"),
        (449, "dst_yards_400_449"),
        (499, "dst_yards_450_499"),
        (549, "dst_yards_500_549"),
        (None, "dst_yards_550_plus"),
    ),
}
LEVEL_STATS = tuple(name for levels in LEVELS.values() for _, name in levels)
