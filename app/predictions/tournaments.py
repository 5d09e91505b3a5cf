"""Tournaments and their rounds: finding, creating, declaring which score counts, ending."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

import msgspec
from sqlalchemy import exists, or_, select, text
from sqlalchemy.exc import IntegrityError

from app.core.db import db
from app.core.errors import UserError
from app.predictions.counted_score import CountedScore
from app.predictions.models import PROVIDER_KINDS, Match, ProviderSource, Round, Tournament
from app.predictions.points import PointRule
from app.predictions.providers import registry
from app.predictions.statuses import ENDED

LONGEST_NAME = 80


@dataclass(frozen=True)
class Listed:
    """A tournament in the list; `rounds` are slugs in order."""

    id: UUID
    name: str
    is_active: bool
    counted_score: CountedScore
    rounds: Sequence[str]


_LISTED = text(
    """
    SELECT t.id, t.name, t.is_active, t.counted_score,
      coalesce(array_agg(r.slug ORDER BY r.position, r.slug) FILTER (WHERE r.id IS NOT NULL),
        '{}') AS rounds
    FROM tournaments t LEFT JOIN rounds r ON r.tournament_id = t.id
    GROUP BY t.id ORDER BY t.is_active DESC, t.name
    """
)


def listed() -> list[Listed]:
    """Load every tournament: running ones first, then by name."""
    return [
        Listed(row.id, row.name, row.is_active, CountedScore(row.counted_score), row.rounds)
        for row in db.session.execute(_LISTED)
    ]


def rule_of(tournament_id: UUID) -> PointRule:
    """Load the point rule of the tournament."""
    data = db.session.scalars(select(Tournament.rule).where(Tournament.id == tournament_id)).one()
    return msgspec.convert(data, PointRule)


def polled() -> list[UUID]:
    """Load the ids of active tournaments with a provider, the one with the oldest poll first."""
    order = (ProviderSource.polled_at.nulls_first(), Tournament.id)
    query = select(Tournament.id).join(ProviderSource).where(Tournament.is_active).order_by(*order)
    return list(db.session.scalars(query))


@dataclass(frozen=True)
class Provider:
    """The source of a tournament's matches: a kind of provider and an address of that kind."""

    kind: str
    address: str


def create(
    name: str,
    rule: PointRule,
    provider: Provider,
    *,
    is_simulated: bool = False,
    declared: CountedScore | None = None,
) -> Tournament:
    """Create a tournament that takes its matches from this provider. Commits.

    Args:
        name: Unique, 1 to 80 characters.
        rule: The points that guesses earn.
        provider: The source of the matches, used from the next poll on.
        is_simulated: Whether its clock is not the real one.
        declared: The score that counts; None for the one that the provider gives.

    Raises:
        UserError: The text says what to change.
    """
    kind, address = provider.kind, provider.address
    if rule.fault:
        raise UserError(rule.fault)
    if not 1 <= len(name) <= LONGEST_NAME:
        raise UserError(f"Give the tournament a name of 1 to {LONGEST_NAME} characters.")
    if kind not in PROVIDER_KINDS:
        raise UserError(f"There is no provider {kind!r}. Use {', '.join(PROVIDER_KINDS)}.")
    if fault := registry.provider(kind).address_fault(address):
        raise UserError(f"The address {address!r} does not fit {kind}. {fault}")
    has_overtime = kind in registry.WITH_OVERTIME
    declared = declared or (CountedScore.OVERTIME if has_overtime else CountedScore.AS_GIVEN)
    if has_overtime and declared != CountedScore.OVERTIME:
        raise UserError(
            f"Final scores of {kind} always include overtime. Leave out which score counts."
        )
    tournament = Tournament(
        id=uuid4(),
        name=name,
        rule=msgspec.to_builtins(rule),
        is_simulated=is_simulated,
        counted_score=declared.value,
    )
    db.session.add(tournament)
    try:
        db.session.flush()
        db.session.add(
            ProviderSource(
                tournament_id=tournament.id,
                kind=kind,
                name=registry.name_of(kind, address),
                address=address,
            )
        )
        db.session.commit()
    except IntegrityError as error:
        db.session.rollback()
        if (
            getattr(getattr(error.orig, "diag", None), "constraint_name", None)
            != "uq_tournaments_name"
        ):
            raise
        raise UserError(f"There is already a tournament {name!r}. Choose another name.") from error
    return tournament


def declare(tournament_id: UUID, declared: CountedScore) -> str:
    """Declare which score counts, as long as no match has ended. Commits.

    The stored scores follow the old declaration. So the next poll reads everything again, and the
    result of a poll that is under way is dropped.

    Returns:
        The tournament's name.

    Raises:
        UserError: The text says what to change.
    """
    locked = (
        select(ProviderSource)
        .where(ProviderSource.tournament_id == tournament_id)
        .with_for_update()
    )
    source = db.session.scalar(locked)
    tournament = db.session.scalar(
        select(Tournament).where(Tournament.id == tournament_id).with_for_update(key_share=True)
    )
    if tournament is None or source is None:
        raise UserError(
            f"There is no tournament {tournament_id}: `pressbox tournament list` shows them."
        )
    if source.kind in registry.WITH_OVERTIME:
        raise UserError(
            f"Final scores of {source.kind} always include overtime. There is nothing to choose."
        )
    has_ended = or_(Match.status == ENDED, Match.terms.is_not(None))
    if db.session.scalar(select(exists().where(Match.tournament_id == tournament_id, has_ended))):
        raise UserError(
            f"A match of {tournament.name} has already ended, so it keeps counting "
            f"{tournament.counted_score}. Create a new tournament to count another score."
        )
    tournament.counted_score, tournament.version = declared.value, Tournament.version + 1
    source.etag = source.last_modified = source.polled_at = None
    name: str = tournament.name
    db.session.commit()
    return name


def end(tournament_id: UUID) -> str:
    """End the tournament, so that its provider is no longer polled. Commits.

    Returns:
        The tournament's name.

    Raises:
        UserError: There is no such tournament.
    """
    tournament = db.session.get(Tournament, tournament_id)
    if tournament is None:
        raise UserError(
            f"There is no tournament {tournament_id}: `pressbox tournament list` shows them."
        )
    tournament.is_active, tournament.version = False, Tournament.version + 1
    db.session.commit()
    return tournament.name


def sources() -> list[tuple[Tournament, ProviderSource | None]]:
    """Load every tournament with its provider: running ones first, then by name."""
    query = (
        select(Tournament, ProviderSource)
        .outerjoin(ProviderSource, ProviderSource.tournament_id == Tournament.id)
        .order_by(Tournament.is_active.desc(), Tournament.name)
    )
    return [(tournament, source) for tournament, source in db.session.execute(query)]


def find(tournament_id: UUID) -> Tournament | None:
    """Load the tournament, if there is one."""
    return db.session.get(Tournament, tournament_id)


def has_round(tournament_id: UUID, slug: str) -> bool:
    """Whether the tournament has a round of this slug."""
    which = (Round.tournament_id == tournament_id, Round.slug == slug)
    return db.session.scalar(select(Round.id).where(*which)) is not None
