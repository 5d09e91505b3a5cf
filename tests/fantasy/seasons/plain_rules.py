"""What a statistic is worth as the rules are printed, and the positions that a place accepts."""

from __future__ import annotations

NFLVERSE = {
    "passing_yards": "1/25",
    "passing_tds": "4",
    "passing_interceptions": "-2",
    "passing_2pt": "2",
    "rushing_yards": "1/10",
    "rushing_tds": "6",
    "rushing_2pt": "2",
    "receiving_yards": "1/10",
    "receiving_tds": "6",
    "receiving_2pt": "2",
    "special_teams_tds": "6",
    "fumbles_lost_scoring": "-2",
}
YAHOO_KICKS = {
    "fg_made_0_19": "3",
    "fg_made_20_29": "3",
    "fg_made_30_39": "3",
    "fg_made_40_49": "4",
    "fg_made_50_59": "5",
    "fg_made_60_plus": "5",
    "pat_made": "1",
}
DEFENCE = {
    "tackles_solo": "1",
    "tackles_with_assist": "1",
    "tackle_assists": "1/2",
    "half_sacks": "1",
    "tackles_for_loss": "1/2",
    "qb_hits": "1/2",
    "interceptions_made": "3",
    "passes_defended": "1",
    "fumbles_forced": "2",
    "fumbles_recovered_opp": "2",
    "def_tds": "6",
    "safeties": "2",
    "kicks_blocked": "2",
    "def_2pt": "2",
}
TEAM_DEFENCE = {
    "dst_sacks": "1",
    "dst_interceptions": "2",
    "dst_fumble_recoveries": "2",
    "dst_touchdowns": "6",
    "dst_safeties": "2",
    "dst_kicks_blocked": "2",
}
YAHOO_TEAM = {
    **TEAM_DEFENCE,
    "dst_allowed_0": "10",
    "dst_allowed_1_6": "7",
    "dst_allowed_7_13": "4",
    "dst_allowed_14_17": "1",
    "dst_allowed_18_20": "1",
    "dst_allowed_28_34": "-1",
    "dst_allowed_35_45": "-4",
    "dst_allowed_46_plus": "-4",
}
ESPN_TEAM = {
    **TEAM_DEFENCE,
    "dst_one_point_safeties": "1",
    "dst_two_points": "2",
    "dst_allowed_0": "5",
    "dst_allowed_1_6": "4",
    "dst_allowed_7_13": "3",
    "dst_allowed_14_17": "1",
    "dst_allowed_28_34": "-1",
    "dst_allowed_35_45": "-3",
    "dst_allowed_46_plus": "-5",
    "dst_yards_under_100": "5",
    "dst_yards_100_199": "3",
    "dst_yards_200_299": "2",
    "dst_yards_350_399": "-1",
    "dst_yards_400_449": "-3",
    "dst_yards_450_499": "-5",
    "dst_yards_500_549": "-6",
    "dst_yards_550_plus": "-7",
}
KICKS_AND_DEFENCE = {**YAHOO_KICKS, **DEFENCE, **YAHOO_TEAM}
PRINTED: dict[str, dict[str, str]] = {
    "standard": NFLVERSE,
    "half_ppr": {**NFLVERSE, "receptions": "1/2"},
    "ppr": {**NFLVERSE, "receptions": "1"},
    "yahoo": {
        "passing_yards": "1/25",
        "passing_tds": "4",
        "passing_interceptions": "-1",
        "passing_2pt": "2",
        "rushing_yards": "1/10",
        "rushing_tds": "6",
        "rushing_2pt": "2",
        "receptions": "1/2",
        "receiving_yards": "1/10",
        "receiving_tds": "6",
        "receiving_2pt": "2",
        "special_teams_tds": "6",
        "own_fumble_recovery_tds": "6",
        "fumbles_lost": "-2",
        **YAHOO_KICKS,
        **YAHOO_TEAM,
    },
    "espn": {
        **{stat: points for stat, points in NFLVERSE.items() if stat != "fumbles_lost_scoring"},
        "own_fumble_recovery_tds": "6",
        "fumbles_lost": "-2",
        **YAHOO_KICKS,
        "fg_missed": "-1",
        "fg_blocked": "-1",
        **ESPN_TEAM,
    },
    "standard_idp": {**NFLVERSE, **KICKS_AND_DEFENCE},
    "half_ppr_idp": {**NFLVERSE, "receptions": "1/2", **KICKS_AND_DEFENCE},
    "ppr_idp": {**NFLVERSE, "receptions": "1", **KICKS_AND_DEFENCE},
}

BACKS = {"RB", "WR", "TE"}
DEFENDERS = {"DL", "DE", "DT", "NT", "LB", "ILB", "OLB", "MLB", "DB", "CB", "S", "SS", "FS"}
STARTING: dict[str, list[set[str]]] = {
    "nfl-classic": [{"QB"}, {"RB"}, {"RB"}, {"WR"}, {"WR"}, {"TE"}, BACKS, {"K"}, DEFENDERS],
    "nfl-team-defence": [{"QB"}, {"RB"}, {"RB"}, {"WR"}, {"WR"}, {"TE"}, BACKS, {"K"}, {"DST"}],
    "nfl-offence": [{"QB"}, {"RB"}, {"RB"}, {"WR"}, {"WR"}, {"TE"}, BACKS, BACKS],
    "nfl-superflex": [
        {"QB"},
        {"RB"},
        {"RB"},
        {"WR"},
        {"WR"},
        {"TE"},
        BACKS,
        BACKS | {"QB"},
        {"K"},
        DEFENDERS,
    ],
}


def can_line_up(positions: list[str], places: list[set[str]]) -> bool:
    """Whether the players can stand in the places, one each: by trying every way."""
    if not positions:
        return not places
    first, others = positions[0], positions[1:]
    tried: list[set[str]] = []
    for index, place in enumerate(places):
        if first in place and place not in tried:
            tried.append(place)
            if can_line_up(others, places[:index] + places[index + 1 :]):
                return True
    return False
