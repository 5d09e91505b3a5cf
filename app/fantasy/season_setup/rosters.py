"""Rosters in nflverse's formats, as values: roster_YYYY.csv, roster_weekly_YYYY.csv, players.csv,
and near relatives.

Lives here: reading, and what positions and status codes mean. Not here: storing them
(importing.py), prices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from app.core.csv_files import FileError, Row, read_rows
from app.fantasy.market.formats import IDP
from app.fantasy.market.statuses import LEFT
from app.record.play_by_play.sidecar import Neighbours
from app.record.rules.clubs import player_id
from app.record.script import Club

WHAT = "a roster"
REMEDY = "give a csv or csv.gz file in nflverse's format (roster_2026.csv, players.csv)"
_IDS = "gsis_id|player_id"
_TEAMS = "team|latest_team|team_abbr|teams"

# What rosters call positions, as the market has them; nobody else has a place on a team sheet.
_POSITIONS: Mapping[str, str] = MappingProxyType(
    {name: name for name in ("QB", "RB", "WR", "TE", "K", *IDP)}
    | {"HB": "RB", "FB": "RB", "PK": "K", "EDGE": "DE", "SAF": "S"}
)

# nflverse's status codes that do not mean fit to play, with what the member reads.
_STATUSES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "INA": ("doubtful", "Inactive"),
        "DEV": ("doubtful", "Practice squad"),
        "EXE": ("doubtful", "Exempt list"),
        "RES": ("injured", "Injured reserve"),
        "PUP": ("injured", "Physically unable to perform"),
        "NON": ("injured", "Non-football injury"),
        "RSN": ("injured", "Non-football injury"),
        "SUS": ("suspended", "Suspended"),
        "CUT": ("left", "Released"),
        "RET": ("left", "Retired"),
        "RSR": ("left", "Retired"),
        "TRC": ("left", "Practice squad released"),
        "TRD": ("left", "Traded"),
        "TRT": ("left", "Traded"),
        "UFA": ("left", "Free agent"),
        "RFA": ("left", "Free agent"),
        "NWT": ("left", "Not with the team"),
    }
)


@dataclass(frozen=True)
class RosterEntry:
    """`position` as the source says.

    `market`: as team sheets have it, None for who has no place on any.
    """

    id: str
    name: str
    club: str | None
    position: str
    market: str | None
    number: int | None
    status: str
    news: str


@dataclass(frozen=True)
class Roster:
    """`entries` by id. `nameless`: how many rows had no id, and were left out."""

    season: int
    entries: tuple[RosterEntry, ...]
    clubs: tuple[Club, ...]
    nameless: int


def read_roster(path: Path, season: int) -> Roster:
    """The roster of the season.

    Of several rows of a player the latest week's, then one that does not say that they left (their
    old club's does, in the week of a trade), then the last in the file.

    In a file of all players that ever were, those whose last season lies before this one are not
    taken. Raises FileError, naming file, line, column and remedy.
    """
    latest: dict[str, tuple[tuple[int, bool], RosterEntry]] = {}
    nameless = 0
    for row in read_rows(path, (_IDS, _TEAMS, "position"), WHAT, REMEDY):
        if not _belongs(row, season):
            continue
        known = player_id(row.text(*_IDS.split("|")))
        if known is None:
            nameless += 1
            continue
        week = row.number("week") or 0
        entry = _entry(row, known)
        order = week, entry.status != LEFT
        if known not in latest or order >= latest[known][0]:
            latest[known] = order, entry
    if not latest:
        raise FileError(
            f"{path}, line 2, column {_IDS.split('|')[0]}: nobody of season {season} is in it; "
            f"{REMEDY}"
        )
    entries = tuple(entry for _, (_, entry) in sorted(latest.items()))
    neighbours = Neighbours(path)
    clubs = tuple(
        neighbours.club(club) for club in sorted({entry.club for entry in entries if entry.club})
    )
    return Roster(season, entries, clubs, nameless)


def _belongs(row: Row, season: int) -> bool:
    season_of_row = row.season("season")
    if season_of_row is not None and season_of_row != season:
        raise row.error(
            "season", f"is {season_of_row}, but --season says {season}; give the same season"
        )
    last = row.number("last_season")
    return last is None or last >= season


def _entry(row: Row, known: str) -> RosterEntry:
    team = row.text(*_TEAMS.split("|"))
    position = row.text("position") or ""
    fine = row.text("depth_chart_position", "ngs_position")
    market = _POSITIONS.get(position.upper()) or (_POSITIONS.get(fine.upper()) if fine else None)
    status, news = _status(row.text("status"))
    # An id of a past team stands before today's, as `ARI|KC`.
    club = team.split("|")[-1].strip() if team else None
    if club is None and status == "available":
        status, news = "left", "Without a club"
    return RosterEntry(
        id=known,
        name=row.text("full_name", "display_name", "player_name") or row.needed("full_name"),
        club=club,
        position=position,
        market=market,
        number=row.number("jersey_number"),
        status=status,
        news=news,
    )


def _status(code: str | None) -> tuple[str, str]:
    if code is None or code.upper() in ("ACT", "A01"):
        return "available", ""
    return _STATUSES.get(code.upper(), ("doubtful", f"Roster status {code}"))
