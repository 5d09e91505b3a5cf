"""The tables of a season at its end, and whether its own facts give them.

Reads; `rebuild` writes them anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from sqlalchemy import select, text

from app.core.db import db
from app.fantasy.amounts import decimal_points
from app.fantasy.gameweeks import live
from app.fantasy.market.models import Gameweek
from app.fantasy.standings.models import League


@dataclass(frozen=True)
class FinalRow:
    """`rank`: dense, by `standing`.

    `match_points`: in head-to-head leagues alone. `points`: thousandths.
    """

    rank: int
    team_name: str
    member_id: int
    points: int
    match_points: int | None
    standing: tuple[int, ...]


@dataclass(frozen=True)
class FinalTable:
    name: str
    slug: str
    what: str
    rows: tuple[FinalRow, ...]

    def lines(self, most: int | None = None) -> list[str]:
        """The table as text, its first `most` places."""
        found = [f"{self.name} ({self.what})"]
        for row in self.rows[:most]:
            won = "" if row.match_points is None else f"{row.match_points:>4}"
            found.append(f"{row.rank:>4}  {row.team_name:<36}{won}{decimal_points(row.points):>10}")
        if most is not None and len(self.rows) > most:
            found.append(f"      and {len(self.rows) - most} more")
        return found


_ROWS = text("""
    SELECT m.league_id, m.member_id, m.team_name, m.total_points, m.standing
    FROM league_members m JOIN leagues l ON l.id = m.league_id
    WHERE l.season_id = :season ORDER BY m.league_id, m.standing DESC, m.member_id
""")


def final_tables(season_id: int) -> list[FinalTable]:
    """Every league of the season as it stands, in the order in which they were made.

    Equal standings share a rank.
    """
    leagues = db.session.scalars(
        select(League).where(League.season_id == season_id).order_by(League.id)
    ).all()
    rows = db.session.execute(_ROWS, {"season": season_id}).all()
    by_league = {
        league: list(found) for league, found in groupby(rows, key=lambda row: row.league_id)
    }
    return [_table(league, by_league.get(league.id, [])) for league in leagues]


def _table(league: League, rows: Sequence[object]) -> FinalTable:
    places: list[FinalRow] = []
    for row in rows:
        found = row._mapping  # type: ignore[attr-defined]
        standing = tuple(found["standing"])
        rank = places[-1].rank + (standing != places[-1].standing) if places else 1
        won = standing[0] if league.mode == "head_to_head" else None
        places.append(
            FinalRow(
                rank, found["team_name"], found["member_id"], found["total_points"], won, standing
            )
        )
    mode = "head to head" if league.mode == "head_to_head" else "total points"
    what = f"{mode}, {league.rules}, ties: {league.ties.replace('_', ' ')}"
    return FinalTable(league.name, league.slug, what, tuple(places))


_SCORES = text("""
    SELECT s.league_id, w.week, s.member_id, s.points, s.transfers, s.match_points, s.total, s.rank
    FROM league_scores s JOIN gameweeks w ON w.id = s.gameweek_id WHERE w.season_id = :season
    ORDER BY 1, 2, 3
""")


def rebuild(season_id: int, now: datetime) -> list[str]:
    """Adds up every gameweek and league anew.

    Returns a line for each league whose tables were others before.
    """
    before, scores = (
        final_tables(season_id),
        db.session.execute(_SCORES, {"season": season_id}).all(),
    )
    for gameweek_id in db.session.scalars(
        select(Gameweek.id).where(Gameweek.season_id == season_id)
    ).all():
        live.refresh_gameweek(gameweek_id, now)
    for league_id in db.session.scalars(
        select(League.id).where(League.season_id == season_id)
    ).all():
        live.refresh_league(league_id, now)
    after, again = final_tables(season_id), db.session.execute(_SCORES, {"season": season_id}).all()
    found = [
        f"{one.name}: the table is another one"
        for one, other in zip(before, after, strict=True)
        if one != other
    ]
    if scores != again:
        found.append(f"{len(set(scores) ^ set(again))} results of gameweeks are others")
    return found
