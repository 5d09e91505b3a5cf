"""The change feed and webhooks over the API. Each integrator sees its own boards alone."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from flask import Response, stream_with_context
from msgspec import UNSET, Meta, UnsetType

from app.accounts.api_keys import KeyCaller
from app.api.operations import DELETE, GET, POST, operation
from app.api.security import Key
from app.core import clock
from app.core.db import db
from app.core.problems import Fault, Refuse
from app.scores import feed, webhooks
from app.scores.feed import BadToken, Change, Token, TooOld
from app.scores.feed_models import Webhook, WebhookDelivery

TAG = "Change feed and webhooks"
READ, MANAGE = Key("feed:read"), Key("webhooks:manage")
NO_CHANGES = {
    400: "A field is wrong, or `since` is no token of this feed.",
    410: "Changes after `since` are no longer kept.",
    429: "Another request of this integrator waits for changes already.",
}
NO_WEBHOOK = {404: "The integrator has no such webhook."}
WAITING_AT_ONCE, WAITING_OF_ONE = 2, 1  # requests of a web process that wait for changes: the other threads are free
LONGEST_WAIT = 25

_waiting: Counter[int] = Counter()
_lock = threading.Lock()


Since = Annotated[str, Meta(max_length=40, description="`next` of the last answer; none: all kept.")]


class FeedQuery(msgspec.Struct, frozen=True):
    since: Since | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=feed.PAGE, description="Changes at most.")] = 100
    wait: Annotated[
        int, Meta(ge=0, le=LONGEST_WAIT, description="Seconds to wait for a change while there is none.")
    ] = 0


class ChangeBody(msgspec.Struct, frozen=True):
    """What a player holds on a board from now on; `raw_score` is null when they left it."""

    event: Annotated[str, Meta(description="`score.changed` or `score.removed`.")]
    sequence: Annotated[int, Meta(description="Of two changes of a player on a board the greater is the newer.")]
    game: str
    mode: str
    window: str
    player_id: UUID
    raw_score: int | None
    changed_at: datetime


class FeedBody(msgspec.Struct, frozen=True):
    """Changes in the feed's order. `next`: send it as `since`, also when there are none. `more`: there are already."""

    changes: Sequence[ChangeBody]
    next: str
    more: bool


class StreamQuery(msgspec.Struct, frozen=True):
    since: Since | UnsetType = UNSET


class StreamLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line: changes in the feed's order, or that the stream lives; `next` is what to go on from."""

    next: str
    changes: Sequence[ChangeBody] | UnsetType = UNSET
    keep_alive: Literal[True] | UnsetType = UNSET


