"""What a league's live pages take as their ETag. Reads only."""

from __future__ import annotations

from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.pages.league_page import is_over
from app.fantasy.standings import queries
from app.record import queries as record


def league_version(league_id: int, gameweek: GameweekRow) -> tuple[str, bool]:
    """Changes whenever the league's table or a game of the gameweek does; and whether all is over.

    It is read before what it stands for: what is shown may be newer than its tag, never older.
    """
    table = queries.table_version(league_id, gameweek.id)
    games = record.gameweek_version(gameweek.competition, gameweek.season, gameweek.season_type, gameweek.week)
    return f"{gameweek.id}-{table.version}-{games}", is_over(table.statuses)
