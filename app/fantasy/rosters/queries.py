"""Reads of rosters and of the log of transactions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import msgspec
from sqlalchemy import select, text

from app.core.db import db
from app.fantasy.rosters.models import (
    FranchiseBudget,
    PickOwner,
    RosterSpot,
    RosterTransaction,
)
from app.fantasy.rosters.rules import Place, Rosters, Spot, Transaction


@dataclass(frozen=True)
class Recorded:
    """A transaction of the log, with its number from 1 and when it was made."""

    number: int
    made_at: datetime
    transaction: Transaction


def rosters_of(league_id: int) -> Rosters:
    """What the league's franchises have now, footballers in the order in which they came."""
    spots = db.session.scalars(
        select(RosterSpot)
        .where(RosterSpot.league_id == league_id)
        .order_by(RosterSpot.number, RosterSpot.footballer_id)
    )
    budgets = db.session.execute(
        select(FranchiseBudget.franchise, FranchiseBudget.amount)
        .where(FranchiseBudget.league_id == league_id)
        .order_by(FranchiseBudget.franchise)
    )
    picks = db.session.scalars(
        select(PickOwner)
        .where(PickOwner.league_id == league_id)
        .order_by(PickOwner.season, PickOwner.round, PickOwner.original_franchise)
    )
    return Rosters(
        {row.footballer_id: Place(row.franchise, msgspec.convert(row.spot, Spot)) for row in spots},
        {row.franchise: row.amount for row in budgets},
        {(pick.season, pick.round, pick.original_franchise): pick.franchise for pick in picks},
    )


def transactions_of(league_id: int, *, until: datetime | None = None) -> list[Recorded]:
    """The league's log in its order; with `until` only what was made by then."""
    query = select(RosterTransaction).where(RosterTransaction.league_id == league_id)
    if until is not None:
        query = query.where(RosterTransaction.made_at <= until)
    rows = db.session.scalars(query.order_by(RosterTransaction.number))
    return [recorded(row) for row in rows]


def recorded(row: RosterTransaction) -> Recorded:
    """A row of the log as a value."""
    return Recorded(
        row.number,
        row.made_at,
        msgspec.convert(
            row.content
            | {
                "kind": row.kind,
                "by_member_id": row.by_member_id,
                "reason": row.reason,
                "depends_on": row.depends_on,
                "source": row.source,
            },
            Transaction,
        ),
    )


_ACTIVE = text("""
    SELECT p.footballer_id, coalesce(m.position, b.position) AS position
    FROM leagues l
    JOIN franchises f ON f.league_id = l.id AND f.member_id = :member_id
    JOIN roster_spots p ON p.league_id = l.id AND p.franchise = f.number
    JOIN footballers b ON b.id = p.footballer_id
    LEFT JOIN footballer_seasons m ON m.season_id = l.season_id
      AND m.footballer_id = p.footballer_id
    WHERE l.team_rules_id = :team_rules_id AND l.game = 'draft' AND p.spot = 'active'
    ORDER BY p.number, p.footballer_id
""")


def active_roster(member_id: int, team_rules_id: int) -> dict[str, str]:
    """The positions of a member's active footballers, by id, in the order in which they came."""
    rows = db.session.execute(
        _ACTIVE, {"member_id": member_id, "team_rules_id": team_rules_id}
    ).all()
    return {row.footballer_id: row.position for row in rows}


def names_of(footballers: Iterable[str]) -> dict[str, str]:
    """The names of footballers by id; ids that do not exist are left out."""
    rows = db.session.execute(
        text("SELECT id, name FROM footballers WHERE id = ANY(:ids)"), {"ids": [*footballers]}
    )
    return {row.id: row.name for row in rows}
