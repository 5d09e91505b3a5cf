"""The change feed over the API. Each integrator sees only its own boards.

Webhooks are in webhooks.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from flask import Flask, Response, current_app, request
from msgspec import UNSET, Meta, UnsetType

from app.accounts.api_keys import KeyCaller
from app.api.operations import GET, JSON, operation
from app.api.security import Key
from app.core.db import db
from app.core.http.problems import Fault, ProblemError
from app.core.serving import add_stream_source, can_hand_over, hand_over
from app.scores.feed import changes as feed
from app.scores.feed import hub as feed_hub
from app.scores.feed.changes import Change, Page
from app.scores.feed.places import InvalidTokenError, Token, TokenTooOldError

TAG = "Change feed and webhooks"
READ = Key("feed:read")
NO_CHANGES = {
    400: "A field is invalid, or `since` is not a token from this feed.",
    410: "Changes after `since` are no longer kept, or the server was restored to an earlier "
    "state. Read the boards again, then the feed without `since`.",
    429: "This integrator has too many open streams or requests waiting for changes.",
}
HUB = "feed_hub"
LONGEST_WAIT = 25

Since = Annotated[
    str,
    Meta(
        max_length=40,
        description=(
            "The value of `next` in your last response. Leave it out to read all "
            "changes that are kept."
        ),
    ),
]


class FeedQuery(msgspec.Struct, frozen=True):
    """Query parameters of a feed request."""

    since: Since | UnsetType = UNSET
    limit: Annotated[
        int, Meta(ge=1, le=feed.PAGE, description="The maximum number of changes to return.")
    ] = 100
    wait: Annotated[
        int,
        Meta(
            ge=0,
            le=LONGEST_WAIT,
            description="How many seconds to wait for a change if there is none.",
        ),
    ] = 0


class RewardChange(msgspec.Struct, frozen=True):
    """An amount of a reward, granted or withdrawn when a competition's window was settled."""

    competition: Annotated[str, Meta(description="The competition's slug.")]
    window: Annotated[
        int, Meta(description="The window's number in the competition, starting at 1.")
    ]
    settlement: Annotated[
        int,
        Meta(
            description=(
                "The number of the settlement: 1 for the window's first, higher after corrections."
            )
        ),
    ]
    reward: str
    amount: Annotated[int, Meta(description="The amount granted or withdrawn.")]
    tier: int
    rank: Annotated[
        int | None,
        Meta(
            description=(
                "The rank in the cohort in this settlement. Null if the player no longer "
                "has a score."
            )
        ),
    ]


class MovedFootballer(msgspec.Struct, frozen=True):
    """A footballer who moved between teams, or to another spot on one team's roster."""

    footballer_id: str
    from_franchise: Annotated[
        int | None, Meta(description="The team that had the player. Null for a free agent.")
    ]
    to_franchise: Annotated[
        int | None,
        Meta(
            description=(
                "The team that has the player now. Null if the player is now a free agent."
            )
        ),
    ]
    spot: Annotated[
        str, Meta(description="The player's spot on the new team: `active`, `reserve` or `taxi`.")
    ]
    from_spot: Annotated[str, Meta(description="The player's spot on the old team.")]


class MovedBudget(msgspec.Struct, frozen=True):
    """How a team's waiver budget changed. Negative if it fell."""

    franchise: int
    amount: int


class MovedPick(msgspec.Struct, frozen=True):
    """A future draft pick that changed hands. `original_franchise` had it first."""

    season: int
    round: int
    original_franchise: int
    from_franchise: int
    to_franchise: int


class TransactionChange(msgspec.Struct, frozen=True):
    """An entry of a draft league's log. Its league and number identify it."""

    league: Annotated[str, Meta(description="The league's slug, as in its URL.")]
    number: Annotated[
        int,
        Meta(description="The transaction's number, starting at 1 in each league, without gaps."),
    ]
    kind: Annotated[
        str,
        Meta(
            description=(
                "The kind of transaction, such as `drafted`, `added`, `claimed` or `traded`."
            )
        ),
    ]
    made_at: datetime
    by_member_id: Annotated[
        int | None,
        Meta(description="The member who did it. Null if a rule did, such as a waiver run."),
    ]
    reason: str
    depends_on: Annotated[int | None, Meta(description="The transaction that this one reverses.")]
    moves: Sequence[MovedFootballer]
    budgets: Sequence[MovedBudget]
    picks: Sequence[MovedPick]


