"""Tables of draft leagues' franchises and of what they own.

Truth: Franchise, RosterTransaction. Derived from the transactions, and written with them:
RosterSpot, FranchiseBudget, PickOwner.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    SmallInteger,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import db

Model: Any = db.Model


def _of_franchise(name: str) -> ForeignKeyConstraint:
    return ForeignKeyConstraint(
        ["league_id", "franchise"],
        ["franchises.league_id", "franchises.number"],
        name=name,
        ondelete="CASCADE",
    )


class Franchise(Model):
    """A team of a draft league, with or without a member.

    Attributes:
        number: From 1; it stays with the team when its member changes.
        member_id: Who runs it; None while nobody does.
        name: The team's name while nobody runs it; a member's team has its name in the league.
        division: From 1; 0 without divisions.
        waiver_priority: 1 claims first.
        is_locked: Whether the commissioner stopped the team from making transactions.
    """

    __tablename__ = "franchises"

    league_id: Mapped[int] = mapped_column(
        ForeignKey("leagues.id", ondelete="CASCADE"), primary_key=True
    )
    number: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    member_id: Mapped[int | None] = mapped_column(ForeignKey("members.id", ondelete="SET NULL"))
    name: Mapped[str]
    division: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    waiver_priority: Mapped[int] = mapped_column(SmallInteger)
    is_locked: Mapped[bool] = mapped_column(server_default="false")

    __table_args__ = (
        Index("uq_franchises_member_id", "league_id", "member_id", unique=True),
        Index("ix_franchises_member_id", "member_id"),
        CheckConstraint("number BETWEEN 1 AND 32", name="number"),
        CheckConstraint("waiver_priority > 0", name="waiver_priority"),
    )


class RosterTransaction(Model):
    """An act of the log, append-only: triggers refuse changes.

    `number`: from 1 in each league. `content`: moves, budgets and picks, as in rules.Transaction.
    `franchises`: whom it concerns.
    """

    __tablename__ = "roster_transactions"

    league_id: Mapped[int] = mapped_column(
        ForeignKey("leagues.id", ondelete="CASCADE"), primary_key=True
    )
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    kind: Mapped[str]
    content: Mapped[dict[str, Any]] = mapped_column(JSONB)
    franchises: Mapped[list[int]] = mapped_column(ARRAY(SmallInteger))
    by_member_id: Mapped[int | None] = mapped_column(ForeignKey("members.id", ondelete="SET NULL"))
    reason: Mapped[str]
    depends_on: Mapped[int | None]
    source: Mapped[str | None]
    made_at: Mapped[datetime]

    __table_args__ = (
        ForeignKeyConstraint(
            ["league_id", "depends_on"],
            ["roster_transactions.league_id", "roster_transactions.number"],
            name="fk_roster_transactions_depends_on",
        ),
        Index("uq_roster_transactions_source", "league_id", "source", unique=True),
        Index("ix_roster_transactions_by_member_id", "by_member_id"),
        CheckConstraint("number > 0", name="number"),
    )


class RosterSpot(Model):
    """A footballer on a roster. The primary key keeps anybody from being on two teams of a league.

    `since`: when they came to the franchise. `number`: the transaction that brought them.
    """

    __tablename__ = "roster_spots"

    league_id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    footballer_id: Mapped[str] = mapped_column(ForeignKey("footballers.id"), primary_key=True)
    franchise: Mapped[int] = mapped_column(SmallInteger)
    spot: Mapped[str]
    since: Mapped[datetime]
    number: Mapped[int]

    __table_args__ = (
        _of_franchise("fk_roster_spots_franchise"),
        Index("ix_roster_spots_franchise", "league_id", "franchise"),
        CheckConstraint("spot in ('active', 'reserve', 'taxi')", name="spot"),
    )


class FranchiseBudget(Model):
    """What is left of a franchise's waiver budget, in whole units."""

    __tablename__ = "franchise_budgets"

    league_id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    franchise: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    amount: Mapped[int]

    __table_args__ = (_of_franchise("fk_franchise_budgets_franchise"),)


class PickOwner(Model):
    """Who owns a pick that changed hands; other picks belong to their original franchise."""

    __tablename__ = "pick_owners"

    league_id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    season: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    round: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    original_franchise: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    franchise: Mapped[int] = mapped_column(SmallInteger)

    __table_args__ = (_of_franchise("fk_pick_owners_franchise"),)
