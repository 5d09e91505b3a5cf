"""Locks a draft league, and reads its franchises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import case, exists, func, select

from app.accounts.models import Member
from app.accounts.sanctions import is_active, seen_member
from app.core.db import db
from app.draft_leagues.models import DraftLeague
from app.fantasy.rosters.models import Franchise
from app.fantasy.standings.models import League, LeagueMember


@dataclass(frozen=True)
class Team:
    """A franchise as people see it.

    `name`: the member's name for their team in the league, or the franchise's own; its number if
    the member is hidden, as on every board.
    """

    number: int
    name: str
    member_id: int | None
    division: int
    waiver_priority: int
    is_locked: bool


def locked(league_id: int) -> DraftLeague:
    """The draft league, locked until the transaction ends: acts on it wait for each other.

    Raises:
        NoResultFound: There is no such draft league.
    """
    return db.session.scalars(
        select(DraftLeague)
        .where(DraftLeague.league_id == league_id)
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    ).one()


def draft_league(league_id: int) -> DraftLeague | None:
    """The draft league; None for a league of the salary-cap game."""
    return db.session.get(DraftLeague, league_id)


def teams(league_id: int) -> Sequence[Team]:
    """The league's franchises, by number."""
    rows = db.session.execute(
        select(
            Franchise.number,
            case(
                (
                    seen_member(Franchise.member_id),
                    func.coalesce(LeagueMember.team_name, Franchise.name),
                ),
                else_=func.concat("Team ", Franchise.number),
            ).label("name"),
            Franchise.member_id,
            Franchise.division,
            Franchise.waiver_priority,
            Franchise.is_locked,
        )
        .outerjoin(
            LeagueMember,
            (LeagueMember.league_id == Franchise.league_id)
            & (LeagueMember.member_id == Franchise.member_id),
        )
        .where(Franchise.league_id == league_id)
        .order_by(Franchise.number)
    )
    return [Team(*row) for row in rows]


def franchise_of(league_id: int, member_id: int) -> int | None:
    """The number of the franchise that the member runs; None if they run none."""
    return db.session.scalar(
        select(Franchise.number).where(
            Franchise.league_id == league_id, Franchise.member_id == member_id
        )
    )


def without_owner(league_id: int) -> set[int]:
    """The numbers of the franchises for which nobody can act: vacant, or the owner is kept out."""
    return set(
        db.session.scalars(
            select(Franchise.number)
            .outerjoin(Member, (Member.id == Franchise.member_id) & is_active())
            .where(Franchise.league_id == league_id, Member.id.is_(None))
        )
    )


def runs_league(league_id: int, member_id: int) -> bool:
    """Whether the member is the commissioner of the draft league, or a co-commissioner.

    Nobody is without being in the league, or while they are banned or suspended.
    """
    is_commissioner = (League.commissioner_id == member_id) | LeagueMember.is_co_commissioner
    return bool(
        db.session.scalar(
            select(
                exists()
                .where(LeagueMember.league_id == league_id, LeagueMember.member_id == member_id)
                .where(DraftLeague.league_id == LeagueMember.league_id)
                .where(League.id == LeagueMember.league_id, is_commissioner)
                .where(Member.id == LeagueMember.member_id, is_active())
            )
        )
    )


def co_commissioners(league_id: int) -> list[int]:
    """Who may do what the commissioner may, by id."""
    return [
        *db.session.scalars(
            select(LeagueMember.member_id)
            .join(Member, Member.id == LeagueMember.member_id)
            .where(
                LeagueMember.league_id == league_id, LeagueMember.is_co_commissioner, is_active()
            )
            .order_by(LeagueMember.member_id)
        )
    ]
