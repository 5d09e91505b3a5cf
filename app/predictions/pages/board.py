"""A tournament's leaderboard on its page: a page of rows, and the viewer with their neighbours.

Ranks are dense (1, 1, 2) and computed on read; ties are listed by nickname, then id (PRODUCT C3).
Each query starts from the index on points. The API's body is in projections/bodies.py, pools in
pools.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import func, select, text

from app.accounts.models import Player
from app.accounts.sanctions import SEEN_PLAYER, seen_player
from app.core.db import db
from app.predictions.models import TournamentPoints
from app.predictions.pages.queries import RANK_SQL

PAGE_ROWS = 50
AROUND = 4

_RANK = text(RANK_SQL.format(tournament_id=":tournament_id", points=":points"))

_SEEN = SEEN_PLAYER.format("o.player_id")

_PAGE = text(
    f"""
    SELECT o.player_id, p.display_name, o.points FROM tournament_points o JOIN players p
      ON p.id = o.player_id
    WHERE o.tournament_id = :tournament_id AND {_SEEN}
    ORDER BY o.points DESC, p.display_name COLLATE "C", o.player_id LIMIT :limit OFFSET :offset
    """  # noqa: S608 (made of our own words alone)
)
_OWN = text(
    f"""
    SELECT p.id AS player_id, p.display_name, o.points, CASE WHEN o.points IS NOT NULL
      THEN ({RANK_SQL.format(tournament_id=":tournament_id", points="o.points")}) END AS rank
    FROM players p LEFT JOIN tournament_points o ON o.tournament_id = :tournament_id
      AND o.player_id = p.id AND {_SEEN}
    WHERE p.member_id = :member_id
    """  # noqa: S608
)
_ABOVE = text(
    f"""
    SELECT o.player_id, p.display_name, o.points FROM tournament_points o JOIN players p
      ON p.id = o.player_id
    WHERE o.tournament_id = :tournament_id AND {_SEEN} AND o.points >= :points
    AND (o.points > :points OR (p.display_name COLLATE "C", o.player_id) < (:name,
      CAST(:player_id AS uuid)))
    ORDER BY o.points, p.display_name COLLATE "C" DESC, o.player_id DESC LIMIT :limit
    """  # noqa: S608
)
_BELOW = text(
    f"""
    SELECT o.player_id, p.display_name, o.points FROM tournament_points o JOIN players p
      ON p.id = o.player_id
    WHERE o.tournament_id = :tournament_id AND {_SEEN} AND o.points <= :points
    AND (o.points < :points OR (p.display_name COLLATE "C", o.player_id) > (:name,
      CAST(:player_id AS uuid)))
    ORDER BY o.points DESC, p.display_name COLLATE "C", o.player_id LIMIT :limit
    """  # noqa: S608
)


@dataclass(frozen=True)
class Place:
    """A member's place. `points` are hundredths."""

    player_id: UUID
    display_name: str
    points: int
    rank: int


@dataclass(frozen=True)
class OwnPlace:
    """A member's player and their place; None without a player, or without points."""

    player_id: UUID | None
    place: Place | None


def count(tournament_id: UUID) -> int:
    """Return the number of members on the board."""
    is_visible = seen_player(TournamentPoints.player_id)
    query = select(func.count()).where(TournamentPoints.tournament_id == tournament_id, is_visible)
    return db.session.scalar(query) or 0


def rank_of(tournament_id: UUID, points: int) -> int:
    """Return the dense rank of these points: 1 + the number of different higher values."""
    return int(
        db.session.execute(_RANK, {"tournament_id": tournament_id, "points": points}).scalar_one()
    )


def page(tournament_id: UUID, number: int) -> list[Place]:
    """Load the page with this number, from 1."""
    values = {
        "tournament_id": tournament_id,
        "limit": PAGE_ROWS,
        "offset": (number - 1) * PAGE_ROWS,
    }
    rows = db.session.execute(_PAGE, values).all()
    return ranked(rows, rank_of(tournament_id, rows[0].points)) if rows else []


def mine(tournament_id: UUID, player_id: UUID | None) -> Place | None:
    """Load the player's own place; None if they have none."""
    row = db.session.execute(
        select(TournamentPoints.player_id, Player.display_name, TournamentPoints.points)
        .join(Player, Player.id == TournamentPoints.player_id)
        .where(
            TournamentPoints.tournament_id == tournament_id,
            TournamentPoints.player_id == player_id,
            seen_player(TournamentPoints.player_id),
        )
    ).one_or_none()
    return None if row is None else Place(*row, rank=rank_of(tournament_id, row.points))


def own_place(tournament_id: UUID, member_id: int) -> OwnPlace:
    """Load the member's player and place."""
    values = {"tournament_id": tournament_id, "member_id": member_id}
    row = db.session.execute(_OWN, values).one_or_none()
    if row is None:
        return OwnPlace(None, None)
    return OwnPlace(row.player_id, None if row.points is None else Place(*row))


def around(tournament_id: UUID, me: Place) -> list[Place]:
    """Load the viewer's row and the four nearest rows.

    These are two on each side, or more on one side if the other has fewer.
    """
    values = {
        "tournament_id": tournament_id,
        "points": me.points,
        "name": me.display_name,
        "player_id": me.player_id,
        "limit": AROUND,
    }
    above = list(reversed(db.session.execute(_ABOVE, values).all()))
    below = list(db.session.execute(_BELOW, values).all())
    take_above = min(len(above), max(AROUND // 2, AROUND - len(below)))
    above = above[len(above) - take_above :]
    below = below[: AROUND - take_above]
    rows: list[Any] = [*above, (me.player_id, me.display_name, me.points), *below]
    steps = len({row[2] for row in above if row[2] != me.points})
    return ranked(rows, me.rank - steps)


def ranked(rows: Sequence[Any], first: int) -> list[Place]:
    """Give consecutive rows (id, name, points) dense ranks, from `first` on.

    >>> me = UUID(int=1)
    >>> [place.rank for place in ranked([(me, "a", 9), (me, "b", 9), (me, "c", 7)], 4)]
    [4, 4, 5]
    """
    places: list[Place] = []
    rank = first
    for player_id, name, total in rows:
        if places and places[-1].points != total:
            rank += 1
        places.append(Place(player_id, name, total, rank))
    return places
