"""Appoints commissioners, so that an active member runs a league as long as it has one.

The rule of succession (accounts/succession.py) is used if a commissioner leaves, is erased, banned
or suspended. A trigger of PostgreSQL checks the commissioner too (`league_commissioner`).
services.py hands a league over by choice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from sqlalchemy import select, update

from app.accounts.models import Member
from app.accounts.sanctions import is_active
from app.accounts.succession import heir_order
from app.core.db import db
from app.fantasy.notices import words as notice_words
from app.fantasy.notices.services import NewNotice, notify
from app.fantasy.standings.models import League, LeagueMember

# Functions of a league that has just got another commissioner, of whoever handed it over (None: it
# was nobody's choice) and of the moment. Draft leagues register how their members are told
# (app/draft_leagues/commissioner/succession.py).
AFTER_CHANGE: list[Callable[[League, int | None, datetime], None]] = []


def tell_members(league: League, by_member_id: int | None, now: datetime) -> None:
    """Tell the members of a league that it has another commissioner. Only the caller commits."""
    db.session.flush()
    for tell in AFTER_CHANGE:
        tell(league, by_member_id, now)


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
        db.session.execute(
            update(LeagueMember)
            .where(
                LeagueMember.league_id == league.id,
                LeagueMember.member_id == league.commissioner_id,
            )
            .values(lost_office_at=now)
        )
        league.commissioner_id = successor
        key = f"league:{league.id}:commissioner:{now:%Y%m%d%H%M%S}"
        words = notice_words.became_commissioner(league.name)
        notify([NewNotice.of(successor, "league", key, words, f"/leagues/{league.slug}")], now)
        tell_members(league, None, now)
    db.session.flush()


def give_back(leagues: Iterable[League], member_id: int, now: datetime) -> None:
    """Give the member the leagues back that heirs got in their place, with a notice to the heirs.

    Not those that an heir has handed on by choice (`forget_heirs`). Whoever became an heir later
    has no claim any more. The caller has locked the leagues, and commits.
    """
    for league in leagues:
        membership = db.session.get(LeagueMember, (league.id, member_id), populate_existing=True)
        if membership is None or membership.lost_office_at is None:
            continue
        key = f"league:{league.id}:commissioner:back:{now:%Y%m%d%H%M%S}"
        words = notice_words.commissioner_is_back(league.name)
        heir_id = league.commissioner_id
        if heir_id not in (None, member_id):
            path = f"/leagues/{league.slug}"
            notify([NewNotice.of(heir_id, "league", key, words, path)], now)
        league.commissioner_id = member_id
        if heir_id != member_id:
            tell_members(league, heir_id, now)  # the heir has a notice of their own
        forget_heirs(league.id, since=membership.lost_office_at)
    db.session.flush()


def forget_heirs(league_id: int, *, since: datetime | None = None) -> None:
    """Nobody gets the league back who lost it, or who lost it at this moment or later."""
    lost = LeagueMember.lost_office_at
    db.session.execute(
        update(LeagueMember)
        .where(
            LeagueMember.league_id == league_id,
            lost.is_not(None) if since is None else lost >= since,
        )
        .values(lost_office_at=None)
    )


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
