"""Tables of keepers: until when they are chosen, and who is."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, ForeignKeyConstraint, SmallInteger
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import db

Model: Any = db.Model


class KeeperWindow(Model):
    """Until when the teams of a league that goes on choose their keepers.

    `closed_at`: since when the choices stand; None while they can change.
    """

    __tablename__ = "keeper_windows"

    league_id: Mapped[int] = mapped_column(
        ForeignKey("leagues.id", ondelete="CASCADE"), primary_key=True
    )
    deadline: Mapped[datetime]
    closed_at: Mapped[datetime | None]


class KeeperChoice(Model):
    """A footballer of last season's roster whom a franchise wants to keep.

    Attributes:
        position: Its place among the franchise's choices, from 1.
        round: The round whose pick they occupy; None until the choices stand.
        price: What they cost in an auction.
        seasons: How many seasons in a row they have been kept, this one included.
    """

    __tablename__ = "keeper_choices"

    league_id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    footballer_id: Mapped[str] = mapped_column(ForeignKey("footballers.id"), primary_key=True)
    franchise: Mapped[int] = mapped_column(SmallInteger)
    position: Mapped[int] = mapped_column(SmallInteger)
    round: Mapped[int | None] = mapped_column(SmallInteger)
    price: Mapped[int] = mapped_column(server_default="0")
    seasons: Mapped[int] = mapped_column(SmallInteger, server_default="0")

    __table_args__ = (
        ForeignKeyConstraint(
            ["league_id", "franchise"],
            ["franchises.league_id", "franchises.number"],
            name="fk_keeper_choices_franchise",
            ondelete="CASCADE",
        ),
        CheckConstraint("position > 0", name="position"),
        CheckConstraint("round > 0", name="round"),
        CheckConstraint("price >= 0", name="price"),
    )
