"""What PostgreSQL holds of the players and attempts of submitted scores, read as plain rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, and_, any_, bindparam, select

from app.accounts.models import Player
from app.core.db import db
from app.scores.models import ScoreAttempt, ScoreAttemptKey


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
    """Players by id, and decided attempts by event.

    `archived` has when attempts were achieved that were decided and left PostgreSQL with their
    month.
    """

    players: Mapping[UUID, KnownPlayer]
    decided: Mapping[UUID, DecidedAttempt]
    archived: Mapping[UUID, datetime] = field(default_factory=dict)


_PLAYER = [getattr(Player, name) for name in KnownPlayer._fields]
_ATTEMPT = [getattr(ScoreAttempt, name) for name in DecidedAttempt._fields]
# Ids are one parameter each: a thousand parameters take a millisecond each way.
_IDS = ARRAY(Uuid())
# The key says in which month's partition the attempt is: no other one is asked.
_KNOWN = (
    select(*_PLAYER, ScoreAttemptKey.event_id, ScoreAttemptKey.achieved_at, *_ATTEMPT)
    .outerjoin_from(
        Player,
        ScoreAttemptKey,
        and_(
            ScoreAttemptKey.event_id == any_(bindparam("events", type_=_IDS)),
            ScoreAttemptKey.player_id == Player.id,
        ),
    )
    .outerjoin(
        ScoreAttempt,
        and_(
            ScoreAttempt.event_id == ScoreAttemptKey.event_id,
            ScoreAttempt.achieved_at == ScoreAttemptKey.achieved_at,
        ),
    )
    .where(Player.id == any_(bindparam("players", type_=_IDS)))
)


def known_of(players: Collection[UUID], events: Collection[UUID]) -> Known:
    """Load the players and their decided attempts among these events in one query."""
    rows = db.session.execute(_KNOWN, {"players": list(players), "events": list(events)}).all()
    by_id: dict[UUID, KnownPlayer] = {}
    decided: dict[UUID, DecidedAttempt] = {}
    archived: dict[UUID, datetime] = {}
    width = len(_PLAYER)
    for row in rows:
        by_id[row[0]] = KnownPlayer._make(row[:width])
        event_id, achieved_at, *attempt = row[width:]
        if attempt[0] is not None:
            decided[event_id] = DecidedAttempt._make(attempt)
        elif event_id is not None:
            archived[event_id] = achieved_at
    return Known(by_id, decided, archived)
