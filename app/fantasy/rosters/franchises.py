"""Members take and leave franchises. Only the caller commits, and has locked the league."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from sqlalchemy import exists, func, select, update

from app.core.db import db
from app.fantasy.rosters.models import Franchise, RosterTransaction

# Functions of a league, a franchise and the moment. Draft leagues register what an owner keeps for
# a franchise (app/draft_leagues/wishes.py).
ENDS_WITH_OWNER: list[Callable[[int, int, datetime], None]] = []
# Functions of a league and the moment, called once a change of owners is committed. Draft leagues
# register what their draft does about it (app/draft_leagues/drafts/services.py).
AFTER_CHANGE_OF_OWNERS: list[Callable[[int, datetime], None]] = []


def take(league_id: int, member_id: int) -> bool:
    """Give the member the first franchise that nobody runs; False if there is none."""
    free = (
        select(Franchise.number)
        .where(Franchise.league_id == league_id, Franchise.member_id.is_(None))
        .order_by(Franchise.number)
        .limit(1)
        .scalar_subquery()
    )
    taken = db.session.execute(
        update(Franchise)
        .where(Franchise.league_id == league_id, Franchise.number == free)
        .values(member_id=member_id)
        .returning(Franchise.number)
    )
    return taken.first() is not None


def leave(league_id: int, member_id: int, now: datetime) -> bool:
    """Leave the member's franchise to whoever comes next; False once anything was drafted."""
    if has_moved(league_id):
        return False
    number = db.session.scalar(
        update(Franchise)
        .where(Franchise.league_id == league_id, Franchise.member_id == member_id)
        .values(member_id=None)
        .returning(Franchise.number)
    )
    if number is not None:
        end_wishes(league_id, number, now)
    return True


def end_wishes(league_id: int, franchise: int, now: datetime) -> None:
    """End everything that only the owner of a franchise wanted, because they have left it."""
    for end in ENDS_WITH_OWNER:
        end(league_id, franchise, now)


def owners_changed(league_ids: Iterable[int], now: datetime) -> None:
    """Follow up a change of owners in these draft leagues, which the caller has committed."""
    for league_id in league_ids:
        for follow in AFTER_CHANGE_OF_OWNERS:
            follow(league_id, now)


def has_moved(league_id: int) -> bool:
    """Whether anything has moved between the league's franchises."""
    moved = exists().where(
        RosterTransaction.league_id == league_id,
        func.cardinality(RosterTransaction.franchises) > 0,
    )
    return bool(db.session.scalar(select(moved)))
