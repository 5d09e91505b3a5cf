"""Reads weekly statistics of players in nflverse's formats.

`player_stats_YYYY.csv` (until 2024, offence only) and `stats_player_week_YYYY.csv` (all players).
player_weeks_importing.py stores them. What these files do not say: what a club's defence allows
(points and yards), whether a fumble on a return was lost, and in the older format anything about
kickers and defenders.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from types import MappingProxyType

from app.core.csv_files import LARGEST_NUMBER, FileError, Row
from app.fantasy.season_setup.rosters import market_position
from app.record.published_files import PLAYER_WEEKS, read_published
from app.record.rules.clubs import nflverse_name, player_id
from app.record.rules.team_defence import POSITION as DST
from app.record.rules.team_defence import defence_id

LAST_WEEK = 30
OFFENCE = ("QB", "RB", "WR", "TE")

# By statistic (record/rules/statistics.py): the columns that add up to it. `|` separates the names
# of a column in different formats.
_STATS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "completions": ("completions",),
        "attempts": ("attempts",),
        "passing_yards": ("passing_yards",),
        "passing_tds": ("passing_tds",),
        "passing_interceptions": ("passing_interceptions|interceptions",),
        "sacks_suffered": ("sacks_suffered|sacks",),
        "passing_2pt": ("passing_2pt_conversions",),
        "carries": ("carries",),
        "rushing_yards": ("rushing_yards",),
        "rushing_tds": ("rushing_tds",),
        "rushing_2pt": ("rushing_2pt_conversions",),
        "targets": ("targets",),
        "receptions": ("receptions",),
        "receiving_yards": ("receiving_yards",),
        "receiving_tds": ("receiving_tds",),
        "receiving_2pt": ("receiving_2pt_conversions",),
        "fumbles": ("sack_fumbles", "rushing_fumbles", "receiving_fumbles"),
        "fumbles_lost": ("sack_fumbles_lost", "rushing_fumbles_lost", "receiving_fumbles_lost"),
        "special_teams_tds": ("special_teams_tds",),
        "def_tds": ("def_tds",),
        "fumble_recovery_tds": ("fumble_recovery_tds",),
        "tackles_solo": ("def_tackles_solo",),
        "tackles_with_assist": ("def_tackles_with_assist",),
        "tackle_assists": ("def_tackle_assists",),
        "tackles_for_loss": ("def_tackles_for_loss",),
        "qb_hits": ("def_qb_hits",),
        "interceptions_made": ("def_interceptions",),
        "passes_defended": ("def_pass_defended",),
        "fumbles_forced": ("def_fumbles_forced",),
        "fumbles_recovered_own": ("fumble_recovery_own",),
        "fumbles_recovered_opp": ("fumble_recovery_opp",),
        "safeties": ("def_safeties",),
        "fg_att": ("fg_att",),
        "fg_made": ("fg_made",),
        "fg_made_0_19": ("fg_made_0_19",),
        "fg_made_20_29": ("fg_made_20_29",),
        "fg_made_30_39": ("fg_made_30_39",),
        "fg_made_40_49": ("fg_made_40_49",),
        "fg_made_50_59": ("fg_made_50_59",),
        "fg_made_60_plus": ("fg_made_60_",),
        "fg_missed": ("fg_missed",),
        "fg_blocked": ("fg_blocked",),
        "pat_att": ("pat_att",),
        "pat_made": ("pat_made",),
        "punt_returns": ("punt_returns",),
        "kickoff_returns": ("kickoff_returns",),
    }
)
# Statistics that repeat another one, and sacks, which are counted in halves.
_COPIES: Mapping[str, str] = MappingProxyType({"fumbles_lost_scoring": "fumbles_lost"})
_SACKS = "def_sacks"
# A club's defence earns what its opponent loses, and what its own players score.
_FROM_OPPONENTS: Mapping[str, str] = MappingProxyType(
    {
        "sacks_suffered": "dst_sacks",
        "passing_interceptions": "dst_interceptions",
        "fumbles_lost": "dst_fumble_recoveries",
    }
)
_FROM_OWN_PLAYERS: Mapping[str, str] = MappingProxyType(
    {
        "def_tds": "dst_touchdowns",
        "special_teams_tds": "dst_touchdowns",
        "safeties": "dst_safeties",
    }
)


@dataclass(frozen=True)
class WeekLine:
    """What a player, or a club's D/ST, did in a week.

    `position`: on the market; '' if it has no place there. `stats`: without zeros.
    """

    footballer_id: str
    week: int
    club_id: str
    position: str
    stats: Mapping[str, int]


@dataclass
class SeasonLines:
    """The lines of a regular season, by footballer and week. `nameless`: rows without an id."""

    lines: dict[tuple[str, int], WeekLine] = field(default_factory=dict)
    nameless: int = 0


def read_player_weeks(paths: Iterable[Path]) -> dict[int, SeasonLines]:
    """Read the regular seasons of some files, by season.

    A player's line in a later file replaces that of an earlier one. Clubs have their names of
    nflverse's files, and their D/ST has lines too.

    Raises:
        FileError: It names file, line, column and remedy.
    """
    seasons: dict[int, SeasonLines] = {}
    defences: dict[tuple[int, str, int], Counter[str]] = {}
    for path in paths:
        is_empty = True
        for row in read_published(path, PLAYER_WEEKS):
            is_empty = False
            if (row.text("season_type") or "REG").upper() != "REG":
                continue
            season, week = _season_and_week(row)
            of_season = seasons.setdefault(season, SeasonLines())
            footballer_id = player_id(row.text("player_id"))
            stats = _stats(row)
            club = nflverse_name(row.needed("team", "recent_team"), season)
            opponent = row.text("opponent_team")
            _add(defences.setdefault((season, club, week), Counter()), stats, _FROM_OWN_PLAYERS)
            if opponent:
                opponent = nflverse_name(opponent, season)
                opponents = defences.setdefault((season, opponent, week), Counter())
                _add(opponents, stats, _FROM_OPPONENTS)
            if footballer_id is None:
                of_season.nameless += 1
                continue
            position = market_position(row.text("position") or "") or ""
            if not _is_covered(row, position):
                continue
            line = WeekLine(footballer_id, week, club, position, stats)
            of_season.lines[footballer_id, week] = line
        if is_empty:
            raise FileError(f"{path}, line 2: it has no players; {PLAYER_WEEKS.remedy}")
    for (season, club, week), counted in defences.items():
        line = WeekLine(defence_id(club), week, club, DST, dict(counted))
        seasons[season].lines[line.footballer_id, week] = line
    return seasons


def _season_and_week(row: Row) -> tuple[int, int]:
    row.needed("season")
    row.needed("week")
    season, week = row.season("season"), row.number("week")
    if season is None or week is None or not 1 <= week <= LAST_WEEK:
        raise row.error("week", f"must be a week from 1 to {LAST_WEEK}, not {week}")
    return season, week


def _is_covered(row: Row, position: str) -> bool:
    """Whether the file has what players of this position do.

    The older format has nothing of kickers and defenders but a touch of the ball now and then.
    """
    if position in OFFENCE:
        return True
    return ("fg_made" if position == "K" else "def_tackles_solo") in row


def _stats(row: Row) -> dict[str, int]:
    stats = {
        stat: sum(_whole(row, column) for column in columns) for stat, columns in _STATS.items()
    }
    stats |= {copy: stats[stat] for copy, stat in _COPIES.items()}
    stats["half_sacks"] = int(2 * _amount(row, _SACKS))
    stats["sack_yards_lost"] = abs(_whole(row, "sack_yards_lost|sack_yards"))
    return {stat: amount for stat, amount in stats.items() if amount}


def _whole(row: Row, column: str) -> int:
    return int(_amount(row, column))


def _amount(row: Row, column: str) -> Decimal:
    """The number in the first of these columns that has one; 0 without one."""
    names = column.split("|")
    cell = row.text(*names)
    try:
        amount = Decimal(cell or 0)
    except InvalidOperation as error:
        raise row.error(names[0], f"must be a number, not {cell!r}") from error
    if not abs(amount) <= LARGEST_NUMBER:
        raise row.error(names[0], f"must be a number up to {LARGEST_NUMBER:,}, not {cell!r}")
    return amount


def _add(counted: Counter[str], stats: Mapping[str, int], names: Mapping[str, str]) -> None:
    for stat, name in names.items():
        if stats.get(stat):
            counted[name] += stats[stat]
