"""The player that a member is on boards, made at first need."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from app.accounts.models import Member, Player
from app.core.db import db


def player_of(member: Member) -> Player:
    """The member's player. Commits when it had to be made; two first needs at once make one."""
    query = select(Player).where(Player.member_id == member.id)
    found: Player | None = db.session.scalar(query)
    if found is None:
        values = {"member_id": member.id, "display_name": member.display_name}
        db.session.execute(insert(Player).values(values).on_conflict_do_nothing(index_elements=["member_id"]))
        db.session.commit()
        found = db.session.scalars(query).one()
    return found
