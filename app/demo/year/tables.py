"""The tables of a season at its end, and whether they follow from its facts."""

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
    """A row of a table.

    `rank` is dense, by `standing`. `points` are thousandths. Only head-to-head leagues have
    `match_points`.
    """

    rank: int
    team_name: str
    member_id: int
    points: int
    match_points: int | None
    standing: tuple[int, ...]


@dataclass(frozen=True)
class FinalTable:
    """The table of one league; `what` describes its mode, rules and tie-breaks."""

    name: str
    slug: str
    what: str
    rows: tuple[FinalRow, ...]

    def lines(self, most: int | None = None) -> list[str]:
        """Return the table as lines of text, with its first `most` places."""
        lines = [f"{self.name} ({self.what})"]
        for row in self.rows[:most]:
            won = "" if row.match_points is None else f"{row.match_points:>4}"
            lines.append(f"{row.rank:>4}  {row.team_name:<36}{won}{decimal_points(row.points):>10}")
        if most is not None and len(self.rows) > most:
            lines.append(f"      and {len(self.rows) - most} more")
        return lines


_ROWS = text("""
    SELECT m.league_id, m.member_id, m.team_name, m.total_points, m.standing
    FROM league_members m JOIN leagues l ON l.id = m.league_id
    WHERE l.season_id = :season ORDER BY m.league_id, m.standing DESC, m.member_id
""")


def final_tables(season_id: int) -> list[FinalTable]:
    """Return the table of every league of the season, in the order of creation.

    Equal standings share a rank.
    """
    leagues = db.session.scalars(
        select(League).where(League.season_id == season_id).order_by(League.id)
    ).all()
    rows = db.session.execute(_ROWS, {"season": season_id}).all()
    by_league = {
        league: list(league_rows)
        for league, league_rows in groupby(rows, key=lambda row: row.league_id)
    }
    return [_table(league, by_league.get(league.id, [])) for league in leagues]


def _table(league: League, rows: Sequence[object]) -> FinalTable:
    places: list[FinalRow] = []
    for row in rows:
        values = row._mapping  # type: ignore[attr-defined]
        standing = tuple(values["standing"])
        rank = places[-1].rank + (standing != places[-1].standing) if places else 1
        won = standing[0] if league.mode == "head_to_head" else None
        places.append(
            FinalRow(
                rank,
                values["team_name"],
                values["member_id"],
                values["total_points"],
                won,
                standing,
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
    """Recompute every gameweek and league.

    Returns:
        A line for each league whose table has changed.
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
    differences = [
        f"{old.name}: the table has changed"
        for old, new in zip(before, after, strict=True)
        if old != new
    ]
    if scores != again:
        differences.append(f"{len(set(scores) ^ set(again))} results of weeks have changed")
    return differences
