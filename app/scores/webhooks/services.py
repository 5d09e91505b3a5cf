"""Webhooks of integrators: changes of their boards, sent from the feed to their addresses.

Every change of the subscribed events is delivered at least once, or its delivery ends dead with a
reason and can be replayed. Deliveries follow one another in the order of the feed. A failed one is
tried again for a day, at growing intervals (rules.py); its first tries hold up those after it, then
they overtake it, and when one of them is accepted it is tried again soon. `sequence` in each change
says which of two is newer. replays.py sends many again.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import structlog
from flask import current_app
from sqlalchemy import Select, and_, delete, exists, func, or_, select, text, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import aliased

from app.accounts.models import Integrator
from app.core import metrics
from app.core.db import db
from app.core.http import outbound
from app.core.postgres.advisory_locks import Lock
from app.scores.feed import changes as feed
from app.scores.feed import places as feed_places
from app.scores.feed.changes import EVENTS
from app.scores.feed.models import FeedFloor
from app.scores.feed.places import Token, TokenTooOldError
from app.scores.webhooks import rules as webhook_rules
from app.scores.webhooks import sending as webhook_sending
from app.scores.webhooks.models import Webhook, WebhookDelivery
from app.settings import Settings

log = structlog.get_logger(__name__)

MOST_WEBHOOKS = 10  # per integrator
BATCH = 100  # changes per delivery
# deliveries per webhook; more are created when these are done: the feed keeps the rest
MOST_WAITING = 20
LEASE = timedelta(seconds=60)
SEND_SECONDS = 30  # per job
KEPT_DELIVERED, KEPT_DEAD = timedelta(days=7), timedelta(days=30)
WAITING, DELIVERED, DEAD = "waiting", "delivered", "dead"

# after the receiver answers again, earlier failures are tried within this time
SOON = timedelta(minutes=5)

_SOON = text("""
    UPDATE webhook_deliveries SET next_at = :soon
    WHERE webhook_id = :webhook AND state = 'waiting' AND tries > 0 AND next_at > :soon
""")
_LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended(:integrator, :lock))")


def create(integrator_id: int, url: str, events: Collection[str]) -> Webhook | dict[str, str]:
    """Create a webhook for what happens from now on, or return what to change by field.

    Its `secret` is to be shown once, now.
    """
    faults = {}
    if fault := outbound.url_fault(url, private=_private()) or outbound.host_fault(
        url, private=_private()
    ):
        would_do = not _private() and outbound.url_fault(url, private=True) is None
        faults["url"] = f"{fault} {webhook_rules.ON_YOUR_OWN_MACHINE}" if would_do else fault
    if not events or not set(events) <= set(EVENTS):
        faults["events"] = f"Name one or more of {', '.join(EVENTS)}."
    if faults:
        return faults
    start = feed.newest()  # commits, so it comes before the lock
    db.session.execute(_LOCK, {"integrator": str(integrator_id), "lock": Lock.WEBHOOKS})
    if len(of(integrator_id)) >= MOST_WEBHOOKS:
        db.session.rollback()
        return {
            "url": (
                f"There are already {MOST_WEBHOOKS} webhooks, which is the limit. Delete one first."
            )
        }
    webhook = Webhook(
        integrator_id=integrator_id,
        url=url,
        events=[event for event in EVENTS if event in events],
        secret=webhook_rules.new_secret(),
        place=start.place,
    )
    db.session.add(webhook)
    db.session.commit()
    return webhook


def of(integrator_id: int) -> list[Webhook]:
    """Return the integrator's webhooks, oldest first."""
    query = (
        select(Webhook)
        .where(Webhook.integrator_id == integrator_id)
        .order_by(Webhook.created_at, Webhook.id)
    )
    return list(db.session.scalars(query))


def find(integrator_id: int, webhook_id: UUID) -> Webhook | None:
    """Return the webhook if it is this integrator's."""
    query = select(Webhook).where(Webhook.id == webhook_id, Webhook.integrator_id == integrator_id)
    webhook: Webhook | None = db.session.scalar(query)
    return webhook


def remove(webhook: Webhook) -> None:
    """Remove the webhook with all its deliveries."""
    db.session.delete(webhook)
    db.session.commit()


