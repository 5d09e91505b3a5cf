"""Webhooks over the API: creating them, their deliveries, and sending deliveries again.

Each integrator sees only its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.accounts.api_keys import KeyCaller
from app.api.operations import COSTLY_CALLS, DELETE, GET, POST, operation
from app.api.security import Key
from app.core import clock
from app.core.http.problems import Fault, ProblemError
from app.scores.feed import changes as feed
from app.scores.webhooks import replays as webhook_replays
from app.scores.webhooks import services as webhooks
from app.scores.webhooks.models import Webhook, WebhookDelivery

TAG = "Change feed and webhooks"
MANAGE = Key("webhooks:manage")
NO_WEBHOOK = {404: "The integrator has no such webhook."}

EVENT = rf"^({'|'.join(feed.EVENTS)})$".replace(".", r"\.")


class WebhookNew(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The address of a webhook and the events to send."""

    url: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=2_000,
            description=(
                "The URL that receives deliveries. It must begin with https:// and be "
                "publicly reachable. With WEBHOOKS_PRIVATE=1 on your own machine, any "
                "URL works."
            ),
        ),
    ]
    events: Annotated[
        Sequence[Annotated[str, Meta(pattern=EVENT)]],
        Meta(min_length=1, max_length=len(feed.EVENTS)),
    ] = feed.EVENTS


class WebhookBody(msgspec.Struct, frozen=True):
    """A webhook."""

    webhook_id: UUID
    url: str
    events: Sequence[str]
    created_at: datetime


class WebhookMade(msgspec.Struct, frozen=True):
    """A new webhook with the secret that signs its deliveries, which is shown only once."""

    webhook_id: UUID
    url: str
    events: Sequence[str]
    created_at: datetime
    secret: str


class SecretMade(msgspec.Struct, frozen=True):
    """The new secret of a webhook, which is shown only once.

    Until `old_secret_until`, deliveries are signed with the previous one too.
    """

    webhook_id: UUID
    secret: str
    old_secret_until: datetime


class WebhookList(msgspec.Struct, frozen=True):
    """Webhooks, oldest first."""

    webhooks: Sequence[WebhookBody]


class WebhookPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a webhook."""

    webhook_id: Annotated[UUID, Meta(description="The webhook's UUID.")]


class DeliveryPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a delivery."""

    webhook_id: Annotated[UUID, Meta(description="The webhook's UUID.")]
    number: Annotated[int, Meta(ge=1, le=2**31 - 1, description="The delivery's number.")]


class DeliveriesQuery(msgspec.Struct, frozen=True):
    """Query parameters of the deliveries operation."""

    state: (
        Annotated[
            str,
            Meta(
                pattern="^(waiting|delivered|dead)$",
                description="Return only deliveries in this state.",
            ),
        ]
        | UnsetType
    ) = UNSET
    limit: Annotated[
        int, Meta(ge=1, le=100, description="The maximum number of deliveries to return.")
    ] = 25


class DeliveryBody(msgspec.Struct, frozen=True):
    """A delivery. `status` is the last response's HTTP status, and `reason` says why it failed."""

    number: int
    state: Annotated[
        str, Meta(description="The delivery's state: `waiting`, `delivered` or `dead`.")
    ]
    tries: int
    next_at: datetime
    made_at: datetime
    ended_at: datetime | None
    status: int | None
    reason: str | None


class DeliveryList(msgspec.Struct, frozen=True):
    """Deliveries, newest first."""

    deliveries: Sequence[DeliveryBody]


