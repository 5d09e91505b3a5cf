"""The state of an integrator's webhooks, and sending failed deliveries again in bulk.

The API and the page (views.py) call this. services.py sends a delivery.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import distinct_on

from app.core.db import db
from app.scores.webhooks import services as webhooks
from app.scores.webhooks.models import Webhook, WebhookDelivery
from app.scores.webhooks.services import DEAD, DELIVERED, WAITING

AT_ONCE = 1_000


@dataclass(frozen=True)
class Chosen:
    """Ended deliveries of this state, created from `since` on and before `until`.

    None means without that bound.
    """

    state: str = DEAD
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True)
class Replayed:
    """The result of a replay.

    `sent` deliveries wait again; `more` were chosen but do not, because a call replays at most
    AT_ONCE.
    """

    sent: int
    more: int


def replay_all(webhook: Webhook, chosen: Chosen, now: datetime) -> Replayed:
    """Send the chosen deliveries again, oldest first, before those that wait.

    Each gets a whole day of tries. A second call does no harm: a waiting delivery is no longer
    chosen.
    """
    conditions = [WebhookDelivery.webhook_id == webhook.id, WebhookDelivery.state == chosen.state]
    conditions += [WebhookDelivery.made_at >= chosen.since] if chosen.since else []
    conditions += [WebhookDelivery.made_at < chosen.until] if chosen.until else []
    oldest = (
        select(WebhookDelivery.id)
        .where(*conditions)
        .order_by(WebhookDelivery.number)
        .limit(AT_ONCE)
        .with_for_update()
        .cte()  # runs once, where a plan may repeat a subquery, which then locks the next ones
    )
    again = (
        update(WebhookDelivery)
        .where(WebhookDelivery.id.in_(select(oldest.c.id)))
        .values(state=WAITING, tries=0, next_at=now, ended_at=None, first_tried_at=None)
        .returning(WebhookDelivery.id)
    )
    sent = len(db.session.execute(again).all())
    more = (
        db.session.scalar(select(func.count()).select_from(WebhookDelivery).where(*conditions)) or 0
    )
    db.session.commit()
    return Replayed(sent, more)


@dataclass(frozen=True)
class Standing:
    """A webhook and its number of deliveries by state.

    `reason` is why the last failed delivery was not accepted; None if none that is kept has failed.
    """

    webhook: Webhook
    waiting: int
    delivered: int
    dead: int
    reason: str | None


def standings(integrator_id: int) -> Sequence[Standing]:
    """Return the integrator's webhooks, oldest first, in three queries however many there are."""
    mine = webhooks.of(integrator_id)
    counted = (
        select(WebhookDelivery.webhook_id, WebhookDelivery.state, func.count())
        .where(WebhookDelivery.webhook_id.in_([webhook.id for webhook in mine]))
        .group_by(WebhookDelivery.webhook_id, WebhookDelivery.state)
    )
    counts = {
        (webhook_id, state): count for webhook_id, state, count in db.session.execute(counted)
    }
    failed = (
        select(WebhookDelivery.webhook_id, WebhookDelivery.reason)
        .ext(distinct_on(WebhookDelivery.webhook_id))
        .where(
            WebhookDelivery.webhook_id.in_([webhook.id for webhook in mine]),
            WebhookDelivery.reason.is_not(None),
        )
        .order_by(WebhookDelivery.webhook_id, WebhookDelivery.number.desc())
    )
    reasons = {row.webhook_id: row.reason for row in db.session.execute(failed)}
    return [
        Standing(
            webhook=webhook,
            waiting=counts.get((webhook.id, WAITING), 0),
            delivered=counts.get((webhook.id, DELIVERED), 0),
            dead=counts.get((webhook.id, DEAD), 0),
            reason=reasons.get(webhook.id),
        )
        for webhook in mine
    ]
