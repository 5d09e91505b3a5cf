"""Dead letters of every kind: failed jobs, unreadable messages, dead deliveries.

An id names the kind: `job-7`, `message-12`, `webhook-<id of the delivery>`. Replaying is in
replaying.py.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    Subquery,
    Text,
    and_,
    any_,
    cast,
    collate,
    func,
    literal,
    select,
    true,
    tuple_,
    union_all,
)
from sqlalchemy.dialects.postgresql import ARRAY, aggregate_order_by
from sqlalchemy.orm import InstrumentedAttribute, aliased

from app.audit import log as audit
from app.audit.acts import Act
from app.core.db import db
from app.core.errors import UserError
from app.dead_letters.models import DeadJob
from app.scores.webhooks.models import WebhookDelivery
from app.stream.models import DeadLetter

log = structlog.get_logger(__name__)

JOB, MESSAGE, WEBHOOK = "job", "message", "webhook"
WEBHOOKS = "webhooks"
MOST_REPLAYS = 3
MOST_GROUPS = 200
MOST_DIGITS = 18  # in an id
# a PostgreSQL regular expression
_PARTICULARS = r"'[^']*'|\"[^\"]*\"|\y[0-9a-f]{8}-[0-9a-f-]{27}\y|\d+"


@dataclass(frozen=True)
class Letter:
    """A dead letter. `kind`: the job, the topic, or `webhooks`. `cause`: for grouping.

    `replays`: how often it was sent again.
    """

    id: str
    kind: str
    cause: str
    error: str
    at: datetime
    replays: int
    is_ours: bool = True

    @property
    def place(self) -> str:
        """Its position in the list, for `waiting`."""
        return f"{self.at.isoformat()}~{self.id}"


@dataclass(frozen=True)
class Group:
    """Dead letters that share kind and reason."""

    kind: str
    cause: str
    count: int
    oldest: datetime
    newest: datetime
    example: str


def waiting(
    kind: str | None = None, cause: str | None = None, *, after: str = "", limit: int | None = None
) -> list[Letter]:
    """The dead letters that wait for an operator, oldest first.

    `kind` and `cause` restrict them; `after` continues behind the letter with this `place`. Raises
    UserError for an invalid `after`.
    """
    chosen = [
        of == value
        for of, value in ((_ALL.c.kind, kind), (_ALL.c.cause, cause))
        if value is not None
    ]
    if after:
        chosen.append(tuple_(_ALL.c.at, _ALL.c.id) > tuple_(*_place(after)))
    return _read(select(_ALL).where(*chosen).order_by(_ALL.c.at, _ALL.c.id).limit(limit))


def groups(kind: str | None = None, cause: str | None = None) -> list[Group]:
    """Groups by kind and cause, largest first, MOST_GROUPS at most, each with its oldest id."""
    chosen = [
        of == value
        for of, value in ((_ALL.c.kind, kind), (_ALL.c.cause, cause))
        if value is not None
    ]
    count = func.count()
    example = func.array_agg(aggregate_order_by(_ALL.c.id, _ALL.c.at, _ALL.c.id))[1]
    rows = db.session.execute(
        select(_ALL.c.kind, _ALL.c.cause, count, func.min(_ALL.c.at), func.max(_ALL.c.at), example)
        .where(*chosen)
        .group_by(_ALL.c.kind, _ALL.c.cause)
        .order_by(count.desc(), _ALL.c.kind, _ALL.c.cause)
        .limit(MOST_GROUPS)
    )
    return [Group(*row) for row in rows]


def find(letter_id: str) -> Letter:
    """The waiting dead letter with this id. Raises UserError if there is none."""
    name, _, number = letter_id.partition("-")
    known = (
        name in (JOB, MESSAGE, WEBHOOK)
        and number.isascii()
        and number.isdecimal()
        and len(number) <= MOST_DIGITS
    )
    waiting = (
        _read(select(_ALL).where(_ALL.c.number == int(number), _ALL.c.id == letter_id))
        if known
        else []
    )
    if not waiting:
        raise UserError(
            f"There is no pending dead letter {letter_id}. `pressbox dead-letters list` shows "
            "all pending ones."
        )
    return waiting[0]


def row(letter: Letter) -> Any:
    """The row of the dead letter, locked until the end of the transaction.

    Raises UserError if it does not exist any more.
    """
    name, _, number = letter.id.partition("-")
    model = {JOB: DeadJob, MESSAGE: DeadLetter, WEBHOOK: WebhookDelivery}[name]
    stored = db.session.get(model, int(number), with_for_update=True, populate_existing=True)
    if stored is None:
        raise UserError(
            f"{letter.id} no longer exists. `pressbox dead-letters list` shows all pending ones."
        )
    return stored


def details(letter: Letter) -> dict[str, str]:
    """Everything stored about the dead letter, in reading order."""
    stored = row(letter)
    texts = {"id": letter.id, "kind": letter.kind, "cause": letter.cause, "error": letter.error}
    texts["died"] = f"{letter.at:%Y-%m-%dT%H:%M:%SZ}"
    if isinstance(stored, DeadJob):
        texts |= {
            "first failed": f"{stored.first_failed_at:%Y-%m-%dT%H:%M:%SZ}",
            "attempts": str(stored.attempts),
            "queue": stored.queue,
            "key": stored.key,
            "payload": json.dumps(stored.payload),
        }
    elif isinstance(stored, DeadLetter):
        texts |= {
            "place": f"partition {stored.partition}, offset {stored.offset}",
            "key": repr(stored.key),
            "signed by us": "yes" if stored.is_ours else "no: it is never sent again",
            "payload": stored.payload.decode(errors="replace"),
        }
    else:
        texts |= {"webhook": f"{stored.webhook_id}/{stored.number}", "payload": stored.body}
    texts["replays"] = str(letter.replays)
    db.session.rollback()
    return texts


def drop(letter_id: str, reason: str, now: datetime, *, by: int | None = None) -> None:
    """Drop the dead letter for this reason; `by`: the member, None on the command line.

    Commits. Raises UserError.
    """
    letter = find(letter_id)
    stored = row(letter)
    if isinstance(stored, WebhookDelivery):
        db.session.rollback()
        raise UserError(
            f"{letter_id} is a webhook delivery. It expires on its own, and its integrator sees it."
        )
    stored.done_at, stored.dropped_because = now, reason
    subject, details = f"dead-letter:{letter.id}", {"kind": letter.kind, "cause": letter.cause}
    audit.record(
        Act.DEAD_LETTERS_DROPPED, actor_id=by, subject=subject, reason=reason, details=details
    )
    db.session.commit()
    log.warning(
        "dead_letter_dropped",
        dead_letter=letter.id,
        kind=letter.kind,
        cause=letter.cause,
        reason=reason,
    )


def _cause_of(reason: ColumnElement[str] | InstrumentedAttribute[str]) -> ColumnElement[str]:
    """The first line of the reason without its particulars, so that similar ones are grouped."""
    return func.left(
        func.regexp_replace(func.regexp_replace(reason, "[\\n\\r].*", ""), _PARTICULARS, "…", "g"),
        120,
    )


def _open_letters() -> Subquery:
    """Waiting letters of all kinds: kind, id, number, cause, error, at, replays, is_ours."""
    prefix, suffix = literal("^workers\\.jobs\\."), literal("\\.run$")
    job = func.regexp_replace(func.regexp_replace(DeadJob.job, prefix, ""), suffix, "")
    died = func.coalesce(WebhookDelivery.reason, "")
    columns = (
        (
            DeadJob,
            JOB,
            job,
            DeadJob.cause,
            DeadJob.error,
            DeadJob.died_at,
            true(),
            DeadJob.done_at.is_(None),
        ),
        (
            DeadLetter,
            MESSAGE,
            DeadLetter.topic,
            _cause_of(DeadLetter.reason),
            DeadLetter.reason,
            DeadLetter.created_at,
            DeadLetter.is_ours,
            DeadLetter.done_at.is_(None),
        ),
        (
            WebhookDelivery,
            WEBHOOK,
            literal(WEBHOOKS),
            _cause_of(func.coalesce(WebhookDelivery.reason, "no reason")),
            died,
            WebhookDelivery.ended_at,
            true(),
            and_(WebhookDelivery.state == "dead", WebhookDelivery.ended_at.is_not(None)),
        ),
    )
    selects = [
        select(
            kind.label("kind"),
            collate(literal(f"{name}-") + cast(model.id, Text), "C").label("id"),
            model.id.label("number"),
            cause.label("cause"),
            error.label("error"),
            at.label("at"),
            model.replays.label("replays"),
            is_ours.label("is_ours"),
        ).where(which)
        for model, name, kind, cause, error, at, is_ours, which in columns
    ]
    return union_all(*selects).subquery("letters")


_ALL = _open_letters()


def _read(query: Select[Any]) -> list[Letter]:
    rows = db.session.execute(query).all()
    sent = _replays([row.number for row in rows if row.id.startswith(MESSAGE)])
    return [
        Letter(
            row.id,
            row.kind,
            row.cause,
            row.error,
            row.at,
            sent.get(row.number, 0) if row.id.startswith(MESSAGE) else row.replays,
            row.is_ours,
        )
        for row in rows
    ]


def _replays(messages: Collection[int]) -> dict[int, int]:
    """How often each of these was sent again, without those that never were.

    Messages with the same payload are counted together, because one that fails again is a new row.
    """
    if not messages:
        return {}
    before = aliased(DeadLetter)
    same = (
        before.topic == DeadLetter.topic,
        func.sha256(before.payload) == func.sha256(DeadLetter.payload),
    )
    rows = db.session.execute(
        select(DeadLetter.id, func.sum(before.replays))
        .join(before, and_(*same, before.replays > 0))
        .where(DeadLetter.id == any_(literal(list(messages), ARRAY(BigInteger))))
        .group_by(DeadLetter.id)
    )
    return {number: int(count) for number, count in rows}


def _place(after: str) -> tuple[datetime, str]:
    at, _, letter_id = after.partition("~")
    try:
        moment = datetime.fromisoformat(at)
        if moment.tzinfo is None or not letter_id.isprintable():
            raise ValueError
    except ValueError as error:
        raise UserError("The list has no such position. Start with the first page.") from error
    return moment, letter_id
