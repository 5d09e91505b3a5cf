"""The table of team sheets, which are the truth of what members saved."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, SmallInteger, UniqueConstraint
from sqlalchemy.dialects.postgresql import ARRAY, TEXT
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import BigId, db

Model: Any = db.Model


class TeamSheet(Model):
    """A gamer's footballers for a gameweek under some team rules.

    One sheet serves all their leagues that play by them.

    One row, so that it is replaced whole or not at all. A trigger refuses every change after the
    deadline.
    `picks`: ids by place, starters first ('' where nobody stands); `captain`, `vice_captain`:
    places from 1.
    `purchase_prices`: what each cost when bought, `bank`: money left, both in tenths of a million.
    `free_transfers`: how many this gameweek had to give (None: without limit), `transfers`: how
    many were made,
    `transfer_cost`: thousandths of a point that they cost. `version` rises with every save.
    `is_carried`: nobody saved it; it was last gameweek's.
    """

    __tablename__ = "team_sheets"

    id: Mapped[BigId]
    member_id: Mapped[int] = mapped_column(ForeignKey("members.id", ondelete="CASCADE"))
    team_rules_id: Mapped[int] = mapped_column(ForeignKey("team_rules.id"))
    gameweek_id: Mapped[int] = mapped_column(ForeignKey("gameweeks.id"))
    picks: Mapped[list[str]] = mapped_column(ARRAY(TEXT))
    captain: Mapped[int] = mapped_column(SmallInteger)
    vice_captain: Mapped[int] = mapped_column(SmallInteger)
    purchase_prices: Mapped[list[int]] = mapped_column(ARRAY(SmallInteger))
    bank: Mapped[int]
    free_transfers: Mapped[int | None]
    transfers: Mapped[int] = mapped_column(server_default="0")
    transfer_cost: Mapped[int] = mapped_column(server_default="0")
    version: Mapped[int] = mapped_column(server_default="1")
    is_carried: Mapped[bool] = mapped_column(server_default="false")
    saved_at: Mapped[datetime]

    __table_args__ = (
        UniqueConstraint("member_id", "team_rules_id", "gameweek_id", name="uq_team_sheets_gamer"),
        Index("ix_team_sheets_gameweek_id", "gameweek_id", "team_rules_id"),
        CheckConstraint("captain BETWEEN 1 AND cardinality(picks)", name="captain"),
        CheckConstraint("vice_captain BETWEEN 1 AND cardinality(picks)", name="vice_captain"),
        CheckConstraint("captain <> vice_captain", name="two_captains"),
        CheckConstraint(
            "cardinality(purchase_prices) = cardinality(picks)", name="purchase_prices"
        ),
        CheckConstraint("bank >= 0 AND transfers >= 0 AND transfer_cost >= 0", name="amounts"),
    )
