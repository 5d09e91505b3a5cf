"""Finding tournaments and their rounds; making and ending one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

import msgspec
from sqlalchemy import select, text
from sqlalchemy.exc import IntegrityError

from app.core.db import db
from app.core.errors import UserError
from app.predictions.models import PROVIDER_KINDS, ProviderSource, Round, Tournament
from app.predictions.points import PointRule
from app.predictions.providers import registry

LONGEST_NAME = 80


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


def polled() -> list[UUID]:
    """The active tournaments that have a provider; the one whose last poll is longest ago comes first."""
    order = (ProviderSource.polled_at.nulls_first(), Tournament.id)
    query = select(Tournament.id).join(ProviderSource).where(Tournament.is_active).order_by(*order)
    return list(db.session.scalars(query))


def create(name: str, rule: PointRule, kind: str, address: str, *, is_simulated: bool = False) -> Tournament:
    """A tournament that takes its matches from this provider from the next poll on. Commits.

    Raises UserError that says what to change.
    """
    if not 1 <= len(name) <= LONGEST_NAME:
        raise UserError(f"Give the tournament a name of 1 to {LONGEST_NAME} characters.")
    if kind not in PROVIDER_KINDS:
        raise UserError(f"There is no provider {kind!r}: use {', '.join(PROVIDER_KINDS)}.")
    if fault := registry.provider(kind).address_fault(address):
        raise UserError(f"The address {address!r} does not fit {kind}. {fault}")
    made = Tournament(id=uuid4(), name=name, rule=msgspec.to_builtins(rule), is_simulated=is_simulated)
    db.session.add(made)
    try:
        db.session.flush()
        db.session.add(
            ProviderSource(tournament_id=made.id, kind=kind, name=registry.name_of(kind, address), address=address)
        )
        db.session.commit()
    except IntegrityError as error:
        db.session.rollback()
        if getattr(getattr(error.orig, "diag", None), "constraint_name", None) != "uq_tournaments_name":
            raise
        raise UserError(f"There is a tournament {name!r} already: choose another name.") from error
    return made


def end(tournament_id: UUID) -> str:
    """Ends it, so that its provider is asked no more, and returns its name. Commits. Raises UserError."""
    found = db.session.get(Tournament, tournament_id)
    if found is None:
        raise UserError(f"There is no tournament {tournament_id}: `pressbox tournament list` shows them.")
    found.is_active, found.version = False, Tournament.version + 1
    db.session.commit()
    return found.name


def sources() -> list[tuple[Tournament, ProviderSource | None]]:
    """Every tournament with where it comes from: running ones first, then by name."""
    query = (
        select(Tournament, ProviderSource)
        .outerjoin(ProviderSource, ProviderSource.tournament_id == Tournament.id)
        .order_by(Tournament.is_active.desc(), Tournament.name)
    )
    return [(found, source) for found, source in db.session.execute(query)]


def find(tournament_id: UUID) -> Tournament | None:
    return db.session.get(Tournament, tournament_id)


def has_round(tournament_id: UUID, slug: str) -> bool:
    which = (Round.tournament_id == tournament_id, Round.slug == slug)
    return db.session.scalar(select(Round.id).where(*which)) is not None
