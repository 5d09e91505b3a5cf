"""Minors: members whom a moderator marked, or whose own year of birth says so (decision 0107).

Everybody sees a plain name in place of theirs, and nobody can ask for their friendship. A
moderator's mark stays whatever year the member gives.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select

from app.accounts import rules
from app.accounts.models import Member, Player
from app.accounts.players import player_of
from app.core.db import db

ENDED_AT_ONCE = 500


def set_birth_year(member: Member, birth_year: int | None, now: datetime) -> None:
    """Store the member's year of birth, or none, and apply the rules for minors. Commits.

    Args:
        member: Whose year it is.
        birth_year: From rules.FIRST_BIRTH_YEAR to this year.
        now: The time.
    """
    player_of(member)
    player, member = _lock(member.id)
    member.birth_year = birth_year
    apply(player, member, now)
    db.session.commit()


def end_minority(now: datetime) -> int:
    """Give members who are minors no longer their names back. Commits after each.

    Returns:
        The number of members.
    """
    grown_up = (
        select(Member.id)
        .where(
            Member.is_minor,
            Member.is_marked_minor.is_(False),
            Member.birth_year < now.year - rules.MINOR_UNTIL_AGE,
        )
        .order_by(Member.id)
        .limit(ENDED_AT_ONCE)
    )
    member_ids = db.session.scalars(grown_up).all()
    for member_id in member_ids:
        apply(*_lock(member_id), now)
        db.session.commit()
    return len(member_ids)


def apply(player: Player, member: Member | None, now: datetime) -> None:
    """Decide whether the member is a minor, and which name is shown. The caller commits.

    A plain name is shown while a moderator took the own one, or while the member is a minor.
    """
    if member is not None:
        is_minor_by_age = rules.is_minor(member.birth_year, now.year)
        member.is_minor = member.is_marked_minor or is_minor_by_age
    if player.is_name_taken or (member is not None and member.is_minor):
        player.own_name = player.own_name or player.display_name
        player.display_name = f"Player {player.id.hex[:6]}"
    elif player.own_name is not None:
        player.display_name, player.own_name = player.own_name, None
    if member is not None:
        member.display_name = player.display_name


def _lock(member_id: int) -> tuple[Player, Member]:
    """Lock the member's player, as every change of a name does, and read both anew."""
    query = select(Player).where(Player.member_id == member_id).with_for_update()
    player = db.session.scalars(query.execution_options(populate_existing=True)).one()
    return player, db.session.get_one(Member, member_id, populate_existing=True)
