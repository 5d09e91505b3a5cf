"""A league's connections to Discord, Slack and webhooks: what Pressbox posts is sent there too.

Deliveries are stored with the post. Each is sent at least once, in order, or its connection is
switched off with a notice to the commissioner: at once if the service says that the address is
gone, else after a day of tries. Addresses are secret: whoever has one can write into the channel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import structlog
from flask import current_app
from sqlalchemy import ColumnElement, delete, func, or_, select, update
from sqlalchemy.dialects.postgresql import distinct_on, insert

from app.core.db import db
from app.core.http import outbound
from app.core.refusals import Refusal
from app.fantasy.notices import words as notice_words
from app.fantasy.notices.services import NewNotice, notify
from app.fantasy.standings.models import League
from app.scores.webhooks import rules as webhook_rules
from app.scores.webhooks import sending
from app.settings import Settings
from app.talk import formats, queries, words
from app.talk.models import Connection, ConnectionDelivery, Post

log = structlog.get_logger(__name__)

MOST = 5  # per league
LEASE = timedelta(seconds=60)
SEND_SECONDS = 30  # per job
KEPT = timedelta(days=7)
GONE = frozenset({401, 403, 404, 410})  # the service will not take anything at this address again
WAITING, DELIVERED, DEAD = "waiting", "delivered", "dead"
TEST = (
    "This is a test. Results, stat corrections, rule changes and new members will be posted here."
)

NO_SERVICE = Refusal("service", "service", "Choose a service.")
TOO_MANY = Refusal(
    "too_many", "url", f"A league can have up to {MOST} connections. Remove one first."
)


@dataclass(frozen=True)
class State:
    """A connection and its last delivery, for the commissioner.

    `waiting`: how many deliveries are still to be sent.
    """

    connection: Connection
    address: str
    service: str
    last: ConnectionDelivery | None
    waiting: int


def add(league_id: int, service: str, url: str) -> Connection | Refusal:
    """Connect the league from now on. Commits."""
    url = url.strip()
    if service not in formats.SERVICES:
        return NO_SERVICE
    private = _private()
    fault = outbound.url_fault(url, private=private) or (
        None if private else formats.address_fault(service, url)
    )
    if fault or (fault := outbound.host_fault(url, private=private)):
        return Refusal("url", "url", fault)
    # Acts on the connections of one league wait for each other.
    db.session.execute(
        select(League.id).where(League.id == league_id).with_for_update(key_share=True)
    )
    if len(_of(league_id)) >= MOST:
        db.session.rollback()
        return TOO_MANY
    connection = Connection(league_id=league_id, service=service, url=url)
    db.session.add(connection)
    db.session.commit()
    return connection


def find(league_id: int, connection_id: UUID) -> Connection | None:
    """Load a connection of the league."""
    return db.session.scalar(
        select(Connection).where(Connection.id == connection_id, Connection.league_id == league_id)
    )


def states(league_id: int) -> list[State]:
    """The league's connections, the oldest first."""
    result = []
    for connection in _of(league_id):
        of_connection = ConnectionDelivery.connection_id == connection.id
        last = db.session.scalar(
            select(ConnectionDelivery)
            .where(of_connection, ConnectionDelivery.tries > 0)
            .order_by(ConnectionDelivery.id.desc())
            .limit(1)
        )
        waiting = db.session.scalar(
            select(func.count()).where(of_connection, ConnectionDelivery.state == WAITING)
        )
        address = formats.masked(connection.url)
        service = formats.SERVICES[connection.service]
        result.append(State(connection, address, service, last, waiting or 0))
    return result


def remove(connection: Connection) -> None:
    """Remove the connection with its deliveries. Commits."""
    db.session.execute(delete(Connection).where(Connection.id == connection.id))
    db.session.commit()


def send_test(connection: Connection, now: datetime) -> None:
    """Send a test, also if the connection was switched off, which switches it on again. Commits.

    What was not sent while it was off is left out.
    """
    if connection.stopped_at is not None:
        _drop_waiting(connection.id, now)
        connection.stopped_at = connection.stop_reason = None
    db.session.add(ConnectionDelivery(connection_id=connection.id, next_at=now, made_at=now))
    db.session.commit()


def enqueue(league_id: int, post_id: int, now: datetime) -> None:
    """Store a delivery of the post for each connection of the league. Only the caller commits."""
    active = select(Connection.id).where(
        Connection.league_id == league_id, Connection.stopped_at.is_(None)
    )
    for connection_id in db.session.scalars(active.order_by(Connection.id)).all():
        db.session.execute(
            insert(ConnectionDelivery)
            .values(connection_id=connection_id, post_id=post_id, next_at=now, made_at=now)
            .on_conflict_do_nothing()
        )


def due(now: datetime) -> Sequence[UUID]:
    """Connections with a delivery that may be sent now, and to which nobody is sending."""
    oldest = (
        select(ConnectionDelivery.connection_id, ConnectionDelivery.next_at)
        .ext(distinct_on(ConnectionDelivery.connection_id))
        .where(ConnectionDelivery.state == WAITING)
        .order_by(ConnectionDelivery.connection_id, ConnectionDelivery.id)
        .subquery()
    )
    due_now = select(oldest.c.connection_id).where(oldest.c.next_at <= now)
    query = select(Connection.id).where(Connection.id.in_(due_now), _is_free(now))
    ids = db.session.scalars(query.order_by(Connection.id)).all()
    db.session.rollback()
    return ids


