"""A league as a guild on any board: its members among themselves.

Not here: who may look (pages/views.py).
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import select

from app.accounts.models import Player
from app.boards.groups.small_board import GUILD, Group, ModeWindow, SmallBoard, small_board
from app.boards.reads import RowRange
from app.core.db import db
from app.fantasy.standings.models import League, LeagueMember


def members_of(slug: str) -> list[UUID]:
    """The league's members who are players, by id.

    One who never was on a board or a friends' page is none yet.
    """
    query = (
        select(Player.id)
        .join(LeagueMember, LeagueMember.member_id == Player.member_id)
        .join(League, League.id == LeagueMember.league_id)
        .where(League.slug == slug)
        .order_by(Player.id)
    )
    return list(db.session.scalars(query))


def league_board(
    slug: str, place: ModeWindow, me: UUID | None, rows: RowRange, now: datetime
) -> SmallBoard:
    """Rank the members of the league among themselves on this board.

    Raises:
        InvalidWindowError: The mode has no such window.
    """
    group = Group(GUILD, slug, members_of(slug), me)
    return small_board(place, group, rows, now)