class ReplayNew(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which deliveries to send again."""

    state: Annotated[
        str,
        Meta(
            pattern="^(delivered|dead)$",
            description="Send deliveries in this state. Defaults to `dead`.",
        ),
    ] = webhooks.DEAD
    since: (
        Annotated[
            datetime,
            Meta(tz=True, description="Send only deliveries created at or after this time."),
        ]
        | UnsetType
    ) = UNSET
    until: (
        Annotated[
            datetime, Meta(tz=True, description="Send only deliveries created before this time.")
        ]
        | UnsetType
    ) = UNSET


class ReplayMade(msgspec.Struct, frozen=True):
    """How many deliveries are `sent` again.

    `more` is how many of the chosen ones are left: repeat the request to send those.
    """

    sent: int
    more: int


@operation(POST, "/v1/webhooks", tag=TAG, answers={201: WebhookMade}, security=[MANAGE])
def create_webhook(body: WebhookNew, caller: KeyCaller) -> WebhookMade:
    """Create a webhook, which is notified of changes from now on.

    Each delivery is signed according to Standard Webhooks (`webhook-id`, `webhook-timestamp`,
    `webhook-signature`): check it with a library of standardwebhooks.com, which refuses timestamps
    that are more than 5 minutes off. If the answer is not 2xx within 10 s, the delivery is retried
    for 24 hours, first after 30 s, then after twice as long each time, up to 2 hours. A delivery
    may arrive twice; `webhook-id` identifies it. The address must be public, now and for every
    delivery.
    """
    webhook = webhooks.create(caller.integrator_id, body.url, body.events)
    if isinstance(webhook, dict):
        faults = [Fault("body", field, "invalid", text) for field, text in webhook.items()]
        raise ProblemError(
            400, " ".join(f"{fault.field}: {fault.detail}" for fault in faults), faults
        )
    return WebhookMade(webhook.id, webhook.url, webhook.events, webhook.created_at, webhook.secret)


@operation(GET, "/v1/webhooks", tag=TAG, answers={200: WebhookList}, security=[MANAGE])
def list_webhooks(caller: KeyCaller) -> WebhookList:
    """List the integrator's webhooks."""
    rows = webhooks.of(caller.integrator_id)
    return WebhookList([WebhookBody(row.id, row.url, row.events, row.created_at) for row in rows])


@operation(
    DELETE,
    "/v1/webhooks/{webhook_id}",
    tag=TAG,
    answers={204: None},
    security=[MANAGE],
    problems=NO_WEBHOOK,
)
def delete_webhook(path: WebhookPath, caller: KeyCaller) -> tuple[int, None]:
    """Delete a webhook with all its deliveries."""
    webhooks.remove(_own(path.webhook_id, caller))
    return 204, None


@operation(
    POST,
    "/v1/webhooks/{webhook_id}/secret",
    tag=TAG,
    answers={200: SecretMade},
    security=[MANAGE],
    problems=NO_WEBHOOK,
)
def rotate_webhook_secret(path: WebhookPath, caller: KeyCaller) -> SecretMade:
    """Rotate a webhook's secret without losing pending deliveries.

    For 24 hours each delivery is signed with both secrets, and `webhook-signature` has both
    signatures, separated by a space, according to Standard Webhooks: change the secret at the
    receiver in this time. After another rotation, only the last two secrets sign.
    """
    webhook = webhooks.rotate_secret(_own(path.webhook_id, caller), clock.now())
    assert webhook.old_secret_until is not None  # it was just set
    return SecretMade(webhook.id, webhook.secret, webhook.old_secret_until)


@operation(
    GET,
    "/v1/webhooks/{webhook_id}/deliveries",
    tag=TAG,
    answers={200: DeliveryList},
    security=[MANAGE],
    problems=NO_WEBHOOK,
)
def list_deliveries(path: WebhookPath, query: DeliveriesQuery, caller: KeyCaller) -> DeliveryList:
    """List deliveries with their outcome.

    Delivered ones are kept for 7 days, dead ones for 30 days.
    """
    rows = webhooks.deliveries(
        _own(path.webhook_id, caller), None if query.state is UNSET else query.state, query.limit
    )
    return DeliveryList([_delivery(row) for row in rows])


@operation(
    POST,
    "/v1/webhooks/{webhook_id}/deliveries/{number}/replay",
    tag=TAG,
    answers={202: DeliveryBody},
    security=[MANAGE],
    problems={404: "The integrator has no such webhook, or the webhook has no such delivery."},
    limits=COSTLY_CALLS,
)
def replay_delivery(path: DeliveryPath, caller: KeyCaller) -> DeliveryBody:
    """Send a dead or delivered delivery again, ahead of pending ones."""
    delivery = webhooks.replay(_own(path.webhook_id, caller), path.number, clock.now())
    if delivery is None:
        raise ProblemError(
            404, f"The webhook has no delivery {path.number}. List its deliveries first."
        )
    return _delivery(delivery)


@operation(
    POST,
    "/v1/webhooks/{webhook_id}/replay",
    tag=TAG,
    answers={202: ReplayMade},
    security=[MANAGE],
    problems=NO_WEBHOOK,
    limits=COSTLY_CALLS,
)
def replay_deliveries(path: WebhookPath, body: ReplayNew, caller: KeyCaller) -> ReplayMade:
    """Send all dead deliveries again, or those from a given period.

    The oldest are sent first, ahead of pending ones, up to 1,000 per request. Each is retried for
    another day.
    """
    since, until = (None if moment is UNSET else moment for moment in (body.since, body.until))
    chosen = webhook_replays.Chosen(body.state, since, until)
    done = webhook_replays.replay_all(_own(path.webhook_id, caller), chosen, clock.now())
    return ReplayMade(done.sent, done.more)


def _own(webhook_id: UUID, caller: KeyCaller) -> Webhook:
    webhook = webhooks.find(caller.integrator_id, webhook_id)
    if webhook is None:
        raise ProblemError(
            404, "The integrator of this key has no such webhook. List its webhooks first."
        )
    return webhook


def _delivery(delivery: WebhookDelivery) -> DeliveryBody:
    return DeliveryBody(
        delivery.number,
        delivery.state,
        delivery.tries,
        delivery.next_at,
        delivery.made_at,
        delivery.ended_at,
        delivery.status,
        delivery.reason,
    )
