"""Requests to settle: reading the job's contract (`match_finished`), and sending jobs (PRODUCT C7, C9).

Not here: what a request asks for (mapping.py writes it), doing it (settlement.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import Meta
from sqlalchemy import select

from app.core import jobs
from app.core.db import db
from app.predictions.models import Settlement

Word = Annotated[str, Meta(min_length=1, max_length=200)]
Moment = Annotated[datetime, Meta(tz=True)]


class MatchFinished(msgspec.Struct, frozen=True, rename="camel"):
    """The settlement job as the contract has it. `finished_at` decides what is settled together."""

    event_type: Literal["match_finished"]
    match_id: UUID
    tournament_id: UUID
    finished_at: Moment
    provider: Word
    provider_status: Word
    internal_status: Literal["ended"]
    detected_at: Moment
    source_version: Word | None = None


class BadPayload(Exception):
    """The payload breaks the contract, or names what does not exist: trying again cannot help."""


def read(payload: Any) -> MatchFinished:
    """Raises BadPayload that names the field."""
    try:
        return msgspec.convert(payload, MatchFinished)
    except msgspec.ValidationError as error:
        raise BadPayload(str(error)) from error


def send(keys: Sequence[str]) -> int:
    """Sends a job for each of these settlements that waits; returns how many. Raises redis.RedisError.

    Call it after the commit that wrote them. One that is lost on the way is sent by `reconcile`.
    """
    waiting = db.session.scalars(
        select(Settlement.payload)
        .where(Settlement.key.in_(keys), Settlement.state == "pending")
        .order_by(Settlement.key)
    ).all()
    db.session.rollback()
    for payload in waiting:
        jobs.send(jobs.SETTLEMENT_QUEUE, jobs.SETTLE_MATCHES, payload)
    return len(waiting)