class WebhookNew(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where to send what."""

    url: Annotated[str, Meta(min_length=1, max_length=2_000, description="Begins with https://, on a public address.")]
    events: Annotated[
        Sequence[Annotated[str, Meta(pattern=r"^score\.(changed|removed)$")]], Meta(min_length=1, max_length=2)
    ] = feed.EVENTS


class WebhookBody(msgspec.Struct, frozen=True):
    """A webhook."""

    webhook_id: UUID
    url: str
    events: Sequence[str]
    created_at: datetime


class WebhookMade(msgspec.Struct, frozen=True):
    """A new webhook, and the secret that signs its deliveries: shown this once."""

    webhook_id: UUID
    url: str
    events: Sequence[str]
    created_at: datetime
    secret: str


class WebhookList(msgspec.Struct, frozen=True):
    """Webhooks, the oldest first."""

    webhooks: Sequence[WebhookBody]


class WebhookPath(msgspec.Struct, frozen=True):
    webhook_id: Annotated[UUID, Meta(description="The webhook's UUID.")]


class DeliveryPath(msgspec.Struct, frozen=True):
    webhook_id: Annotated[UUID, Meta(description="The webhook's UUID.")]
    number: Annotated[int, Meta(ge=1, le=2**31 - 1, description="The delivery's number.")]


class DeliveriesQuery(msgspec.Struct, frozen=True):
    state: Annotated[str, Meta(pattern="^(waiting|delivered|dead)$", description="Those alone.")] | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=100, description="Deliveries at most.")] = 25


class DeliveryBody(msgspec.Struct, frozen=True):
    """One delivery. `status`: the last answer's; `reason`: why it failed."""

    number: int
    state: Annotated[str, Meta(description="waiting, delivered or dead.")]
    tries: int
    next_at: datetime
    made_at: datetime
    ended_at: datetime | None
    status: int | None
    reason: str | None


class DeliveryList(msgspec.Struct, frozen=True):
    """Deliveries, the newest first."""

    deliveries: Sequence[DeliveryBody]


@operation(
    GET,
    "/v1/feed",
    tag=TAG,
    answers={200: FeedBody},
    security=[READ],
    problems=NO_CHANGES,
)
def read_feed(query: FeedQuery, caller: KeyCaller) -> FeedBody:
    """Changes on the integrator's boards, none skipped.

    Send `next` of each answer as `since` of the next request, however long after: changes are kept for 7 days. With
    `wait` an answer comes with the first change, or without one when the time is over.
    """
    with _token_faults():
        since = None if query.since is UNSET else Token.parse(query.since)
        page = feed.read(caller.integrator_id, since, query.limit)
        if query.wait and not page.changes:
            with _one_that_waits(caller.integrator_id):
                page = feed.wait(caller.integrator_id, page.token, query.limit, query.wait)
    return FeedBody([_change(change) for change in page.changes], str(page.token), page.more)


@operation(
    GET,
    "/v1/feed/stream",
    tag=TAG,
    answers={200: StreamLine},
    security=[READ],
    problems=NO_CHANGES,
    media_type="application/x-ndjson",
)
def stream_feed(query: StreamQuery, caller: KeyCaller) -> Response:
    """The feed as lines of JSON for up to 30 s.

    Each line has `changes`, or without any for 5 s `keep_alive`; and `next`, to go on from with the next request.
    """
    integrator_id = caller.integrator_id
    with _token_faults():
        since = None if query.since is UNSET else Token.parse(query.since)
        feed.read(integrator_id, since, 1)  # refuses before the first line
    db.session.rollback()
    _begin_waiting(integrator_id)

    def lines() -> Iterator[bytes]:
        for token, changes in feed.stream(integrator_id, since, feed.LONGEST_SECONDS):
            said = [_change(change) for change in changes]
            line = StreamLine(str(token), said) if said else StreamLine(str(token), keep_alive=True)
            yield msgspec.json.encode(line) + b"\n"

    response = Response(stream_with_context(lines()), mimetype="application/x-ndjson")
    response.call_on_close(lambda: _end_waiting(integrator_id))
    return response


@operation(POST, "/v1/webhooks", tag=TAG, answers={201: WebhookMade}, security=[MANAGE])
def create_webhook(body: WebhookNew, caller: KeyCaller) -> WebhookMade:
    """Be notified of changes from now on.

    Each delivery is signed as Standard Webhooks says (`webhook-id`, `webhook-timestamp`, `webhook-signature`): check it
    with a library of standardwebhooks.com, which refuses one whose time is more than 5 minutes off. Anything but 2xx
    within 10 s is tried again after 30, 60 and 120 s. A delivery may come twice: `webhook-id` names it.
    """
    made = webhooks.create(caller.integrator_id, body.url, body.events)
    if isinstance(made, dict):
        faults = [Fault("body", field, "invalid", text) for field, text in made.items()]
        raise Refuse(400, " ".join(f"{fault.field}: {fault.detail}" for fault in faults), faults)
    return WebhookMade(made.id, made.url, made.events, made.created_at, made.secret)


@operation(GET, "/v1/webhooks", tag=TAG, answers={200: WebhookList}, security=[MANAGE])
def list_webhooks(caller: KeyCaller) -> WebhookList:
    """The integrator's webhooks."""
    found = webhooks.of(caller.integrator_id)
    return WebhookList([WebhookBody(one.id, one.url, one.events, one.created_at) for one in found])


@operation(DELETE, "/v1/webhooks/{webhook_id}", tag=TAG, answers={204: None}, security=[MANAGE], problems=NO_WEBHOOK)
def delete_webhook(path: WebhookPath, caller: KeyCaller) -> tuple[int, None]:
    """End a webhook, with all its deliveries."""
    webhooks.remove(_own(path.webhook_id, caller))
    return 204, None


@operation(
    GET,
    "/v1/webhooks/{webhook_id}/deliveries",
    tag=TAG,
    answers={200: DeliveryList},
    security=[MANAGE],
    problems=NO_WEBHOOK,
)
def list_deliveries(path: WebhookPath, query: DeliveriesQuery, caller: KeyCaller) -> DeliveryList:
    """What was sent, and how it went. Delivered ones are kept for 7 days, dead ones for 30."""
    found = webhooks.deliveries(
        _own(path.webhook_id, caller), None if query.state is UNSET else query.state, query.limit
    )
    return DeliveryList([_delivery(one) for one in found])


@operation(
    POST,
    "/v1/webhooks/{webhook_id}/deliveries/{number}/replay",
    tag=TAG,
    answers={202: DeliveryBody},
    security=[MANAGE],
    problems={404: "The integrator has no such webhook, or that no such delivery."},
)
def replay_delivery(path: DeliveryPath, caller: KeyCaller) -> DeliveryBody:
    """Send a dead or delivered one once more, before those that wait."""
    found = webhooks.replay(_own(path.webhook_id, caller), path.number, clock.now())
    if found is None:
        raise Refuse(404, f"The webhook has no delivery {path.number}: list them first.")
    return _delivery(found)


@contextmanager
def _token_faults() -> Iterator[None]:
    """Raises Refuse 400 for a token that is none, 410 for one that is too old."""
    try:
        yield
    except BadToken as error:
        raise Refuse(400, str(error), [Fault("query", "since", "invalid", str(error))]) from None
    except TooOld as error:
        raise Refuse(410, str(error)) from None


@contextmanager
def _one_that_waits(integrator_id: int) -> Iterator[None]:
    """Raises Refuse 429 when enough wait already."""
    _begin_waiting(integrator_id)
    try:
        yield
    finally:
        _end_waiting(integrator_id)


def _begin_waiting(integrator_id: int) -> None:
    with _lock:
        if _waiting.total() >= WAITING_AT_ONCE or _waiting[integrator_id] >= WAITING_OF_ONE:
            detail = "Enough requests wait for changes already: send it again, or without wait."
            raise Refuse(429, detail, headers={"Retry-After": "5"})
        _waiting[integrator_id] += 1


def _end_waiting(integrator_id: int) -> None:
    with _lock:
        _waiting[integrator_id] -= 1


def _own(webhook_id: UUID, caller: KeyCaller) -> Webhook:
    found = webhooks.find(caller.integrator_id, webhook_id)
    if found is None:
        raise Refuse(404, "The integrator of this key has no such webhook: list them first.")
    return found


def _change(change: Change) -> ChangeBody:
    return msgspec.convert(change.body(), ChangeBody)


def _delivery(one: WebhookDelivery) -> DeliveryBody:
    return DeliveryBody(
        one.number, one.state, one.tries, one.next_at, one.made_at, one.ended_at, one.status, one.reason
    )
