"""Stores weekly statistics of earlier seasons, and recomputes what follows from them.

A season is replaced by what the files have of it, in one transaction. The same files again change
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, exists, select, text

from app.core.db import db, transaction
from app.core.db.bulk_insert import insert_rows
from app.fantasy.market.history_models import PlayerWeek
from app.fantasy.market.models import Gameweek, Season
from app.fantasy.projections.preseason_store import refresh_competition
from app.fantasy.season_setup.player_weeks import SeasonLines
from app.fantasy.season_setup.start import market_ids, set_projected_prices
from app.fantasy.sheets.models import TeamSheet
from app.record.club_ids import NFL, club_id_among, clubs_with_games
from app.record.models import Club
from app.record.rules.team_defence import defence_id, is_defence


@dataclass(frozen=True, kw_only=True)
class PlayerWeeksImported:
    """What an import of weekly statistics stored of a season.

    Attributes:
        lines: How many lines of players and defences it has.
        changed: How many lines are new, have changed or are gone.
        players: How many players and defences they belong to.
        unknown: How many of these are no stored footballers, such as those who have retired.
        nameless: How many rows had no id and were left out.
    """

    season: int
    lines: int
    changed: int
    players: int
    unknown: int
    nameless: int


def import_player_weeks(
    seasons: Mapping[int, SeasonLines], competition: str = NFL
) -> list[PlayerWeeksImported]:
    """Store weekly statistics of seasons, and return what was stored, by season. Commits once."""
    with transaction():
        return store_player_weeks(seasons, competition)


def store_player_weeks(
    seasons: Mapping[int, SeasonLines], competition: str = NFL
) -> list[PlayerWeeksImported]:
    """Store weekly statistics of seasons, and return what was stored, by season.

    If any line has changed, the projections of seasons with a market follow, and the prices of
    markets that nobody has used. Only the caller commits.
    """
    imported = [
        _store(competition, season, of_season) for season, of_season in sorted(seasons.items())
    ]
    if any(of_season.changed for of_season in imported):
        refresh_competition(competition)
        _reprice_unused_markets(competition)
    return imported


def _store(competition: str, season: int, of_season: SeasonLines) -> PlayerWeeksImported:
    names = db.session.scalars(select(Club.id)).all()
    playing = clubs_with_games(competition, season)
    clubs = {
        club: club_id_among(club, season, names, playing)
        for club in {line.club_id for line in of_season.lines.values()}
    }
    rows = [
        {
            "competition": competition,
            "season": season,
            "footballer_id": defence_id(clubs[line.club_id])
            if is_defence(line.footballer_id)
            else line.footballer_id,
            "week": line.week,
            "club_id": clubs[line.club_id],
            "position": line.position,
            "stats": line.stats,
        }
        for line in of_season.lines.values()
    ]
    changed = _count_changes(competition, season, rows)
    if changed:
        db.session.execute(
            delete(PlayerWeek).where(
                PlayerWeek.competition == competition, PlayerWeek.season == season
            )
        )
        insert_rows(PlayerWeek, rows)
    footballers = {row["footballer_id"] for row in rows}
    unknown = db.session.scalar(_UNKNOWN, {"competition": competition, "season": season})
    return PlayerWeeksImported(
        season=season,
        lines=len(rows),
        changed=changed,
        players=len(footballers),
        unknown=unknown or 0,
        nameless=of_season.nameless,
    )


def _count_changes(competition: str, season: int, rows: Sequence[Mapping[str, Any]]) -> int:
    """How many lines are stored otherwise, not yet, or no longer in these rows."""
    stored = {
        (footballer_id, week): (club_id, position, stats)
        for footballer_id, week, club_id, position, stats in db.session.execute(
            select(
                PlayerWeek.footballer_id,
                PlayerWeek.week,
                PlayerWeek.club_id,
                PlayerWeek.position,
                PlayerWeek.stats,
            ).where(PlayerWeek.competition == competition, PlayerWeek.season == season)
        )
    }
    of_file = {
        (row["footballer_id"], row["week"]): (row["club_id"], row["position"], row["stats"])
        for row in rows
    }
    return sum(stored.get(key) != of_file.get(key) for key in stored.keys() | of_file.keys())


_UNKNOWN = text("""
    SELECT count(DISTINCT footballer_id) FROM player_weeks w
    WHERE (competition, season) = (:competition, :season)
      AND NOT EXISTS (SELECT FROM footballers f WHERE f.id = w.footballer_id)
""")


def _reprice_unused_markets(competition: str) -> None:
    """Set the prices of markets by the projections, as long as nobody has bought by the old ones.

    A market is used once a gameweek of its season has locked or somebody has saved a team sheet.
    """
    used = (
        exists()
        .where(Gameweek.season_id == Season.id)
        .where(
            Gameweek.locked_at.is_not(None)
            | exists().where(TeamSheet.gameweek_id == Gameweek.id).correlate(Gameweek)
        )
    )
    for season in db.session.scalars(
        select(Season).where(Season.competition == competition, ~used).order_by(Season.id)
    ).all():
        set_projected_prices(season, market_ids(season.id))