def send_next(connection_id: UUID, now: datetime) -> str | None:
    """Send the connection's next delivery if it is due and nobody else is sending to it.

    No transaction is open while it is sent: a lease keeps others away. If the process dies, the
    delivery is sent once more.

    Returns:
        The delivery's new state; None if nothing was sent.
    """
    mine = uuid4()
    taken = (
        update(Connection)
        .where(Connection.id == connection_id, _is_free(now), Connection.stopped_at.is_(None))
        .values(leased_until=now + LEASE, lease=mine)
        .returning(Connection.service, Connection.url, Connection.league_id)
    )
    connection = db.session.execute(taken).one_or_none()
    oldest = (
        select(ConnectionDelivery)
        .where(ConnectionDelivery.connection_id == connection_id)
        .where(ConnectionDelivery.state == WAITING)
        .order_by(ConnectionDelivery.id)
        .limit(1)
        .execution_options(populate_existing=True)
    )
    delivery = db.session.scalar(oldest)
    if connection is None or delivery is None or delivery.next_at > now:
        db.session.rollback()
        return None
    delivery_id = delivery.id
    message = _message(connection.league_id, delivery)
    db.session.commit()
    sent = sending.Sent(None, None)
    if message is not None:
        headers = {"Content-Type": "application/json", "User-Agent": "Pressbox"}
        body = formats.body(connection.service, message)
        sent = sending.send(connection.url, body, headers, private=_private())
    return _note(connection_id, mine, delivery_id, sent, now)


def trim(now: datetime) -> None:
    """Delete deliveries that ended long ago. Commits."""
    db.session.execute(delete(ConnectionDelivery).where(ConnectionDelivery.ended_at < now - KEPT))
    db.session.commit()


def _of(league_id: int) -> list[Connection]:
    query = select(Connection).where(Connection.league_id == league_id)
    return list(db.session.scalars(query.order_by(Connection.created_at, Connection.id)))


def _is_free(now: datetime) -> ColumnElement[bool]:
    return or_(Connection.leased_until.is_(None), Connection.leased_until < now)


def _message(league_id: int, delivery: ConnectionDelivery) -> formats.Message | None:
    """What to send; None if the post is about a member who is hidden by now."""
    settings: Settings = current_app.config["PRESSBOX"]
    league = db.session.get_one(League, league_id, populate_existing=True)
    page = f"{settings.origin}/leagues/{league.slug}"
    if delivery.post_id is None:
        return formats.Message(league.name, "test", TEST, page, delivery.made_at)
    post = db.session.get_one(Post, delivery.post_id)
    if not queries.is_seen_by_all(post):
        return None
    teams = queries.team_names(league.id, words.teams_in(post.member_id, post.data), outside=True)
    text = str(words.news(post.kind, post.member_id, post.data, teams))
    page += words.page_of(post.data)
    return formats.Message(league.name, post.kind, text, page, post.created_at)


def _note(
    connection_id: UUID, mine: UUID, delivery_id: int, sent: sending.Sent, now: datetime
) -> str | None:
    """Store the outcome, unless the lease was lost: then its new holder does."""
    released = (
        update(Connection)
        .where(Connection.id == connection_id, Connection.lease == mine)
        .values(leased_until=None, lease=None)
        .returning(Connection.id)
    )
    delivery = db.session.get(ConnectionDelivery, delivery_id, populate_existing=True)
    if db.session.scalar(released) is None or delivery is None:
        db.session.rollback()
        return None
    delivery.tries += 1
    delivery.status, delivery.reason = sent.status, sent.fault
    delivery.first_tried_at = delivery.first_tried_at or now
    again = webhook_rules.next_try(delivery.tries, delivery.first_tried_at, now)
    if sent.fault is None:
        delivery.state, delivery.ended_at = DELIVERED, now
    elif sent.status in GONE or again is None:
        delivery.state, delivery.ended_at = DEAD, now
        _stop(connection_id, sent.fault, now)
    else:
        delivery.next_at = again
    state: str = delivery.state
    db.session.commit()
    return state


def _stop(connection_id: UUID, reason: str, now: datetime) -> None:
    """Switch the connection off and notify the commissioner. Only the caller commits."""
    connection = db.session.get_one(Connection, connection_id, populate_existing=True)
    connection.stopped_at, connection.stop_reason = now, reason
    _drop_waiting(connection_id, now)
    league = db.session.get_one(League, connection.league_id)
    log.info("connection_stopped", connection_id=str(connection_id), reason=reason)
    if league.commissioner_id is None:
        return
    words_of_notice = notice_words.connection_stopped(
        league.name, formats.SERVICES[connection.service], reason
    )
    key = f"league:{league.id}:connection:{connection_id}:{now:%Y%m%d%H%M%S}"
    path = f"/leagues/{league.slug}/settings/connections"
    notify([NewNotice.of(league.commissioner_id, "league", key, words_of_notice, path)], now)


def _drop_waiting(connection_id: UUID, now: datetime) -> None:
    db.session.execute(
        update(ConnectionDelivery)
        .where(ConnectionDelivery.connection_id == connection_id)
        .where(ConnectionDelivery.state == WAITING)
        .values(state=DEAD, ended_at=now, reason="The connection was switched off.")
    )


def _private() -> bool:
    settings: Settings = current_app.config["PRESSBOX"]
    return settings.webhooks_private
