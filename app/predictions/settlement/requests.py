"""Settlement jobs: the job's contract (`match_finished`), sending and resending (PRODUCT C7, C9).

Requests are written by wishes.py. Matches are settled in services.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
import structlog
from msgspec import Meta
from sqlalchemy import select, update

from app.core import clock, jobs
from app.core.db import db
from app.core.redis.clients import RedisAway
from app.predictions import keys
from app.predictions.jobs import SETTLE_MATCHES
from app.predictions.models import Match, Settlement

log = structlog.get_logger(__name__)

JOB_SECONDS = 120  # enough for a million members on a busy machine
OVERDUE = timedelta(seconds=30)

Word = Annotated[str, Meta(min_length=1, max_length=200)]
Moment = Annotated[datetime, Meta(tz=True)]


class MatchFinished(msgspec.Struct, frozen=True, rename="camel"):
    """The settlement job as the contract defines it.

    `finished_at` decides which matches are settled together.
    """

    event_type: Literal["match_finished"]
    match_id: UUID
    tournament_id: UUID
    finished_at: Moment
    provider: Word
    provider_status: Word
    internal_status: Literal["ended"]
    detected_at: Moment
    source_version: Word | None = None

    @property
    def key(self) -> str:
        """Return the idempotency key, `matchId#finishedAt`."""
        return keys.settlement_key(self.match_id, self.finished_at)


class BadPayload(jobs.PermanentJobError):
    """The payload breaks the contract, or names a match that does not exist."""


def read(payload: Any) -> MatchFinished:
    """Decode the payload. Raises BadPayload with the name of the bad field."""
    try:
        return msgspec.convert(payload, MatchFinished)
    except msgspec.ValidationError as error:
        raise BadPayload(str(error)) from error


def check(request: MatchFinished) -> None:
    """Raise BadPayload if the match is not in the tournament or did not end at that moment."""
    tournament_id = db.session.scalar(
        select(Match.tournament_id).where(Match.id == request.match_id)
    )
    if tournament_id != request.tournament_id:
        raise BadPayload("matchId: there is no such match in the tournament of tournamentId")
    if db.session.get(Settlement, request.key) is None:
        raise BadPayload("finishedAt: the match has not ended at this moment")


def send(keys: Sequence[str]) -> int:
    """Send a job for each of these keys that waits to be settled, and return their number.

    Call it after the commit that wrote them. If Redis is down, none is sent, and `send_overdue`
    sends them later.
    """
    which = (Settlement.key.in_(keys), Settlement.state == "pending")
    rows = db.session.execute(
        select(Settlement.key, Settlement.payload, Settlement.requested_at)
        .where(*which)
        .order_by(Settlement.key)
    ).all()
    db.session.rollback()
    try:
        for row in rows:
            _send(*row)
    except RedisAway as error:
        log.warning("settlements_not_sent", settlements=len(rows), reason=type(error).__name__)
        return 0
    return len(rows)


def send_overdue(now: datetime) -> int:
    """Send jobs for overdue settlements without one, and return their number. Raises RedisAway.

    Jobs are missing if Redis was down or lost them, or if a process was killed between commit and
    sending.
    """
    which = (Settlement.state == "pending", Settlement.requested_at < now - OVERDUE)
    rows = db.session.execute(
        select(Settlement.key, Settlement.payload, Settlement.requested_at)
        .where(*which)
        .order_by(Settlement.key)
    ).all()
    db.session.rollback()
    lost = [row for row in rows if not jobs.is_in_hand(_job_id(row.key, row.requested_at))]
    for row in lost:
        _send(*row)
    return len(lost)


def give_up(key: str) -> None:
    """Mark the settlement's job as a dead letter, which `send_overdue` skips. Does not commit."""
    which = (Settlement.key == key, Settlement.state == "pending")
    db.session.execute(update(Settlement).where(*which).values(state="dead"))


def take_up(key: str, now: datetime) -> bool:
    """Make a dead settlement pending again, and return whether it is.

    The caller commits, then sends it.
    """
    which = (Settlement.key == key, Settlement.state.in_(("dead", "pending")))
    taken = db.session.execute(
        update(Settlement).where(*which).values(state="pending", requested_at=now)
    )
    return bool(taken.rowcount)  # type: ignore[attr-defined]


def _send(key: str, payload: dict[str, Any], requested_at: datetime) -> None:
    jobs.send(
        SETTLE_MATCHES,
        payload,
        timeout=JOB_SECONDS,
        job_id=_job_id(key, requested_at),
    )


def _job_id(key: str, requested_at: datetime) -> str:
    """Return the job id of one request. RQ allows letters, digits, `_` and `-`."""
    match_id, _, moment = key.partition("#")
    finished = clock.to_us(datetime.fromisoformat(moment.replace("Z", "+00:00")))
    return f"settle-{match_id}-{finished}-{clock.to_us(requested_at)}"
