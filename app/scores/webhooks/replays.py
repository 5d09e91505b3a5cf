"""How an integrator's webhooks are getting on, and sending what was not taken again, many at once.

Called by the API and the page (views.py). Not here: sending one (services.py).
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
    """Which ended deliveries: of this state, made from `since` on and before `until`.

    None: without that bound.
    """

    state: str = DEAD
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True)
class Replayed:
    """`sent`: so many wait again.

    `more`: so many that were chosen do not yet, as AT_ONCE is the most of one call.
    """

    sent: int
    more: int


def replay_all(webhook: Webhook, chosen: Chosen, now: datetime) -> Replayed:
    """Send the chosen deliveries again, oldest first, before those that wait.

    Each has a whole day of tries again. Twice does no harm: one that waits is no longer chosen.
    """
    conditions = [WebhookDelivery.webhook_id == webhook.id, WebhookDelivery.state == chosen.state]
    conditions += [WebhookDelivery.made_at >= chosen.since] if chosen.since else []
    conditions += [WebhookDelivery.made_at < chosen.until] if chosen.until else []
    oldest = (
        select(WebhookDelivery.id)
        .where(*conditions)
        .order_by(WebhookDelivery.number)
        .limit(AT_ONCE)
    )
    again = (
        update(WebhookDelivery)
        .where(WebhookDelivery.id.in_(oldest.with_for_update()))
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
    """A webhook and how many deliveries it has by state.

    `reason`: why the last one that failed was not taken, None if none of those kept failed.
    """

    webhook: Webhook
    waiting: int
    delivered: int
    dead: int
    reason: str | None


def standings(integrator_id: int) -> Sequence[Standing]:
    """Of all webhooks of the integrator, the oldest first.

    Three queries, however many there are.
    """
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
