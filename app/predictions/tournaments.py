"""Finding tournaments and their rounds; making and ending one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select, text

from app.core.db import db
from app.predictions.models import Round, Tournament


@dataclass(frozen=True)
class Listed:
    """`rounds`: slugs in order."""

    id: UUID
    name: str
    is_active: bool
    rounds: Sequence[str]


_LISTED = text(
    """
    SELECT t.id, t.name, t.is_active,
      coalesce(array_agg(r.slug ORDER BY r.position, r.slug) FILTER (WHERE r.id IS NOT NULL), '{}') AS rounds
    FROM tournaments t LEFT JOIN rounds r ON r.tournament_id = t.id
    GROUP BY t.id ORDER BY t.is_active DESC, t.name
    """
)


def listed() -> list[Listed]:
    """Every tournament: running ones first, then by name."""
    return [Listed(*row) for row in db.session.execute(_LISTED)]


def find(tournament_id: UUID) -> Tournament | None:
    return db.session.get(Tournament, tournament_id)


def has_round(tournament_id: UUID, slug: str) -> bool:
    which = (Round.tournament_id == tournament_id, Round.slug == slug)
    return db.session.scalar(select(Round.id).where(*which)) is not None
