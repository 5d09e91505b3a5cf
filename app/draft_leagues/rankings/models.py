"""Tables of rankings.

Derived: Ranking and RankedFootballer, from the record (queries.py). Truth: RankingList, the order
that a member or a commissioner chose.
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
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TEXT
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import BigId, db

Model: Any = db.Model


class Ranking(Model):
    """A ranking of a season's market, shared by all leagues with this scoring and line-up.

    `shape`: how many teams start whom (rules.Shape.name). `made_at`: when it was computed.
    """

    __tablename__ = "rankings"

    id: Mapped[BigId]
    season_id: Mapped[int] = mapped_column(ForeignKey("seasons.id", ondelete="CASCADE"))
    rules: Mapped[str]
    shape: Mapped[str]
    made_at: Mapped[datetime]

    __table_args__ = (
        UniqueConstraint("season_id", "rules", "shape", name="uq_rankings_season_id"),
    )


class RankedFootballer(Model):
    """A footballer's place in a ranking; see rules.Ranked. Points are in thousandths."""

    __tablename__ = "ranked_footballers"

    ranking_id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    footballer_id: Mapped[str] = mapped_column(
        ForeignKey("footballers.id", ondelete="CASCADE"), primary_key=True
    )
    rank: Mapped[int]
    position_rank: Mapped[int]
    tier: Mapped[int] = mapped_column(SmallInteger)
    value: Mapped[int]
    points: Mapped[int]
    per_game: Mapped[int]
    share: Mapped[int] = mapped_column(SmallInteger)
    bye_week: Mapped[int | None] = mapped_column(SmallInteger)

    __table_args__ = (
        ForeignKeyConstraint(
            ["ranking_id"],
            ["rankings.id"],
            name="fk_ranked_footballers_ranking_id",
            ondelete="CASCADE",
        ),
        Index("ix_ranked_footballers_rank", "ranking_id", "rank"),
        Index("ix_ranked_footballers_footballer_id", "footballer_id"),
    )


class RankingList(Model):
    """An order of footballers that somebody chose, on top of the ranking (lists.py).

    Attributes:
        member_id: Whose it is; None for the league's own, which its commissioner imported.
        footballer_ids: The first footballers, best first.
        projections: Projected points of the season by footballer, in thousandths, if the file had
            them.
        source: The name of the file; '' for an order made by hand.
    """

    __tablename__ = "ranking_lists"

    id: Mapped[BigId]
    league_id: Mapped[int] = mapped_column(ForeignKey("leagues.id", ondelete="CASCADE"))
    member_id: Mapped[int | None] = mapped_column(ForeignKey("members.id", ondelete="CASCADE"))
    footballer_ids: Mapped[list[str]] = mapped_column(ARRAY(TEXT))
    projections: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default="{}")
    source: Mapped[str] = mapped_column(server_default="")
    changed_at: Mapped[datetime]

    __table_args__ = (
        Index(
            "uq_ranking_lists_member_id", "league_id", text("coalesce(member_id, 0)"), unique=True
        ),
        Index("ix_ranking_lists_member_id", "member_id"),
        CheckConstraint("cardinality(footballer_ids) <= 5000", name="footballer_ids"),
    )
