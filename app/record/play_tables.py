"""One table a kind of play, with the source design's columns (PRODUCT A3, A8; seeds/000).

All share the key (game_id, event_number, revision) and `valid`. No references between events: a pass
may arrive before its snap. The database refuses a second valid row for one event and valid false -> true.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Index, MetaData, Table, text
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import db


class _PlayRow(db.Model):  # type: ignore[name-defined]
    __abstract__ = True

    game_id: Mapped[str] = mapped_column(primary_key=True, sort_order=-5)
    event_number: Mapped[int] = mapped_column(primary_key=True, sort_order=-4)
    revision: Mapped[int] = mapped_column(primary_key=True, sort_order=-3)
    play_number: Mapped[int] = mapped_column(sort_order=-2)
    valid: Mapped[bool] = mapped_column(sort_order=-1)

    player_column: str | None = None

    @classmethod
    def __table_cls__(cls, name: str, metadata: MetaData, *columns: Any, **kwargs: Any) -> Any:
        by = [cls.player_column] if cls.player_column else []
        indexes = [
            Index(f"uq_{name}_valid", "game_id", "event_number", unique=True, postgresql_where=text("valid")),
            Index(f"ix_{name}_game_id", "game_id", *by, postgresql_where=text("valid")),
        ]
        return Table(name, metadata, *columns, *indexes, **kwargs)


class Play(_PlayRow):
    """A snap. `start_timestamp` in milliseconds since 1970; `game_seconds_played` 0 to 3600, on in overtime."""

    __tablename__ = "plays"
    start_timestamp: Mapped[int] = mapped_column(BigInteger)
    game_seconds_played: Mapped[int]
    possession: Mapped[str]
    field_position: Mapped[int]
    situation: Mapped[str]
    period: Mapped[int]
    clock: Mapped[int]
    down: Mapped[int | None]
    distance: Mapped[int | None]


class PassRow(_PlayRow):
    __tablename__ = "passes"
    player_column = "passer_id"
    team: Mapped[str]
    passer_id: Mapped[str | None]
    receiver_id: Mapped[str | None]
    result: Mapped[str]
    throw_yard: Mapped[int]
    reception_yard: Mapped[int | None]
    is_touchdown: Mapped[bool]


class RunRow(_PlayRow):
    __tablename__ = "runs"
    player_column = "player_id"
    team: Mapped[str]
    player_id: Mapped[str | None]
    kind: Mapped[str]
    start_yard: Mapped[int]
    end_yard: Mapped[int]
    is_rush: Mapped[bool]
    is_touchdown: Mapped[bool]


class SackRow(_PlayRow):
    """`half_1_id` and `half_2_id` share the sack; a whole one stands in `half_1_id` alone."""

    __tablename__ = "sacks"
    player_column = "player_id"
    team: Mapped[str]
    player_id: Mapped[str | None]
    start_yard: Mapped[int]
    end_yard: Mapped[int]
    by_team: Mapped[str | None]
    is_shared: Mapped[bool]
    half_1_id: Mapped[str | None]
    half_2_id: Mapped[str | None]


class TackleRow(_PlayRow):
    __tablename__ = "tackles"
    player_column = "tackler_id"
    team: Mapped[str]
    tackler_id: Mapped[str | None]
    tackled_id: Mapped[str | None]
    kind: Mapped[str]
    field_position: Mapped[int | None]


class TurnoverRow(_PlayRow):
    """Fumbles, recoveries and interceptions; `kind` says which."""

    __tablename__ = "turnovers"
    player_column = "player_id"
    kind: Mapped[str]
    team: Mapped[str]
    player_id: Mapped[str | None]
    yard: Mapped[int | None]
    forced_by_id: Mapped[str | None]
    out_of_bounds: Mapped[bool]
    is_touchdown: Mapped[bool]


class KickRow(_PlayRow):
    __tablename__ = "kicks"
    player_column = "kicker_id"
    team: Mapped[str]
    kicker_id: Mapped[str | None]
    kind: Mapped[str]
    result: Mapped[str]
    start_yard: Mapped[int | None]
    distance: Mapped[int | None]
    blocked_by_id: Mapped[str | None]


class ConversionRow(_PlayRow):
    __tablename__ = "conversions"
    player_column = "player_id"
    team: Mapped[str]
    side: Mapped[str]
    kind: Mapped[str]
    good: Mapped[bool]
    passer_id: Mapped[str | None]
    player_id: Mapped[str | None]


class SafetyRow(_PlayRow):
    __tablename__ = "safeties"
    player_column = "player_id"
    team: Mapped[str]
    player_id: Mapped[str | None]
    points: Mapped[int]


class CreditRow(_PlayRow):
    __tablename__ = "credits"
    player_column = "player_id"
    team: Mapped[str]
    player_id: Mapped[str | None]
    kind: Mapped[str]


class PenaltyRow(_PlayRow):
    __tablename__ = "penalties"
    player_column = "player_id"
    team: Mapped[str]
    player_id: Mapped[str | None]
    foul: Mapped[str]
    yards: Mapped[int]
    status: Mapped[str]
    outcome: Mapped[str | None]
    enforcement_yard: Mapped[int | None]


class ChallengeRow(_PlayRow):
    __tablename__ = "challenges"
    by: Mapped[str | None]
    ruling: Mapped[str]
    reason: Mapped[str]


PLAY_TABLES = [
    Play,
    PassRow,
    RunRow,
    SackRow,
    TackleRow,
    TurnoverRow,
    KickRow,
    ConversionRow,
    SafetyRow,
    CreditRow,
    PenaltyRow,
    ChallengeRow,
]
