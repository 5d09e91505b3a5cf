"""Reads the league's injury reports in nflverse's format, injuries_YYYY.csv.

storing_injuries.py stores them; what a report does to a player's status is in market/fitness.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from app.core.csv_files import FileError, Row
from app.record.published_files import INJURIES, read_published
from app.record.rules.clubs import player_id

LONGEST_TEXT = 100  # characters of a cell
LAST_WEEK = 30  # no season has more, with its play-offs
STATUSES = ("Out", "Doubtful", "Questionable", "Probable", "Note")


@dataclass(frozen=True, kw_only=True)
class ReportedPlayer:
    """A row of a report (market.models.InjuryReport). `id`: None if the row has none."""

    id: str | None
    name: str
    club: str
    week: int
    status: str | None
    injury: str
    practice: str
    practice_injury: str
    reported_at: datetime | None


@dataclass(frozen=True)
class InjuryReports:
    """The reports of a season, in file order.

    `unknown_statuses`: words of the report that mean nothing here; their rows count without them.
    """

    season: int
    rows: tuple[ReportedPlayer, ...]
    unknown_statuses: tuple[str, ...]


def read_injuries(path: Path, season: int) -> InjuryReports:
    """Read the injury reports of the season.

    Of several rows of a footballer in a week the last one counts.

    Raises:
        FileError: It names file, line, column and remedy.
    """
    rows: dict[tuple[int, str], ReportedPlayer] = {}
    unknown = set()
    for row in read_published(path, INJURIES):
        if (season_of_row := row.season("season")) != season:
            raise row.error(
                "season", f"is {season_of_row}, but --season says {season}; give the same season"
            )
        reported = _reported(row)
        if reported.status is not None and reported.status not in STATUSES:
            unknown.add(reported.status)
        key = reported.week, reported.id or f"{reported.club} {reported.name}"
        rows.pop(key, None)
        rows[key] = reported
    if not rows:
        raise FileError(
            f"{path}, line 2: it has no injury reports for season {season}; {INJURIES.remedy}"
        )
    return InjuryReports(season, tuple(rows.values()), tuple(sorted(unknown)))


def _reported(row: Row) -> ReportedPlayer:
    week = row.number("week")
    if week is None or not 1 <= week <= LAST_WEEK:
        raise row.error("week", f"should be a number from 1 to {LAST_WEEK}")
    return ReportedPlayer(
        id=player_id(row.text("gsis_id")),
        name=_short(row, "full_name"),
        club=row.needed("team"),
        week=week,
        status=_short(row, "report_status") or None,
        injury=_short(row, "report_primary_injury"),
        practice=_short(row, "practice_status"),
        practice_injury=_short(row, "practice_primary_injury"),
        reported_at=_moment(row),
    )


def _short(row: Row, column: str) -> str:
    cell = " ".join((row.text(column) or "").split())
    if len(cell) > LONGEST_TEXT:
        raise row.error(column, f"has more than {LONGEST_TEXT} characters")
    return cell


def _moment(row: Row) -> datetime | None:
    printed = row.text("date_modified")
    if printed is None:
        return None
    try:
        moment = datetime.fromisoformat(printed)
    except ValueError as error:
        raise row.error(
            "date_modified", f"is {printed!r}; it should be a time like 2026-09-11 19:35:39+00:00"
        ) from error
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