class ChangeBody(msgspec.Struct, frozen=True, omit_defaults=True):
    """A player's new score on a board, or another kind of change.

    `raw_score` is null if the player left the board. The other kinds are:

    A reward of a competition. `reward` says which one, `window` is `competition:<slug>:<number>`,
    and `raw_score` is null. A player's balance is the sum of what was granted minus what was
    withdrawn. `sequence` identifies each change.

    A deleted mode or game, without a player.

    `league.transaction`, without a game or player: a new entry in the log of a draft league that
    the integrator's owner is in. `transaction` is the entry.

    `timeline.changed`, without a game or player: the server was restored to an earlier moment.
    Changes you received with a `sequence` above `kept_through` and below this one are undone.
    """

    event: Annotated[
        str,
        Meta(
            description=(f"The kind of change: {', '.join(f'`{event}`' for event in feed.EVENTS)}.")
        ),
    ]
    sequence: Annotated[
        int,
        Meta(
            description=(
                "The change's position in the feed. It increases with each change and is "
                "never reused."
            )
        ),
    ]
    game: str
    mode: str
    window: str
    player_id: Annotated[
        UUID | None, Meta(description="The player. Null if a game or mode was deleted.")
    ]
    raw_score: int | None
    subscore: Annotated[
        int | None, Meta(description="The subscore of the score. Only set in modes with subscores.")
    ]
    changed_at: datetime
    reward: RewardChange | UnsetType = UNSET
    transaction: TransactionChange | UnsetType = UNSET
    kept_through: Annotated[
        int | UnsetType,
        Meta(
            description=(
                "Only for `timeline.changed`: all changes up to this `sequence` are "
                "still as you received them."
            )
        ),
    ] = UNSET


class FeedBody(msgspec.Struct, frozen=True):
    """Changes in the feed's order.

    Send `next` as `since` in the next request, even if there are no changes. `more` says whether
    more changes are ready.
    """

    changes: Sequence[ChangeBody]
    next: str
    more: bool


class StreamQuery(msgspec.Struct, frozen=True):
    """Query parameters of a stream request."""

    since: Since | UnsetType = UNSET


class EventsHeaders(msgspec.Struct, frozen=True):
    """Request headers of the event stream."""

    last: Annotated[
        str,
        Meta(
            max_length=40,
            description="The ID of the last event you read. SSE libraries send it automatically.",
        ),
    ] = msgspec.field(default="", name="Last-Event-ID")


class StreamLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of the stream: changes in the feed's order, or a sign that the stream is alive.

    Continue from `next`.
    """

    next: str
    changes: Sequence[ChangeBody] | UnsetType = UNSET
    keep_alive: Literal[True] | UnsetType = UNSET


@operation(
    GET,
    "/v1/feed",
    tag=TAG,
    answers={200: FeedBody},
    security=[READ],
    problems=NO_CHANGES,
)
def read_feed(query: FeedQuery, caller: KeyCaller) -> FeedBody | Response:
    """Read the changes on the integrator's boards, without gaps.

    Send `next` from each response as `since` in the next request. Changes are kept for 7 days. With
    `wait`, the response is sent with the first change, or empty when the time is up. A waiting
    request counts as a stream. An integrator can have 300 of them; more are refused with 429.
    """
    with _token_faults():
        since = None if query.since is UNSET else Token.parse(query.since)
        page = feed.read(caller.integrator_id, since, query.limit)
    if query.wait and not page.changes and request.method != "HEAD" and can_hand_over():
        return _open_stream(
            feed_hub.StreamRequest(
                integrator_id=caller.integrator_id,
                key_id=caller.key_id,
                since=str(page.token),
                format="page",
                limit=query.limit,
                seconds=query.wait,
                ends_with_page=True,
            ),
            media_type=JSON,
        )
    return _body(page)


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
    """Stream the feed as lines of JSON, for up to 15 minutes.

    Each line has `changes`, or `keep_alive` after 15 s without any, and `next`, from which the next
    request continues. A reader that falls too far behind is disconnected and can continue from its
    last `next`.
    """
    return _stream(caller, query.since, "lines", media_type="application/x-ndjson")


@operation(
    GET,
    "/v1/feed/events",
    tag=TAG,
    answers={200: ChangeBody},
    security=[READ],
    problems=NO_CHANGES,
    media_type="text/event-stream",
)
def stream_events(query: StreamQuery, headers: EventsHeaders, caller: KeyCaller) -> Response:
    """Stream the feed as server-sent events (SSE), for up to 15 minutes.

    Each event is a change: `event` is its kind, `data` the change itself and `id` its position. SSE
    libraries reconnect automatically and send the last `id` as `Last-Event-ID`. The stream
    continues right after it, without gaps or duplicates. After 15 s without a change, a comment is
    sent.
    """
    since = headers.last or query.since
    opening = b"retry: 3000\n\n"
    return _stream(caller, since, "events", media_type="text/event-stream", opening=opening)


def _stream(
    caller: KeyCaller,
    token: str | UnsetType,
    page_format: str,
    *,
    media_type: str,
    opening: bytes = b"",
) -> Response:
    with _token_faults():
        since = None if token is UNSET else Token.parse(token)
        page = feed.read(caller.integrator_id, since, 1)  # refuses before the first byte
    stream = feed_hub.StreamRequest(
        integrator_id=caller.integrator_id,
        key_id=caller.key_id,
        since=str(since or page.since),
        format=page_format,
    )
    return _open_stream(stream, media_type=media_type, opening=opening)


def _open_stream(
    stream: feed_hub.StreamRequest, *, media_type: str, opening: bytes = b""
) -> Response:
    """The response that the web server hands to the hub; it occupies no thread.

    Raises ProblemError 429 if too many streams are open.
    """
    db.session.rollback()  # the stream outlives the request
    hub: feed_hub.FeedHub = current_app.extensions[HUB]
    if not hub.has_room(stream.integrator_id):
        detail = "Too many streams are open. Close one, or try again later."
        raise ProblemError(429, detail, headers={"Retry-After": "5"})
    response = Response(opening, mimetype=media_type)
    response.headers["Cache-Control"] = "no-cache"
    response.headers["X-Accel-Buffering"] = "no"  # proxies pass it on as it comes
    return response if request.method == "HEAD" else hand_over(response, HUB, stream.dump())


def _body(page: Page) -> FeedBody:
    return FeedBody([_change(change) for change in page.changes], str(page.token), page.more)


def _page(page: Page) -> bytes:
    return msgspec.json.encode(_body(page))


def _line(page: Page) -> bytes:
    changes = [_change(change) for change in page.changes]
    line = (
        StreamLine(str(page.token), changes)
        if changes
        else StreamLine(str(page.token), keep_alive=True)
    )
    return msgspec.json.encode(line) + b"\n"


def _events(page: Page) -> bytes:
    """The changes as events; without any, a comment and an id, which only moves the place."""
    if not page.changes:
        return f": keep-alive\nid: {page.token}\n\n".encode()
    return b"".join(
        f"id: {change.token}\nevent: {change.event}\ndata: ".encode()
        + msgspec.json.encode(_change(change))
        + b"\n\n"
        for change in page.changes
    )


def init_app(app: Flask) -> None:
    """Register with the application."""
    formats = {"page": _page, "lines": _line, "events": _events}
    hub = app.extensions[HUB] = feed_hub.FeedHub(app, formats)
    add_stream_source(app, HUB, hub.open)


@contextmanager
def _token_faults() -> Iterator[None]:
    """Raises ProblemError 400 for an invalid token, 410 for one that is too old."""
    try:
        yield
    except InvalidTokenError as error:
        raise ProblemError(
            400, str(error), [Fault("query", "since", "invalid", str(error))]
        ) from None
    except TokenTooOldError as error:
        raise ProblemError(410, str(error)) from None


def _change(change: Change) -> ChangeBody:
    return msgspec.convert(change.body(), ChangeBody)
