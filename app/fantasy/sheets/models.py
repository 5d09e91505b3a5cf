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
    """A gamer's footballers for a gameweek under some team rules, for all leagues that use them.

    It is one row, so that it is replaced as a whole. A trigger refuses changes after the deadline.

    Attributes:
        picks: Ids by place, starters first; '' for an empty place.
        captain: The captain's place, from 1.
        vice_captain: The vice-captain's place, from 1.
        purchase_prices: What each footballer cost when bought, in tenths of a million.
        bank: The money left, in tenths of a million.
        free_transfers: How many transfers were free; None for no limit.
        transfers: How many transfers were made.
        transfer_cost: What they cost, in thousandths of a point.
        version: Rises with every save.
        is_carried: Whether last gameweek's sheet was carried over because none was saved.
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
