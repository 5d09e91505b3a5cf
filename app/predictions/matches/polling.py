"""Polls the provider of a tournament, and sends the settlement jobs that its answer asks for
(PRODUCT C3, C4).

Matches, the wishes to settle them and what the provider said of its answer are written in one
transaction; jobs and the invalidation of projections follow its commit, and what is lost there is
made good by the reconcile job. A provider that fails changes nothing. Not here: what an answer
changes (mapping.py), pictures (assets.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

import redis
import structlog
from sqlalchemy import select

from app.core.db import db, transaction
from app.predictions.matches import findings, mapping
from app.predictions.matches.writing import Mapped
from app.predictions.models import ProviderSource
from app.predictions.projections import store as projections
from app.predictions.providers import registry
from app.predictions.providers.offer import Offer, ProviderFault, Seen, Unchanged
from app.predictions.settlement import requests

log = structlog.get_logger(__name__)

FAILURES_TO_OPEN = 3  # in a row, then the circuit opens
FIRST_PAUSE, LONGEST_PAUSE = timedelta(minutes=10), timedelta(hours=1)


class Outcome(StrEnum):
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    FAILED = "failed"
    PAUSED = "paused"  # the circuit is open: nothing was asked
    OVERTAKEN = "overtaken"  # somebody else polled meanwhile: our answer was dropped


@dataclass(frozen=True)
class Polled:
    """`fault`: what is wrong with the provider.

    `rounds`, `settlements`: how many changed, how many are wanted.

    `bad_rows`: how many rows of the answer could not be used; each is a finding.
    """

    outcome: Outcome
    fault: str | None = None
    rounds: int = 0
    settlements: int = 0
    bad_rows: int = 0


def pause(failures: int) -> timedelta:
    """How long nothing is asked after so many failures in a row: 10, 20, 40 minutes, then an
    hour."""
    if failures < FAILURES_TO_OPEN:
        return timedelta(0)
    doublings: int = min(failures - FAILURES_TO_OPEN, 3)
    return min(FIRST_PAUSE * (1 << doublings), LONGEST_PAUSE)


def poll(tournament_id: UUID, now: datetime) -> Polled:
    """Asks the provider, writes what changed and sends the settlement jobs.

    Commits. Never raises for the provider.
    """
    source = db.session.scalars(
        select(ProviderSource)
        .where(ProviderSource.tournament_id == tournament_id)
        .execution_options(populate_existing=True)
    ).one()
    db.session.expunge(source)
    db.session.rollback()  # no transaction waits for somebody else's server
    if source.retry_at is not None and now < source.retry_at:
        return Polled(Outcome.PAUSED, source.fault)
    try:
        offer, seen = registry.provider(source.kind).fetch(
            source.address, Seen(source.etag, source.last_modified)
        )
    except ProviderFault as fault:
        db.session.rollback()
        return _failed(source, str(fault), now)
    db.session.rollback()
    with transaction():
        mapped = _written(source, offer, seen, now)
    if mapped is None:
        return Polled(Outcome.OVERTAKEN)
    findings.report(tournament_id, mapped.findings)
    _pass_on(tournament_id, mapped)
    outcome = Outcome.CHANGED if mapped.rounds or mapped.teams else Outcome.UNCHANGED
    return Polled(
        outcome,
        rounds=len(mapped.rounds),
        settlements=len(mapped.settlements),
        bad_rows=mapped.bad_rows,
    )


def _written(
    source: ProviderSource, offer: Offer | Unchanged, seen: Seen, now: datetime
) -> Mapped | None:
    """None: another poll wrote since `source` was read.

    Which answer is the newer one is not known, so ours goes.
    """
    held = _locked(source)
    if held is None:
        return None
    mapped = (
        Mapped()
        if isinstance(offer, Unchanged)
        else mapping.apply(source.tournament_id, source.name, offer, now)
    )
    # else an operator's act may have asked for the whole answer meanwhile
    if not isinstance(offer, Unchanged):
        held.etag, held.last_modified = seen.etag, seen.last_modified
    held.polled_at = held.succeeded_at = now
    held.failures, held.retry_at, held.fault = 0, None, None
    return mapped


def _failed(source: ProviderSource, fault: str, now: datetime) -> Polled:
    with transaction():
        held = _locked(source)
        if held is None:
            return Polled(Outcome.OVERTAKEN)
        held.failures += 1
        held.polled_at, held.fault = now, fault
        held.retry_at = now + pause(held.failures) if pause(held.failures) else None
        failures, retry_at = held.failures, held.retry_at
    log.warning(
        "provider_failed",
        tournament_id=str(source.tournament_id),
        kind=source.kind,
        fault=fault,
        failures=failures,
        retry_at=retry_at.isoformat() if retry_at else None,
    )
    return Polled(Outcome.FAILED, fault)


def _locked(source: ProviderSource) -> ProviderSource | None:
    """The source's row, locked; None when somebody wrote it since `source` was read."""
    held: ProviderSource = db.session.scalars(
        select(ProviderSource)
        .where(ProviderSource.tournament_id == source.tournament_id)
        .with_for_update()
    ).one()
    return held if (held.polled_at, held.failures) == (source.polled_at, source.failures) else None


def _pass_on(tournament_id: UUID, mapped: Mapped) -> None:
    """What follows the commit. Redis away: the reconcile job does both later."""
    try:
        if mapped.rounds or mapped.teams:
            projections.invalidate(tournament_id, mapped.rounds)
            projections.note_invalidated(tournament_id, mapped.version)
        if mapped.settlements:
            requests.send(mapped.settlements)
    except redis.RedisError as error:
        log.warning(
            "poll_redis_away", tournament_id=str(tournament_id), reason=type(error).__name__
        )
