"""Polls the provider of a tournament and sends the settlement jobs it calls for (PRODUCT C3, C4).

Matches, settlement requests and findings are written in one transaction. Jobs and the invalidation
of projections follow the commit; if they are lost, the reconcile job makes up for them. If a
provider fails, nothing changes. Answers are applied in mapping.py, and pictures are in pictures/.
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
from app.predictions.providers.offer import Offer, ProviderError, Seen, Unchanged
from app.predictions.settlement import requests

log = structlog.get_logger(__name__)

FAILURES_TO_OPEN = 3  # in a row, after which the circuit opens
FIRST_PAUSE, LONGEST_PAUSE = timedelta(minutes=10), timedelta(hours=1)


class Outcome(StrEnum):
    """The outcome of a poll."""

    CHANGED = "changed"
    UNCHANGED = "unchanged"
    FAILED = "failed"
    PAUSED = "paused"  # the circuit is open, so no request was made
    OVERTAKEN = "overtaken"  # another poll finished meanwhile, so our answer was dropped


@dataclass(frozen=True)
class Polled:
    """The result of a poll.

    `fault` says what is wrong with the provider. `rounds` is the number of changed rounds, and
    `settlements` of requested settlements. `bad_rows` is the number of rows of the answer that
    could not be used.
    """

    outcome: Outcome
    fault: str | None = None
    rounds: int = 0
    settlements: int = 0
    bad_rows: int = 0


def pause(failures: int) -> timedelta:
    """Return the pause after this many failures in a row: from the third on 10, 20, 40, 60 min."""
    if failures < FAILURES_TO_OPEN:
        return timedelta(0)
    doublings: int = min(failures - FAILURES_TO_OPEN, 3)
    return min(FIRST_PAUSE * (1 << doublings), LONGEST_PAUSE)


def poll(tournament_id: UUID, now: datetime) -> Polled:
    """Ask the provider, write what changed and send the settlement jobs. Commits.

    Never raises if the provider fails.
    """
    source = db.session.scalars(
        select(ProviderSource)
        .where(ProviderSource.tournament_id == tournament_id)
        .execution_options(populate_existing=True)
    ).one()
    db.session.expunge(source)
    db.session.rollback()  # no transaction may wait for an external server
    if source.retry_at is not None and now < source.retry_at:
        return Polled(Outcome.PAUSED, source.fault)
    try:
        offer, validators = registry.provider(source.kind).fetch(
            source.address, Seen(source.etag, source.last_modified)
        )
    except ProviderError as fault:
        db.session.rollback()
        return _failed(source, str(fault), now)
    db.session.rollback()
    with transaction():
        mapped = _written(source, offer, validators, now)
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
    source: ProviderSource, offer: Offer | Unchanged, validators: Seen, now: datetime
) -> Mapped | None:
    """Write the answer. Returns None if another poll has written since `source` was read.

    It is unknown which answer is newer, so this one is dropped.
    """
    row = _locked(source)
    if row is None:
        return None
    mapped = (
        Mapped()
        if isinstance(offer, Unchanged)
        else mapping.apply(source.tournament_id, source.name, offer, now)
    )
    # If it is Unchanged, keep the validators: an operator's act may have cleared them meanwhile.
    if not isinstance(offer, Unchanged):
        row.etag, row.last_modified = validators.etag, validators.last_modified
    row.polled_at = row.succeeded_at = now
    row.failures, row.retry_at, row.fault = 0, None, None
    return mapped


def _failed(source: ProviderSource, fault: str, now: datetime) -> Polled:
    with transaction():
        row = _locked(source)
        if row is None:
            return Polled(Outcome.OVERTAKEN)
        row.failures += 1
        row.polled_at, row.fault = now, fault
        row.retry_at = now + pause(row.failures) if pause(row.failures) else None
        failures, retry_at = row.failures, row.retry_at
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
    """Lock and return the source's row; None if another poll wrote it since `source` was read."""
    row: ProviderSource = db.session.scalars(
        select(ProviderSource)
        .where(ProviderSource.tournament_id == source.tournament_id)
        .with_for_update()
    ).one()
    return row if (row.polled_at, row.failures) == (source.polled_at, source.failures) else None


def _pass_on(tournament_id: UUID, mapped: Mapped) -> None:
    """Invalidate projections and send jobs. If Redis is down, the reconcile job does both later."""
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
