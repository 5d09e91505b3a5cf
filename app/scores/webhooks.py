"""Webhooks of integrators: changes of their boards, sent from the feed to an address of theirs.

Promise: every change of the events asked for is delivered at least once, or its delivery ends dead with a reason and
can be replayed. Deliveries go one after another in the order of the feed; one is tried again after 30, 60 and 120 s,
the next wait, and go on when it is dead. `sequence` in each change says which of two is newer. Not here: HTTP.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import structlog
from flask import current_app
from sqlalchemy import and_, delete, func, or_, select, text, update

from app.core import outgoing
from app.core.db import db
from app.core.locks import Lock
from app.scores import feed, webhook_rules, webhook_sending
from app.scores.feed import EVENTS, Token, TooOld
from app.scores.feed_models import FeedFloor, Webhook, WebhookDelivery
from app.settings import Settings

log = structlog.get_logger(__name__)

MOST_WEBHOOKS = 10  # of an integrator
BATCH = 100  # changes of one delivery
MOST_WAITING = 20  # deliveries of a webhook; more are made when these are gone: the feed keeps the rest
LEASE = timedelta(seconds=60)
SEND_SECONDS = 30  # of one job
KEPT_DELIVERED, KEPT_DEAD = timedelta(days=7), timedelta(days=30)
WAITING, DELIVERED, DEAD = "waiting", "delivered", "dead"

_LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended(:integrator, :lock))")


def create(integrator_id: int, url: str, events: Collection[str]) -> Webhook | dict[str, str]:
    """A webhook that is notified of what happens from now on, or what to change by field.

    Its `secret` is to be shown this once.
    """
    faults = {}
    if fault := outgoing.url_fault(url, private=_private()):
        faults["url"] = fault
    if not events or not set(events) <= set(EVENTS):
        faults["events"] = f"Name one or more of {', '.join(EVENTS)}."
    db.session.execute(_LOCK, {"integrator": str(integrator_id), "lock": Lock.WEBHOOKS})
    if len(of(integrator_id)) >= MOST_WEBHOOKS:
        faults["url"] = f"There are {MOST_WEBHOOKS} webhooks, the most there can be: delete one first."
    if faults:
        db.session.rollback()
        return faults
    start = feed.newest()
    webhook = Webhook(
        integrator_id=integrator_id,
        url=url,
        events=[event for event in EVENTS if event in events],
        secret=webhook_rules.new_secret(),
        transaction=start.transaction,
        change_id=start.change,
    )
    db.session.add(webhook)
    db.session.commit()
    return webhook


def of(integrator_id: int) -> list[Webhook]:
    """The oldest first."""
    query = select(Webhook).where(Webhook.integrator_id == integrator_id).order_by(Webhook.created_at, Webhook.id)
    return list(db.session.scalars(query))


def find(integrator_id: int, webhook_id: UUID) -> Webhook | None:
    """The webhook, if it is this integrator's."""
    query = select(Webhook).where(Webhook.id == webhook_id, Webhook.integrator_id == integrator_id)
    found: Webhook | None = db.session.scalar(query)
    return found


def remove(webhook: Webhook) -> None:
    """With all its deliveries."""
    db.session.delete(webhook)
    db.session.commit()


def deliveries(webhook: Webhook, state: str | None = None, limit: int = 100) -> list[WebhookDelivery]:
    """The newest first."""
    query = select(WebhookDelivery).where(WebhookDelivery.webhook_id == webhook.id)
    if state is not None:
        query = query.where(WebhookDelivery.state == state)
    return list(db.session.scalars(query.order_by(WebhookDelivery.number.desc()).limit(limit)))


def dead(limit: int = 100) -> list[WebhookDelivery]:
    """Of all integrators, those that ended dead, the newest first; for the operator."""
    query = select(WebhookDelivery).where(WebhookDelivery.state == DEAD)
    return list(db.session.scalars(query.order_by(WebhookDelivery.ended_at.desc(), WebhookDelivery.id).limit(limit)))


def replay(webhook: Webhook, number: int, now: datetime) -> WebhookDelivery | None:
    """Sends a dead or delivered one once more, before those that wait; None when there is none of that number."""
    query = select(WebhookDelivery).where(WebhookDelivery.webhook_id == webhook.id, WebhookDelivery.number == number)
    found: WebhookDelivery | None = db.session.scalar(query.with_for_update().execution_options(populate_existing=True))
    if found is not None and found.state != WAITING:
        found.state, found.tries, found.next_at, found.ended_at = WAITING, 0, now, None
    db.session.commit()
    return found


def collect(now: datetime) -> int:
    """Makes deliveries of what came into the feed; returns how many. The place in the feed moves with them, in one
    transaction, so none is made twice and none left out."""
    made = 0
    for webhook_id in db.session.scalars(select(Webhook.id).order_by(Webhook.id)).all():
        while (step := _collect_one(webhook_id, now)) == "more":
            made += 1
        made += step == "made"
    return made


