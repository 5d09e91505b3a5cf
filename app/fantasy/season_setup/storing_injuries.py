"""Stores injury reports, and brings the status of footballers on the market up to date.

In one transaction, as a whole or not at all. A repeated import changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, select, tuple_

from app.core.db import db, transaction, upsert
from app.fantasy.market.fitness import refresh_statuses
from app.fantasy.market.models import FootballerSeason, InjuryReport, Season
from app.fantasy.season_setup.injuries import InjuryReports, ReportedPlayer
from app.fantasy.season_setup.storing import ImportRefusedError
from app.record.club_ids import NFL, club_id_among, clubs_with_games
from app.record.models import Club, Footballer


@dataclass(frozen=True)
class InjuriesImported:
    """What an import of injury reports changed.

    Attributes:
        rows: How many rows of the file are stored.
        new: How many of them are new or have changed; `removed`: how many are no longer in it.
        statuses: How many footballers have another status on the market now.
        unjoined: A line for each footballer or club that is not stored, by name.
    """

    rows: int
    new: int
    removed: int
    statuses: int
    unjoined: tuple[str, ...]


def import_injuries(reports: InjuryReports, competition: str = NFL) -> InjuriesImported:
    """Store the reports in place of those of the season so far.

    Raises:
        ImportRefusedError: The season has no market yet.
    """
    with transaction():
        return store_injuries(reports, competition)


def store_injuries(reports: InjuryReports, competition: str = NFL) -> InjuriesImported:
    """As import_injuries; the caller commits."""
    season = _season(competition, reports.season)
    stored = {
        (row.week, row.footballer_id): row
        for row in db.session.scalars(
            select(InjuryReport)
            .where(InjuryReport.season_id == season.id)
            .execution_options(populate_existing=True)
        )
    }
    rows, unjoined = _joined(season, reports)
    by_key = {(row["week"], row["footballer_id"]): row for row in rows}
    changed = [
        row
        for key, row in by_key.items()
        if key not in stored or any(getattr(stored[key], name) != row[name] for name in row)
    ]
    removed = [key for key in stored if key not in by_key]
    upsert(InjuryReport, ["season_id", "week", "footballer_id"], changed)
    if removed:
        db.session.execute(
            delete(InjuryReport).where(
                InjuryReport.season_id == season.id,
                tuple_(InjuryReport.week, InjuryReport.footballer_id).in_(removed),
            )
        )
    db.session.expire_all()
    statuses = refresh_statuses(season.id).changed
    return InjuriesImported(len(by_key), len(changed), len(removed), statuses, unjoined)


def _season(competition: str, year: int) -> Season:
    season = db.session.scalars(
        select(Season).where(
            Season.competition == competition, Season.season == year, Season.season_type == "REG"
        )
    ).first()
    on_market = season is not None and db.session.scalar(
        select(FootballerSeason.season_id).where(FootballerSeason.season_id == season.id).limit(1)
    )
    if season is None or not on_market:
        raise ImportRefusedError(
            f"{competition} {year} has no players yet: import its rosters first "
            "(`pressbox import rosters`, or `pressbox feed run rosters` if a feed follows them)."
        )
    return season


def _joined(season: Season, reports: InjuryReports) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """The rows of footballers and clubs that are stored, and a line for each of the others."""
    ids = {row.id for row in reports.rows if row.id}
    footballers = set(db.session.scalars(select(Footballer.id).where(Footballer.id.in_(ids))))
    clubs = set(db.session.scalars(select(Club.id)))
    playing = clubs_with_games(season.competition, season.season)
    club_ids = {
        name: club_id_among(name, season.season, clubs, playing)
        if season.competition == NFL
        else name
        for name in {row.club for row in reports.rows}
    }
    rows, unjoined = [], dict[str, None]()
    for row in reports.rows:
        if row.id in footballers and club_ids[row.club] in clubs:
            rows.append(_columns(season, row, club_ids[row.club]))
        else:
            unjoined[_unjoined_line(row, club_ids[row.club] in clubs)] = None
    return rows, tuple(unjoined)


def _columns(season: Season, row: ReportedPlayer, club_id: str) -> dict[str, Any]:
    return {
        "season_id": season.id,
        "week": row.week,
        "footballer_id": row.id,
        "club_id": club_id,
        "report_status": row.status,
        "injury": row.injury,
        "practice_status": row.practice,
        "practice_injury": row.practice_injury,
        "reported_at": row.reported_at,
    }


def _unjoined_line(row: ReportedPlayer, is_club_stored: bool) -> str:
    if not is_club_stored:
        return f"{row.club} is not a club of this season, so its injury reports were left out."
    who = f"{row.name or 'Someone'} ({row.club}, {row.id or 'without an id'})"
    return f"{who} is not on any imported roster, so their injury reports were left out."
