"""Reads rosters in nflverse's formats: roster_YYYY.csv, roster_weekly_YYYY.csv, players.csv.

It knows what positions and status codes mean. importing.py stores rosters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import MappingProxyType

from app.core.csv_files import FileError, Row
from app.fantasy.market.formats import IDP
from app.fantasy.market.statuses import LEFT
from app.fantasy.projections.preseason import Career
from app.record.play_by_play.sidecar import Neighbours
from app.record.published_files import ROSTERS, read_published
from app.record.rules.clubs import player_id
from app.record.script import Club

_IDS = "gsis_id|player_id"
_TEAMS = "team|latest_team|team_abbr|teams"

_FIRST_SEASONS = ("rookie_year", "rookie_season", "entry_year")
MOST_PICKS = 1000  # in a draft; more is no overall pick

# The market's position by that of rosters. All other positions have no place on a team sheet.
_POSITIONS: Mapping[str, str] = MappingProxyType(
    {name: name for name in ("QB", "RB", "WR", "TE", "K", *IDP)}
    | {"HB": "RB", "FB": "RB", "PK": "K", "EDGE": "DE", "SAF": "S"}
)

# nflverse's status codes that do not mean fit to play, with the words for members.
_STATUSES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "INA": ("doubtful", "Inactive"),
        "DEV": ("doubtful", "Practice squad"),
        "EXE": ("doubtful", "Exempt list"),
        "E14": ("doubtful", "International exemption"),
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
    """A footballer on a roster.

    Attributes:
        position: The position in the source.
        market: The position on the market; None if it has no place on a team sheet.
        career: Birth, first season and draft; None if the file has no such columns.
    """

    id: str
    name: str
    club: str | None
    position: str
    market: str | None
    number: int | None
    status: str
    news: str
    career: Career | None = None


@dataclass(frozen=True)
class Roster:
    """A roster, with entries by id. `nameless`: how many rows had no id and were left out."""

    season: int
    entries: tuple[RosterEntry, ...]
    clubs: tuple[Club, ...]
    nameless: int


def read_roster(path: Path, season: int) -> Roster:
    """Read the roster of the season.

    Of several rows of a footballer it takes that of the latest week, then one that does not say
    that they left (that of their old club does, in the week of a trade), then the last in the file.
    Footballers whose last season was before this one are left out.

    Raises:
        FileError: It names file, line, column and remedy.
    """
    latest: dict[str, tuple[tuple[int, bool], RosterEntry]] = {}
    nameless = 0
    for row in read_published(path, ROSTERS):
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
            f"{path}, line 2, column {_IDS.split('|')[0]}: it has no players for season "
            f"{season}; {ROSTERS.remedy}"
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
    market = market_position(position) or (market_position(fine) if fine else None)
    status, news = _status(row.text("status"))
    # The ids of past teams come before today's, as in `ARI|KC`.
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
        career=_career(row),
    )


def _career(row: Row) -> Career | None:
    if not any(column in row for column in _FIRST_SEASONS):
        return None
    born_on, draft_number = row.text("birth_date"), row.number("draft_number", "draft_pick")
    try:
        born = date.fromisoformat(born_on) if born_on else None
    except ValueError as error:
        raise row.error("birth_date", f"must be a date like 1998-05-21, not {born_on!r}") from error
    return Career(
        born,
        row.season(*_FIRST_SEASONS),
        draft_number if draft_number and 0 < draft_number <= MOST_PICKS else None,
    )


def market_position(position: str) -> str | None:
    """The market's position for one of nflverse's; None if it has no place on a team sheet."""
    return _POSITIONS.get(position.upper())


def _status(code: str | None) -> tuple[str, str]:
    if code is None or code.upper() in ("ACT", "A01"):
        return "available", ""
    return _STATUSES.get(code.upper(), ("doubtful", f"Roster status {code}"))