def rotate_secret(webhook: Webhook, now: datetime) -> Webhook:
    """Give the webhook a new secret, to be shown once, and commit.

    The present one signs too for OLD_SECRET_FOR. Waiting deliveries stay.
    """
    query = select(Webhook).where(Webhook.id == webhook.id).with_for_update()
    locked = db.session.scalars(query.execution_options(populate_existing=True)).one()
    locked.old_secret, locked.old_secret_until = locked.secret, now + webhook_rules.OLD_SECRET_FOR
    locked.secret = webhook_rules.new_secret()
    db.session.commit()
    return locked


def deliveries(
    webhook: Webhook, state: str | None = None, limit: int = 100
) -> list[WebhookDelivery]:
    """Return the webhook's deliveries, newest first."""
    query = select(WebhookDelivery).where(WebhookDelivery.webhook_id == webhook.id)
    if state is not None:
        query = query.where(WebhookDelivery.state == state)
    return list(db.session.scalars(query.order_by(WebhookDelivery.number.desc()).limit(limit)))


def dead(limit: int = 100) -> list[WebhookDelivery]:
    """Return dead deliveries of all integrators, newest first, for the operator."""
    query = select(WebhookDelivery).where(WebhookDelivery.state == DEAD)
    return list(
        db.session.scalars(
            query.order_by(WebhookDelivery.ended_at.desc(), WebhookDelivery.id).limit(limit)
        )
    )


def replay(webhook: Webhook, number: int, now: datetime) -> WebhookDelivery | None:
    """Send a dead or delivered delivery once more, before those that wait.

    None if there is no delivery of that number.
    """
    query = select(WebhookDelivery).where(
        WebhookDelivery.webhook_id == webhook.id, WebhookDelivery.number == number
    )
    delivery: WebhookDelivery | None = db.session.scalar(
        query.with_for_update().execution_options(populate_existing=True)
    )
    if delivery is not None and delivery.state != WAITING:
        delivery.state, delivery.tries, delivery.next_at = WAITING, 0, now
        delivery.ended_at, delivery.first_tried_at = None, None
    db.session.commit()
    return delivery


def collect(now: datetime) -> int:
    """Create deliveries of what reached the feed; return how many.

    A webhook's place in the feed moves in the same transaction, so nothing is created twice or left
    out. A webhook that fails is logged, and the others continue.
    """
    feed_places.assign_places()
    deliveries = 0
    for webhook_id in db.session.scalars(select(Webhook.id).order_by(Webhook.id)).all():
        try:
            while (step := _collect_one(webhook_id, now)) == "more":
                deliveries += 1
            deliveries += step == "made"
        except OperationalError:
            raise  # PostgreSQL is away or overloaded, for all of them
        # a fault in one webhook must not stop the others; it is logged, counted and alerted
        except Exception:
            db.session.rollback()
            log.exception("webhook_not_collected", webhook_id=str(webhook_id))
            metrics.count(metrics.WEBHOOKS, good=False)
    return deliveries


def _collect_one(webhook_id: UUID, now: datetime) -> str:
    """Create the next delivery; return `more` if the feed has more, else `made` or `none`."""
    query = select(Webhook).where(Webhook.id == webhook_id).with_for_update(skip_locked=True)
    webhook = db.session.scalar(query.execution_options(populate_existing=True))
    waiting = select(func.count()).where(
        WebhookDelivery.webhook_id == webhook_id, WebhookDelivery.state == WAITING
    )
    if webhook is None or (db.session.scalar(waiting) or 0) >= MOST_WAITING:
        db.session.rollback()
        return "none"
    try:
        page = feed.read_placed(webhook.integrator_id, Token(webhook.place), BATCH)
    except TokenTooOldError:
        floor = db.session.get(FeedFloor, webhook.integrator_id)
        webhook.place = floor.place if floor else 0
        reason = (
            f"Changes were not delivered within {feed.KEPT.days} days and are gone. Read "
            "the boards again."
        )
        _add(webhook, {"event": "gap", "changes": []}, now, reason=reason)
        db.session.commit()
        return "more"
    changes = [
        change.body()
        for change in page.changes
        if change.event in {*webhook.events, feed.TIMELINE_CHANGED}
    ]
    # Without changes the place may stay: only changes of the same integrator raise the floor.
    if page.changes:
        webhook.place = page.token.place
    if changes:
        _add(webhook, {"changes": changes}, now)
    db.session.commit()
    if page.more:
        return "more"
    return "made" if changes else "none"


