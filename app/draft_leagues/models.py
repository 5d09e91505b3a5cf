"""Tables of draft leagues: what a league with exclusive rosters has besides a league."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, SmallInteger
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import BigId, db

Model: Any = db.Model

SETUP, DRAFTING, SEASON, FINISHED = PHASES = ("setup", "drafting", "season", "finished")


class DraftLeague(Model):
    """A league with exclusive rosters.

    Its row is the lock under which its rosters change (franchises.locked).

    Attributes:
        settings: As in settings.DraftLeagueSettings.
        phase: `setup` until the draft begins, `drafting`, then `season`, and `finished` after the
            last gameweek.
        champion: The franchise that won the play-offs; None until they are decided.
        seen_version: The versions of the league's tables, added up, that the play-offs are from
            (season/services.py).
    """

    __tablename__ = "draft_leagues"

    league_id: Mapped[int] = mapped_column(
        ForeignKey("leagues.id", ondelete="CASCADE"), primary_key=True
    )
    settings: Mapped[dict[str, Any]] = mapped_column(JSONB)
    phase: Mapped[str] = mapped_column(server_default=SETUP)
    champion: Mapped[int | None] = mapped_column(SmallInteger)
    seen_version: Mapped[int] = mapped_column(BigInteger, server_default="0")

    __table_args__ = (CheckConstraint(f"phase in {PHASES}", name="phase"),)


class BracketChange(Model):
    """How the play-offs changed after they were known, because a result was corrected. Truth.

    Attributes:
        gameweek_id: Of the games that changed; None if it is the champion.
        before: The games as pairs of franchises, the second None for a rest; of a champion, one
            pair of the champion and None, or none.
        after: The same after the correction.
    """

    __tablename__ = "bracket_changes"

    id: Mapped[BigId]
    league_id: Mapped[int] = mapped_column(
        ForeignKey("draft_leagues.league_id", ondelete="CASCADE")
    )
    gameweek_id: Mapped[int | None] = mapped_column(ForeignKey("gameweeks.id", ondelete="CASCADE"))
    before: Mapped[list[Any]] = mapped_column(JSONB)
    after: Mapped[list[Any]] = mapped_column(JSONB)
    changed_at: Mapped[datetime]

    __table_args__ = (
        Index("ix_bracket_changes_league_id", "league_id", "id"),
        Index("ix_bracket_changes_gameweek_id", "gameweek_id"),
    )
