"""One door to dead letters of every kind: failed jobs, messages that no consumer could take in, dead deliveries.

An id names the kind: `job-7`, `message-12`, `webhook-<id of the delivery>`. Not here: sending again (replaying.py).
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog
from sqlalchemy import func, select

from app.core.db import db
from app.core.errors import UserError
from app.dead_letters.models import DeadJob
from app.scores.feed_models import WebhookDelivery
from app.stream.models import DeadLetter

log = structlog.get_logger(__name__)

JOB, MESSAGE, WEBHOOK = "job", "message", "webhook"
WEBHOOKS = "webhooks"
MOST_REPLAYS = 3
_PARTICULARS = re.compile(r"'[^']*'|\"[^\"]*\"|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\d+")


@dataclass(frozen=True)
class Letter:
    """`kind`: the job, the topic, or `webhooks`; `cause` for grouping; `replays`: how often it was sent again."""

    id: str
    kind: str
    cause: str
    error: str
    at: datetime
    replays: int
    is_ours: bool = True


@dataclass(frozen=True)
class Group:
    kind: str
    cause: str
    count: int
    oldest: datetime
    newest: datetime
    example: str


def waiting(kind: str | None = None, cause: str | None = None) -> list[Letter]:
    """Those that wait for an operator, the oldest first. `kind`, `cause`: of these alone."""
    found = sorted([*_jobs(), *_messages(), *_deliveries()], key=lambda letter: (letter.at, letter.id))
    return [one for one in found if kind in (None, one.kind) and cause in (None, one.cause)]


def grouped(letters: Iterable[Letter]) -> list[Group]:
    """By kind and cause, the largest first. `example`: the oldest one's id."""
    groups: dict[tuple[str, str], list[Letter]] = defaultdict(list)
    for letter in letters:
        groups[letter.kind, letter.cause].append(letter)
    made = [
        Group(kind, cause, len(some), min(one.at for one in some), max(one.at for one in some), some[0].id)
        for (kind, cause), some in groups.items()
    ]
    return sorted(made, key=lambda group: (-group.count, group.kind, group.cause))


def find(letter_id: str) -> Letter:
    """One that waits. Raises UserError for any other id."""
    found = next((one for one in waiting() if one.id == letter_id), None)
    if found is None:
        raise UserError(f"No dead letter {letter_id} waits: `pressbox dead-letters list` shows those that do.")
    return found


def row(letter: Letter) -> Any:
    """The row behind it, locked until the end of the transaction. Raises UserError when it is gone meanwhile."""
    name, _, number = letter.id.partition("-")
    model = {JOB: DeadJob, MESSAGE: DeadLetter, WEBHOOK: WebhookDelivery}[name]
    found = db.session.get(model, int(number), with_for_update=True, populate_existing=True)
    if found is None:
        raise UserError(f"{letter.id} is gone meanwhile: `pressbox dead-letters list` shows what waits.")
    return found


def details(letter: Letter) -> dict[str, str]:
    """Everything that is kept of it, in the order in which to read it."""
    held = row(letter)
    said = {"id": letter.id, "kind": letter.kind, "cause": letter.cause, "error": letter.error}
    said["died"] = f"{letter.at:%Y-%m-%dT%H:%M:%SZ}"
    if isinstance(held, DeadJob):
        said |= {
            "first failed": f"{held.first_failed_at:%Y-%m-%dT%H:%M:%SZ}",
            "attempts": str(held.attempts),
            "queue": held.queue,
            "key": held.key,
            "payload": json.dumps(held.payload),
        }
    elif isinstance(held, DeadLetter):
        said |= {
            "place": f"partition {held.partition}, offset {held.offset}",
            "key": repr(held.key),
            "signed by us": "yes" if held.is_ours else "no: it is never sent again",
            "payload": held.payload.decode(errors="replace"),
        }
    else:
        said |= {"webhook": f"{held.webhook_id}/{held.number}", "payload": held.body}
    said["replays"] = str(letter.replays)
    db.session.rollback()
    return said


def drop(letter_id: str, reason: str, now: datetime) -> None:
    """Gives it up, with the operator's reason. Commits. Raises UserError."""
    letter = find(letter_id)
    held = row(letter)
    if isinstance(held, WebhookDelivery):
        db.session.rollback()
        raise UserError(f"{letter_id} is a delivery of a webhook: it goes away by itself, its integrator sees it.")
    held.done_at, held.dropped_because = now, reason
    db.session.commit()
    log.warning("dead_letter_dropped", dead_letter=letter.id, kind=letter.kind, cause=letter.cause, reason=reason)


def job_name(name: str) -> str:
    """`settle_matches` for `workers.jobs.settle_matches.run`."""
    return name.removeprefix("workers.jobs.").removesuffix(".run")


def _jobs() -> list[Letter]:
    columns = (DeadJob.id, DeadJob.job, DeadJob.cause, DeadJob.error, DeadJob.died_at, DeadJob.replays)
    return [
        Letter(f"{JOB}-{id}", job_name(job), cause, error, at, replays)
        for id, job, cause, error, at, replays in db.session.execute(select(*columns).where(DeadJob.done_at.is_(None)))
    ]


def _messages() -> list[Letter]:
    """Those that share a payload count their replays together: one that fails again is a new row."""
    content = func.sha256(DeadLetter.payload)
    replays = select(DeadLetter.topic, content.label("content"), func.sum(DeadLetter.replays).label("replays"))
    counted = replays.group_by(DeadLetter.topic, content).subquery()
    rows = db.session.execute(
        select(
            DeadLetter.id,
            DeadLetter.topic,
            DeadLetter.reason,
            DeadLetter.created_at,
            DeadLetter.is_ours,
            counted.c.replays,
        )
        .join(counted, (counted.c.topic == DeadLetter.topic) & (counted.c.content == content))
        .where(DeadLetter.done_at.is_(None))
    )
    return [
        Letter(f"{MESSAGE}-{id}", topic, cause_of(reason), reason, at, int(replays), is_ours)
        for id, topic, reason, at, is_ours, replays in rows
    ]


def _deliveries() -> list[Letter]:
    columns = (WebhookDelivery.id, WebhookDelivery.reason, WebhookDelivery.ended_at, WebhookDelivery.replays)
    return [
        Letter(f"{WEBHOOK}-{id}", WEBHOOKS, cause_of(reason or "no reason"), reason or "", at, replays)
        for id, reason, at, replays in db.session.execute(select(*columns).where(WebhookDelivery.state == "dead"))
        if at is not None
    ]


def cause_of(reason: str) -> str:
    """The reason without its particulars, so that like ones are one group."""
    return _PARTICULARS.sub("…", reason.splitlines()[0] if reason else "")[:120]