def _add(
    webhook: Webhook, body: dict[str, object], now: datetime, *, reason: str | None = None
) -> None:
    last = select(func.coalesce(func.max(WebhookDelivery.number), 0)).where(
        WebhookDelivery.webhook_id == webhook.id
    )
    number = db.session.scalars(last).one() + 1
    body_text = json.dumps(
        {"webhook_id": str(webhook.id), "delivery": number, **body}, separators=(",", ":")
    )
    ends = {"state": DEAD, "ended_at": now, "reason": reason} if reason else {}
    timeline = feed_places.newest_fork()
    db.session.add(
        WebhookDelivery(
            webhook_id=webhook.id,
            number=number,
            timeline=timeline,
            body=body_text,
            next_at=now,
            made_at=now,
            **ends,
        )
    )


def _message_id(delivery: WebhookDelivery) -> str:
    """Build the message id: equal for each try and never reused.

    After a restore, numbers start again behind the restored ones.
    """
    timeline = f"-{delivery.timeline:x}" if delivery.timeline else ""
    return f"{delivery.webhook_id}-{delivery.number}{timeline}"


def due_owners(now: datetime) -> Sequence[int]:
    """Select members with a due webhook and none being sent.

    Each member gets one worker at a time, so that one member's slow receivers delay nobody
    else's.
    """
    due_now = select(Integrator.owner_id).join(Webhook, Webhook.integrator_id == Integrator.id)
    query = due_now.where(Webhook.id.in_(_due(now)), Integrator.owner_id.not_in(_busy_owners(now)))
    return db.session.scalars(query.distinct().order_by(Integrator.owner_id)).all()


def next_of(owner_id: int, now: datetime) -> UUID | None:
    """Return this member's webhook that has been due the longest.

    None if none is due, or if one is being sent to.
    """
    waiting = (
        select(func.min(WebhookDelivery.next_at))
        .where(WebhookDelivery.webhook_id == Webhook.id, WebhookDelivery.state == WAITING)
        .scalar_subquery()
    )
    query = (
        select(Webhook.id)
        .join(Integrator, Integrator.id == Webhook.integrator_id)
        .where(
            Integrator.owner_id == owner_id,
            Webhook.id.in_(_due(now)),
            Integrator.owner_id.not_in(_busy_owners(now)),
        )
        .order_by(waiting, Webhook.id)
        .limit(1)
    )
    webhook_id: UUID | None = db.session.scalar(query)
    db.session.rollback()
    return webhook_id


def _busy_owners(now: datetime) -> Select[int]:
    return (
        select(Integrator.owner_id)
        .join(Webhook, Webhook.integrator_id == Integrator.id)
        .where(Webhook.leased_until >= now)
    )


def due(now: datetime) -> Sequence[UUID]:
    """Return webhooks whose next delivery may be sent now and that nobody is sending to."""
    return db.session.scalars(_due(now).order_by(Webhook.id)).all()


def _due(now: datetime) -> Select[UUID]:
    free = or_(Webhook.leased_until.is_(None), Webhook.leased_until < now)
    return select(Webhook.id).where(
        Webhook.id.in_(_sendable(now).with_only_columns(WebhookDelivery.webhook_id)), free
    )


def _sendable(now: datetime) -> Select[WebhookDelivery]:
    """Select deliveries whose time has come and that no earlier one of their webhook holds up."""
    earlier = aliased(WebhookDelivery)
    held_up = exists().where(
        earlier.webhook_id == WebhookDelivery.webhook_id,
        earlier.state == WAITING,
        earlier.number < WebhookDelivery.number,
        earlier.tries <= webhook_rules.IN_ORDER_TRIES,
    )
    return select(WebhookDelivery).where(
        WebhookDelivery.state == WAITING, WebhookDelivery.next_at <= now, ~held_up
    )


