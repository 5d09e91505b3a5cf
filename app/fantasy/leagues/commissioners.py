"""Appoints commissioners, so that an active member runs a league as long as it has one.

The rule of succession (accounts/succession.py) is used if a commissioner leaves, is erased, banned
or suspended. A trigger of PostgreSQL checks the commissioner too (`league_commissioner`).
services.py hands a league over by choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import select

from app.accounts.models import Member
from app.accounts.sanctions import is_active
from app.accounts.succession import heir_order
from app.core.db import db
from app.fantasy.notices import words as notice_words
from app.fantasy.notices.services import NewNotice, notify
from app.fantasy.standings.models import League, LeagueMember


def lock_leagues_of(member_id: int) -> Sequence[League]:
    """Lock the leagues of the member until the transaction ends, in order of their ids.

    Code that changes whether a member is active takes these locks first, so that two heirs who are
    banned at the same time wait for each other.
    """
    return db.session.scalars(
        select(League)
        .join(LeagueMember, LeagueMember.league_id == League.id)
        .where(LeagueMember.member_id == member_id, ~League.is_overall)
        .order_by(League.id)
        .with_for_update(key_share=True, of=League)
        .execution_options(populate_existing=True)
    ).all()


def appoint(leagues: Iterable[League], now: datetime) -> None:
    """Give each league without an active commissioner to its heir, with a notice.

    A league without any active member stays as it is: the first who joins it or comes back becomes
    its commissioner. The caller has locked the leagues, and commits.
    """
    db.session.flush()
    for league in leagues:
        if league.is_overall or is_active_member(league.id, league.commissioner_id):
            continue
        successor = heir(league.id)
        if successor is None:
            continue
        league.commissioner_id = successor
        key = f"league:{league.id}:commissioner:{now:%Y%m%d%H%M%S}"
        words = notice_words.became_commissioner(league.name)
        notify([NewNotice.of(successor, "league", key, words, f"/leagues/{league.slug}")], now)
    db.session.flush()


def is_active_member(league_id: int, member_id: int | None) -> bool:
    """Whether the member is in the league and may sign in."""
    query = (
        select(LeagueMember.member_id)
        .join(Member, Member.id == LeagueMember.member_id)
        .where(
            LeagueMember.league_id == league_id, LeagueMember.member_id == member_id, is_active()
        )
    )
    return db.session.scalar(query) is not None


def heir(league_id: int, *, besides: int | None = None) -> int | None:
    """The active member who becomes commissioner; None without one. `besides`: not this member."""
    order = heir_order(
        is_active=is_active(),
        is_shadow_banned=Member.is_shadowed.expression,
        joined_at=LeagueMember.joined_at,
        member_id=LeagueMember.member_id,
    )
    return db.session.scalar(
        select(LeagueMember.member_id)
        .join(Member, Member.id == LeagueMember.member_id)
        .where(
            LeagueMember.league_id == league_id,
            LeagueMember.member_id != (besides or 0),
            is_active(),
        )
        .order_by(*order)
        .limit(1)
    )
