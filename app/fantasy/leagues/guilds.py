"""A league as a guild: its members ranked among themselves on any board.

The caller decides who may look.
"""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import select

from app.accounts.models import Player
from app.boards.groups.small_board import GUILD, Group
from app.core.db import db
from app.fantasy.standings.models import League, LeagueMember


def guild_of(slug: str, me: UUID | None = None) -> Group:
    """The members of the league, as player `me` sees them; None for somebody without a place."""
    return Group(GUILD, slug, _members_of(slug), me)


def _members_of(slug: str) -> list[UUID]:
    """The league's members who are players, by id.

    Members become players once they are on a board or open the friends' page.
    """
    query = (
        select(Player.id)
        .join(LeagueMember, LeagueMember.member_id == Player.member_id)
        .join(League, League.id == LeagueMember.league_id)
        .where(League.slug == slug)
        .order_by(Player.id)
    )
    return list(db.session.scalars(query))