def _collect_one(webhook_id: UUID, now: datetime) -> str:
    """more, made or none."""
    query = select(Webhook).where(Webhook.id == webhook_id).with_for_update(skip_locked=True)
    webhook = db.session.scalar(query.execution_options(populate_existing=True))
    waiting = select(func.count()).where(WebhookDelivery.webhook_id == webhook_id, WebhookDelivery.state == WAITING)
    if webhook is None or (db.session.scalar(waiting) or 0) >= MOST_WAITING:
        db.session.rollback()
        return "none"
    try:
        page = feed.read(webhook.integrator_id, Token(webhook.transaction, webhook.change_id), BATCH)
    except TooOld:
        floor = db.session.get_one(FeedFloor, webhook.integrator_id)
        webhook.transaction, webhook.change_id = floor.transaction, floor.change_id
        reason = f"Changes were not delivered within {feed.KEPT.days} days and are gone: read the boards anew."
        _add(webhook, {"event": "gap", "changes": []}, now, reason=reason)
        db.session.commit()
        return "more"
    wanted = [change.body() for change in page.changes if change.event in webhook.events]
    if page.changes:  # else the place may stay: only changes of the same integrator raise what is kept
        webhook.transaction, webhook.change_id = page.token.transaction, page.token.change
    if wanted:
        _add(webhook, {"changes": wanted}, now)
    db.session.commit()
    return "more" if page.more else "made" if wanted else "none"


def _add(webhook: Webhook, body: dict[str, object], now: datetime, *, reason: str | None = None) -> None:
    last = select(func.coalesce(func.max(WebhookDelivery.number), 0)).where(WebhookDelivery.webhook_id == webhook.id)
    number = db.session.scalars(last).one() + 1
    body_text = json.dumps({"webhook_id": str(webhook.id), "delivery": number, **body}, separators=(",", ":"))
    ends = {"state": DEAD, "ended_at": now, "reason": reason} if reason else {}
    db.session.add(
        WebhookDelivery(webhook_id=webhook.id, number=number, body=body_text, next_at=now, made_at=now, **ends)
    )


def due(now: datetime) -> Sequence[UUID]:
    """Webhooks whose next delivery may be sent now and that nobody is sending to."""
    first = (
        select(WebhookDelivery.webhook_id, WebhookDelivery.next_at)
        .where(WebhookDelivery.state == WAITING)
        .distinct(WebhookDelivery.webhook_id)
        .order_by(WebhookDelivery.webhook_id, WebhookDelivery.number)
        .subquery()
    )
    free = or_(Webhook.leased_until.is_(None), Webhook.leased_until < now)
    query = select(Webhook.id).join(first, first.c.webhook_id == Webhook.id).where(first.c.next_at <= now, free)
    return db.session.scalars(query.order_by(Webhook.id)).all()


def send_next(webhook_id: UUID, now: datetime) -> str | None:
    """Sends the webhook's next delivery if it is due and nobody else is at it; returns its state then, None if not.

    No transaction is open while it is sent (one would hold the feed of all back): a lease keeps others away. Who dies
    with it leaves the delivery to be sent once more.
    """
    mine = uuid4()
    free = or_(Webhook.leased_until.is_(None), Webhook.leased_until < now)
    taken = (
        update(Webhook)
        .where(and_(Webhook.id == webhook_id, free))
        .values(leased_until=now + LEASE, lease=mine)
        .returning(Webhook.url, Webhook.secret)
    )
    webhook = db.session.execute(taken).one_or_none()
    query = select(WebhookDelivery).where(WebhookDelivery.webhook_id == webhook_id, WebhookDelivery.state == WAITING)
    found = db.session.scalar(query.order_by(WebhookDelivery.number).limit(1))
    if webhook is None or found is None or found.next_at > now:
        db.session.rollback()
        return None
    delivery_id, number, body = found.id, found.number, found.body.encode()
    db.session.commit()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Pressbox",
        "Pressbox-Delivery": f"{webhook_id}/{number}",
    } | webhook_rules.signed_headers(webhook.secret, f"{webhook_id}-{number}", body, now)
    sent = webhook_sending.send(webhook.url, body, headers, private=_private())
    return _note(webhook_id, mine, delivery_id, sent, now)


def _note(webhook_id: UUID, mine: UUID, delivery_id: int, sent: webhook_sending.Sent, now: datetime) -> str | None:
    """Writes down how it went, unless the lease was lost meanwhile: then whoever has it writes."""
    held = (
        update(Webhook)
        .where(Webhook.id == webhook_id, Webhook.lease == mine)
        .values(leased_until=None, lease=None)
        .returning(Webhook.id)
    )
    if db.session.scalar(held) is None:
        db.session.rollback()
        return None
    delivery = db.session.get_one(WebhookDelivery, delivery_id, populate_existing=True)
    delivery.tries += 1
    delivery.status, delivery.reason = sent.status, sent.fault
    again = webhook_rules.next_try(delivery.tries, now)
    if sent.fault is None:
        delivery.state, delivery.ended_at = DELIVERED, now
    elif again is None:
        delivery.state, delivery.ended_at = DEAD, now
        log.warning("webhook_dead", webhook_id=str(webhook_id), delivery=delivery.number, reason=sent.fault)
    else:
        delivery.next_at = again
    state: str = delivery.state
    db.session.commit()
    return state


def trim(now: datetime) -> int:
    """Takes ended deliveries away that are no longer kept; returns how many."""
    old = or_(
        and_(WebhookDelivery.state == DELIVERED, WebhookDelivery.ended_at < now - KEPT_DELIVERED),
        and_(WebhookDelivery.state == DEAD, WebhookDelivery.ended_at < now - KEPT_DEAD),
    )
    gone = db.session.execute(delete(WebhookDelivery).where(old).returning(WebhookDelivery.id)).all()
    db.session.commit()
    return len(gone)


def _private() -> bool:
    settings: Settings = current_app.config["PRESSBOX"]
    return settings.webhooks_private
