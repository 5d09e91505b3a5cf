"""Reads of rosters and of the log of transactions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import msgspec
from sqlalchemy import func, select, text

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


@dataclass(frozen=True)
class LogFilter:
    """Which transactions to show. `kind`: '' for all; `franchise`: None for all."""

    kind: str = ""
    franchise: int | None = None


@dataclass(frozen=True)
class LogPart:
    """Transactions, the latest first, how many there are altogether, and what took them back.

    `reversed_by`: by the number of a transaction that was reversed, the number of its reversal.
    """

    transactions: list[Recorded]
    count: int
    reversed_by: dict[int, int]


def latest_transactions(
    league_id: int, chosen: LogFilter, *, offset: int = 0, limit: int
) -> LogPart:
    """A part of the league's log, the latest first."""
    conditions = [RosterTransaction.league_id == league_id]
    if chosen.kind:
        conditions.append(RosterTransaction.kind == chosen.kind)
    if chosen.franchise is not None:
        conditions.append(RosterTransaction.franchises.contains([chosen.franchise]))
    rows = db.session.scalars(
        select(RosterTransaction)
        .where(*conditions)
        .order_by(RosterTransaction.number.desc())
        .offset(offset)
        .limit(limit)
    ).all()
    reversals = db.session.execute(
        select(RosterTransaction.depends_on, RosterTransaction.number).where(
            RosterTransaction.league_id == league_id,
            RosterTransaction.kind == "reversed",
            RosterTransaction.depends_on.in_([row.number for row in rows]),
        )
    )
    return LogPart(
        [recorded(row) for row in rows],
        db.session.scalar(select(func.count()).select_from(RosterTransaction).where(*conditions))
        or 0,
        {row.depends_on: row.number for row in reversals},
    )


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
    SELECT f.member_id, p.footballer_id, coalesce(m.position, b.position) AS position
    FROM leagues l
    JOIN franchises f ON f.league_id = l.id AND f.member_id = ANY(:member_ids)
    JOIN roster_spots p ON p.league_id = l.id AND p.franchise = f.number
    JOIN footballers b ON b.id = p.footballer_id
    LEFT JOIN footballer_seasons m ON m.season_id = l.season_id
      AND m.footballer_id = p.footballer_id
    WHERE l.team_rules_id = :team_rules_id AND l.game = 'draft' AND p.spot = 'active'
    ORDER BY p.number, p.footballer_id
""")


def active_rosters(team_rules_id: int, member_ids: Iterable[int]) -> dict[int, dict[str, str]]:
    """The active footballers of these members, in one query.

    Returns:
        By member the positions of the footballers by id, in the order in which they came.
    """
    rosters: dict[int, dict[str, str]] = {member_id: {} for member_id in member_ids}
    rows = db.session.execute(
        _ACTIVE, {"member_ids": [*rosters], "team_rules_id": team_rules_id}
    ).all()
    for row in rows:
        rosters[row.member_id][row.footballer_id] = row.position
    return rosters


def active_roster(member_id: int, team_rules_id: int) -> dict[str, str]:
    """The positions of a member's active footballers, by id, in the order in which they came."""
    return active_rosters(team_rules_id, [member_id])[member_id]


def names_of(footballers: Iterable[str]) -> dict[str, str]:
    """The names of footballers by id; ids that do not exist are left out."""
    rows = db.session.execute(
        text("SELECT id, name FROM footballers WHERE id = ANY(:ids)"), {"ids": [*footballers]}
    )
    return {row.id: row.name for row in rows}
