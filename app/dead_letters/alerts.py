"""Telling operators of dead letters: a notice for each cause and hour, and how many wait.

The log line is written where a dead letter is kept (failed_jobs.py, app/stream/dead_letters.py).
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import func, select

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.dead_letters.models import DeadJob
from app.fantasy.notices.services import NewNotice, notify
from app.scores.feed_models import WebhookDelivery
from app.stream.models import DeadLetter
from app.stream.topics import Topic

KIND = "operations"
LATELY = timedelta(hours=1)


def notify_operators(what: str, cause: str, now: datetime) -> int:
    """One notice an hour to each operator for this cause; returns how many are new. The caller commits."""
    name = what.removeprefix("workers.jobs.").removesuffix(".run")
    title = f"Dead letter: {name}"
    body = (
        f"It failed after every try ({cause}). `pressbox dead-letters list` shows what waits, and "
        "`pressbox dead-letters replay` sends it again once the cause is gone."
    )
    key = f"dead_letter:{name}:{cause[:100]}:{now:%Y-%m-%dT%H}"
    return _notify(key, title, body, now)


def tell_of_replaced_topic(topic: Topic, what: str) -> int:
    """One notice an hour to each operator: the topic was deleted and made anew. Commits."""
    now = clock.now()
    title = f"Topic replaced: {topic.name}"
    body = (
        f"Kafka's topic was deleted and made anew; it is read from its beginning. {what} Find out who deleted it, and "
        "compare the record with its messages by `pressbox verify`."
    )
    new = _notify(f"topic_replaced:{topic.name}:{now:%Y-%m-%dT%H}", title, body, now)
    db.session.commit()
    return new


def _notify(key: str, title: str, body: str, now: datetime) -> int:
    operators = db.session.scalars(select(Member.id).where(Member.roles.contains(["operator"]))).all()
    return notify([NewNotice(one, KIND, key, title, body, "/notices") for one in operators], now)


def notify_of_messages(now: datetime) -> int:
    """Notices for the messages of ours that became dead letters lately; twice changes nothing. Commits."""
    lately = (DeadLetter.is_ours, DeadLetter.done_at.is_(None), DeadLetter.created_at > now - LATELY)
    topics = db.session.scalars(select(DeadLetter.topic).where(*lately).distinct().order_by(DeadLetter.topic)).all()
    new = sum(notify_operators(f"a message of {topic}", "not taken in", now) for topic in topics)
    db.session.commit()
    return new


def waiting() -> dict[str, int]:
    """How many dead letters wait for an operator, by kind; kinds without any are left out."""
    jobs = db.session.scalar(select(func.count()).where(DeadJob.done_at.is_(None))) or 0
    webhooks = db.session.scalar(select(func.count()).where(WebhookDelivery.state == "dead")) or 0
    by_topic = select(DeadLetter.topic, func.count()).where(DeadLetter.is_ours, DeadLetter.done_at.is_(None))
    messages = dict(db.session.execute(by_topic.group_by(DeadLetter.topic).order_by(DeadLetter.topic)).all())
    found = {"jobs": jobs, **messages, "webhooks": webhooks}
    return {kind: count for kind, count in found.items() if count}
