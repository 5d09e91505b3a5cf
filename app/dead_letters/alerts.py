"""Tells operators about dead letters: one notice per cause and hour, and how many wait.

The log line is written where a dead letter is stored (failed_jobs.py, app/stream/dead_letters.py).
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import InstrumentedAttribute

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.dead_letters.models import DeadJob
from app.fantasy.notices.services import NewNotice, notify
from app.scores.webhooks.models import WebhookDelivery
from app.stream.models import DeadLetter
from app.stream.topics import Topic

KIND = "operations"
LATELY = timedelta(hours=1)
UNSIGNED = "{} (unsigned)"


def notify_operators(what: str, cause: str, now: datetime) -> int:
    """Notify each operator at most once an hour of this cause; returns how many notices are new.

    The caller commits.
    """
    name = what.removeprefix("workers.jobs.").removesuffix(".run")
    title = f"Dead letter: {name}"
    body = (
        f"It failed after every retry ({cause}). `pressbox dead-letters list` shows what is "
        "pending. "
        "Once the cause is fixed, `pressbox dead-letters replay` sends it again."
    )
    key = f"dead_letter:{name}:{cause[:100]}:{now:%Y-%m-%dT%H}"
    return _notify(key, title, body, now)


def _notify_of_unsigned(topic: str, now: datetime) -> int:
    """Notify each operator once an hour that somebody else writes to a topic of Pressbox."""
    title = f"Unsigned message on {topic}"
    body = (
        f"A message on {topic} was not signed by this Pressbox and was ignored. Find out who can "
        "write to the topic and revoke that right. /ops/dead-letters shows the message "
        "(docs/runbook.md)."
    )
    return _notify(f"unsigned:{topic}:{now:%Y-%m-%dT%H}", title, body, now)


def tell_of_replaced_topic(topic: Topic, what: str) -> int:
    """Notify each operator once an hour that the topic was deleted and recreated. Commits."""
    now = clock.now()
    title = f"Topic replaced: {topic.name}"
    body = (
        f"Kafka's topic was deleted and recreated. It is read from the beginning. {what} Find out "
        "who deleted it and compare the record with its messages using `pressbox verify`."
    )
    new = _notify(f"topic_replaced:{topic.name}:{now:%Y-%m-%dT%H}", title, body, now)
    db.session.commit()
    return new


def _notify(key: str, title: str, body: str, now: datetime) -> int:
    operators = db.session.scalars(
        select(Member.id).where(Member.roles.contains(["operator"]))
    ).all()
    return notify(
        [NewNotice(operator, KIND, key, title, body, "/notices") for operator in operators], now
    )


def notify_of_messages(now: datetime) -> int:
    """Notify operators of recent dead messages; repeating it changes nothing. Commits."""
    lately = (DeadLetter.done_at.is_(None), DeadLetter.created_at > now - LATELY)
    columns = (DeadLetter.topic, DeadLetter.is_ours)
    new = 0
    for topic, is_ours in db.session.execute(
        select(*columns).where(*lately).distinct().order_by(*columns)
    ).all():
        if is_ours:
            new += notify_operators(f"a message of {topic}", "not taken in", now)
        else:
            new += _notify_of_unsigned(topic, now)
    db.session.commit()
    return new


def waiting() -> dict[str, int]:
    """How many dead letters wait for an operator, by kind, without kinds that have none."""
    jobs = db.session.scalar(select(func.count()).where(DeadJob.done_at.is_(None))) or 0
    webhooks = db.session.scalar(select(func.count()).where(WebhookDelivery.state == "dead")) or 0
    messages = _by_topic(DeadLetter.is_ours)
    unsigned_messages = {UNSIGNED.format(topic): count for topic, count in unsigned().items()}
    counts = {"jobs": jobs, **messages, **unsigned_messages, "webhooks": webhooks}
    return {kind: count for kind, count in counts.items() if count}


def unsigned() -> dict[str, int]:
    """How many messages wait that Pressbox did not write, by topic."""
    return _by_topic(~DeadLetter.is_ours)


def _by_topic(which: ColumnElement[bool] | InstrumentedAttribute[bool]) -> dict[str, int]:
    query = select(DeadLetter.topic, func.count()).where(which, DeadLetter.done_at.is_(None))
    return dict(
        db.session.execute(query.group_by(DeadLetter.topic).order_by(DeadLetter.topic)).all()
    )
