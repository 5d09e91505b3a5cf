"""Queries of head-to-head games: by gameweek, by member, or of a season.

Who plays whom and who wins is in fixtures.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sqlalchemy import func, select, text

from app.accounts.sanctions import SEEN_MEMBER
from app.core.db import db
from app.fantasy.standings import results
from app.fantasy.standings.live_scores import SCORES, live_scores, live_values
from app.fantasy.standings.models import Matchup

PAGE_ROWS = 50


@dataclass(frozen=True)
class Side:
    """One side of a head-to-head game.

    `member_id`: None for the average, which is exact (results.averages). `match_points`: None until
    the gameweek is settled.
    """

    member_id: int | None
    team_name: str
    points: int | Fraction
    match_points: int | None = None


@dataclass(frozen=True)
class Game:
    """A head-to-head game.

    Attributes:
        is_locked: Whether the gameweek has begun. Before that fixtures may change.
        has_points: Whether something is known of the gameweek's games.
    """

    week: int
    gameweek: str
    is_locked: bool
    has_points: bool
    home: Side
    away: Side

    def sides_of(self, member_id: int) -> tuple[Side, Side]:
        """Both sides, the member's own first."""
        return (
            (self.home, self.away) if self.home.member_id == member_id else (self.away, self.home)
        )

    def sides_for(self, viewer: int) -> tuple[Side, Side]:
        """Both sides in the order of every page: the viewer's own first, else the home side."""
        return self.sides_of(viewer) if viewer == self.away.member_id else (self.home, self.away)


# Hidden members are named like former ones: the game of their opponent stays without their name.
_GAMES = f"""
    SELECT w.id AS gameweek_id, w.week, w.name AS gameweek, w.locked_at IS NOT NULL AS is_locked,
      h.home_id, coalesce(hm.team_name, 'A former member') AS home_name, coalesce(hs.points,
        0) AS home_points,
      hs.match_points AS home_match_points, hs.match_points IS NOT NULL OR EXISTS (
        SELECT FROM games g JOIN game_states s ON s.game_id = g.id
        WHERE (g.competition, g.season, g.season_type, g.week)
          = (w.competition, w.season, w.season_type, w.week) AND s.status <> 'scheduled'
      ) AS has_points,
      h.away_id, coalesce(am.team_name, 'A former member') AS away_name, coalesce(aw.points,
        0) AS away_points,
      aw.match_points AS away_match_points
    FROM matchups h JOIN gameweeks w ON w.id = h.gameweek_id
    LEFT JOIN league_members hm ON (hm.league_id, hm.member_id) = (h.league_id, h.home_id)
      AND {SEEN_MEMBER.format("hm.member_id")}
    LEFT JOIN league_members am ON (am.league_id, am.member_id) = (h.league_id, h.away_id)
      AND {SEEN_MEMBER.format("am.member_id")}
    LEFT JOIN {SCORES} hs ON (hs.league_id, hs.gameweek_id, hs.member_id) = (h.league_id,
      h.gameweek_id, h.home_id)
    LEFT JOIN {SCORES} aw ON (aw.league_id, aw.gameweek_id, aw.member_id) = (h.league_id,
      h.gameweek_id, h.away_id)
    WHERE h.league_id = :league AND {{which}}
    OFFSET :offset LIMIT :limit
"""  # noqa: S608 (made of our own words alone)
_OF_GAMEWEEK = text(
    _GAMES.format(
        which=(
            "h.gameweek_id = :gameweek ORDER BY (:me IN (h.home_id, coalesce(h.away_id, 0))) DESC, "
            "h.home_id"
        )
    )
)
_OF_MEMBER = text(_GAMES.format(which=":member IN (h.home_id, h.away_id) ORDER BY w.week"))
_OF_SEASON = text(
    _GAMES.format(which="(CAST(:week AS int) IS NULL OR w.week = :week) ORDER BY w.week, h.home_id")
)


def head_to_head(
    league_id: int, gameweek_id: int, me: int, page: int = 1, rows: int = PAGE_ROWS
) -> list[Game]:
    """A page (from 1) of the gameweek's games, with the points so far.

    The game of the viewer `me` comes first, the others by the home member's id.
    """
    which = {"gameweek": gameweek_id, "me": me, "offset": (page - 1) * rows, "limit": rows}
    return _games(league_id, _OF_GAMEWEEK, which)


def games_of_member(league_id: int, member_id: int) -> list[Game]:
    """The member's games of the season, played and to come, by gameweek."""
    return _games(league_id, _OF_MEMBER, {"member": member_id, "offset": 0, "limit": None})


def games_of_season(league_id: int, week: int | None, *, limit: int, offset: int) -> list[Game]:
    """All games of the season, or of this gameweek, by gameweek, then by the home member's id."""
    return _games(league_id, _OF_SEASON, {"week": week, "offset": offset, "limit": limit})


def _games(league_id: int, statement: Any, which: Mapping[str, object]) -> list[Game]:
    values = {"league": league_id, **which, **live_values(live_scores([league_id]))}
    rows = db.session.execute(statement, values).all()
    with_average = sorted({row.gameweek_id for row in rows if row.away_id is None})
    averages = {
        gameweek_id: results.averages(gameweek_id, [league_id]).get(league_id, Fraction(0))
        for gameweek_id in with_average
    }
    games = []
    for row in rows:
        if row.away_id is None:
            away = Side(None, "The average", averages.get(row.gameweek_id, Fraction(0)))
        else:
            away = Side(row.away_id, row.away_name, row.away_points, row.away_match_points)
        home = Side(row.home_id, row.home_name, row.home_points, row.home_match_points)
        games.append(Game(row.week, row.gameweek, row.is_locked, row.has_points, home, away))
    return games


def count_games(league_id: int, gameweek_id: int) -> int:
    """How many head-to-head games the league has in the gameweek."""
    query = select(func.count()).where(
        Matchup.league_id == league_id, Matchup.gameweek_id == gameweek_id
    )
    return db.session.scalar(query) or 0


def paired_weeks(league_id: int) -> set[int]:
    """The ids of the gameweeks that the league has fixtures for."""
    return set(
        db.session.scalars(
            select(Matchup.gameweek_id).where(Matchup.league_id == league_id).distinct()
        )
    )
