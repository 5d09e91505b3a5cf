"""What PostgreSQL holds of the players and attempts of submitted scores, read as plain rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, and_, any_, bindparam, select

from app.accounts.models import Player
from app.core.db import db
from app.scores.models import ScoreAttempt


class KnownPlayer(NamedTuple):
    """A player, with their sanctions."""

    id: UUID
    integrator_id: int | None
    banned_until: datetime | None
    hidden_at: datetime | None


class DecidedAttempt(NamedTuple):
    """An attempt that was decided; see ScoreAttempt."""

    event_id: UUID
    mode_id: UUID
    score: int
    subscore: int | None
    achieved_at: datetime
    fraud_state: str
    fraud_reasons: list[str]
    rolled_back_at: datetime | None


@dataclass(frozen=True)
class Known:
    """Players by id, and decided attempts by event."""

    players: Mapping[UUID, KnownPlayer]
    decided: Mapping[UUID, DecidedAttempt]


_PLAYER = [getattr(Player, name) for name in KnownPlayer._fields]
_ATTEMPT = [getattr(ScoreAttempt, name) for name in DecidedAttempt._fields]
# Ids are one parameter each: a thousand parameters take a millisecond each way.
_IDS = ARRAY(Uuid())
_KNOWN = (
    select(*_PLAYER, *_ATTEMPT)
    .outerjoin_from(
        Player,
        ScoreAttempt,
        and_(
            ScoreAttempt.event_id == any_(bindparam("events", type_=_IDS)),
            ScoreAttempt.player_id == Player.id,
        ),
    )
    .where(Player.id == any_(bindparam("players", type_=_IDS)))
)


def known_of(players: Collection[UUID], events: Collection[UUID]) -> Known:
    """Load the players and their decided attempts among these events in one query."""
    rows = db.session.execute(_KNOWN, {"players": list(players), "events": list(events)}).all()
    width = len(_PLAYER)
    by_id = {row[0]: KnownPlayer._make(row[:width]) for row in rows}
    decided = {
        row[width]: DecidedAttempt._make(row[width:]) for row in rows if row[width] is not None
    }
    return Known(by_id, decided)
