"""What both clubs' D/STs did in a real game, counted straight from the public files.

No code of the product.

The official credits (`play_stats`, one row a credit by its stat id) give sacks, takeaways,
safeties, blocked kicks and yards; the play-by-play gives touchdowns, `games.csv` the score. A game
is a dictionary of numbers by club.
"""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from pathlib import Path

# Points of one level of points (yards) allowed, by the most that it takes in.
YAHOO_ALLOWED = ((0, 10), (6, 7), (13, 4), (20, 1), (27, 0), (34, -1), (999, -4))
ESPN_ALLOWED = ((0, 5), (6, 4), (13, 3), (17, 1), (27, 0), (34, -1), (45, -3), (999, -5))
ESPN_YARDS = (
    (99, 5),
    (199, 3),
    (299, 2),
    (349, 0),
    (399, -1),
    (449, -3),
    (499, -5),
    (549, -6),
    (9999, -7),
)
EACH = {"sacks": 1, "interceptions": 2, "fumbles": 2, "touchdowns": 6, "safeties": 2, "blocks": 2}


def rows(file: Path) -> list[dict[str, str]]:
    with gzip.open(file, "rt", newline="") as opened:
        return list(csv.DictReader(opened))


def count(pbp: Path) -> dict[str, dict[str, int]]:
    """Count by club.

    Sacks, interceptions, fumbles, touchdowns, safeties, blocks, tries, allowed (points) and yards.
    """
    folder, name = pbp.parent.parent, pbp.name.removesuffix(".csv.gz")
    with (folder / "games.csv").open(newline="") as opened:
        game = next(row for row in csv.DictReader(opened) if row["game_id"] == name)
    home, away = game["home_team"], game["away_team"]
    other = {home: away, away: home}
    totals: dict[str, dict[str, int]] = {club: defaultdict(int) for club in other}
    totals[home]["allowed"], totals[away]["allowed"] = (
        int(game["away_score"]),
        int(game["home_score"]),
    )
    for row in rows(folder / "play_stats" / pbp.name):
        club, stat, yards = row["team_abbr"], int(row["stat_id"]), int(row["yards"] or 0)
        if club not in other:
            continue
        mine, opponents = totals[club], totals[other[club]]
        if stat == 20:
            opponents["sacks"] += 1
        if stat in (25, 26):
            mine["interceptions"] += 1
        if stat in (59, 60):
            mine["fumbles"] += 1
        if stat == 89:
            mine["safeties"] += 1
        if stat in (2, 71, 74):
            opponents["blocks"] += 1
        if stat in (10, 11, 12, 13, 15, 16, 20):
            opponents["yards"] += yards
    for row in rows(pbp):
        scorer, offence = row["td_team"], row["posteam"]
        if scorer in other and row["touchdown"] in ("1", "1.0"):
            of_special_teams = row["special"] in ("1", "1.0")
            if of_special_teams or scorer != offence:
                totals[scorer]["touchdowns"] += 1
            if not of_special_teams and scorer != offence:
                totals[other[scorer]]["allowed"] -= 6
        if "1" in (row["defensive_two_point_conv"][:1], row["defensive_extra_point_conv"][:1]):
            totals[other[offence]]["tries"] += 1
    for club in other:
        totals[club]["allowed"] -= 2 * (
            totals[other[club]]["safeties"] + totals[other[club]]["tries"]
        )
    return totals


def yahoo(club: dict[str, int]) -> int:
    """Points of Yahoo's default settings."""
    return _plays(club) + _level(YAHOO_ALLOWED, club["allowed"])


def espn(club: dict[str, int]) -> int:
    """Points of ESPN's standard settings."""
    levels = _level(ESPN_ALLOWED, club["allowed"]) + _level(ESPN_YARDS, club["yards"])
    return _plays(club) + 2 * club["tries"] + levels


def _plays(club: dict[str, int]) -> int:
    return sum(points * club[what] for what, points in EACH.items())


def _level(levels: tuple[tuple[int, int], ...], amount: int) -> int:
    return next(points for most, points in levels if amount <= most)