def send_next(webhook_id: UUID, now: datetime) -> str | None:
    """Send the webhook's next delivery if it is due and nothing is being sent for its owner.

    Returns its new state, None if nothing was sent. No transaction is open while it is sent: a
    lease keeps others away. If the process dies, the delivery is sent once more.
    """
    mine = uuid4()
    owner_of = select(Integrator.owner_id).join(Webhook, Webhook.integrator_id == Integrator.id)
    owner_id = db.session.scalar(owner_of.where(Webhook.id == webhook_id))
    db.session.execute(_LOCK, {"integrator": f"owner:{owner_id}", "lock": Lock.WEBHOOKS})
    if db.session.scalar(select(_busy_owners(now).where(Integrator.owner_id == owner_id).exists())):
        db.session.rollback()
        return None
    free = or_(Webhook.leased_until.is_(None), Webhook.leased_until < now)
    taken = (
        update(Webhook)
        .where(and_(Webhook.id == webhook_id, free))
        .values(leased_until=now + LEASE, lease=mine)
        .returning(Webhook.url, Webhook.secret, Webhook.old_secret, Webhook.old_secret_until)
    )
    webhook = db.session.execute(taken).one_or_none()
    query = _sendable(now).where(WebhookDelivery.webhook_id == webhook_id)
    delivery = db.session.scalar(query.order_by(WebhookDelivery.number).limit(1))
    if webhook is None or delivery is None:
        db.session.rollback()
        return None
    delivery_id, number, message_id, body = (
        delivery.id,
        delivery.number,
        _message_id(delivery),
        delivery.body.encode(),
    )
    db.session.commit()
    until = webhook.old_secret_until
    old_secret = webhook.old_secret if until is not None and now < until else None
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Pressbox",
        "Pressbox-Delivery": f"{webhook_id}/{number}",
    } | webhook_rules.signed_headers(webhook.secret, message_id, body, now, old_secret)
    sent = webhook_sending.send(webhook.url, body, headers, private=_private())
    return _note(webhook_id, mine, delivery_id, sent, now)


def _note(
    webhook_id: UUID, mine: UUID, delivery_id: int, sent: webhook_sending.Sent, now: datetime
) -> str | None:
    """Record the result, unless the lease was lost: then its new holder records it."""
    update_leased = (
        update(Webhook)
        .where(Webhook.id == webhook_id, Webhook.lease == mine)
        .values(leased_until=None, lease=None)
        .returning(Webhook.id)
    )
    if db.session.scalar(update_leased) is None:
        db.session.rollback()
        return None
    delivery = db.session.get_one(WebhookDelivery, delivery_id, populate_existing=True)
    delivery.tries += 1
    delivery.status, delivery.reason = sent.status, sent.fault
    delivery.first_tried_at = delivery.first_tried_at or now
    again = webhook_rules.next_try(delivery.tries, delivery.first_tried_at, now)
    if sent.fault is None:
        delivery.state, delivery.ended_at = DELIVERED, now
        db.session.execute(_SOON, {"webhook": webhook_id, "soon": now + SOON})
    elif again is None:
        delivery.state, delivery.ended_at = DEAD, now
        log.warning(
            "webhook_dead", webhook_id=str(webhook_id), delivery=delivery.number, reason=sent.fault
        )
    else:
        delivery.next_at = again
    state: str = delivery.state
    db.session.commit()
    return state


def trim(now: datetime) -> int:
    """Delete deliveries that are no longer kept and secrets that no longer sign.

    Returns how many deliveries were deleted.
    """
    ended = update(Webhook).where(Webhook.old_secret_until <= now)
    db.session.execute(ended.values(old_secret=None, old_secret_until=None))
    old = or_(
        and_(WebhookDelivery.state == DELIVERED, WebhookDelivery.ended_at < now - KEPT_DELIVERED),
        and_(WebhookDelivery.state == DEAD, WebhookDelivery.ended_at < now - KEPT_DEAD),
    )
    deleted = db.session.execute(
        delete(WebhookDelivery).where(old).returning(WebhookDelivery.id)
    ).all()
    db.session.commit()
    return len(deleted)


def _private() -> bool:
    settings: Settings = current_app.config["PRESSBOX"]
    return settings.webhooks_private
