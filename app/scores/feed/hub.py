"""Open streams of the change feed: one thread per process reads for all of them.

A stream first catches up from its own place, page by page. Then it is live: one query per round
finds the changes of all integrators that have a live stream. A request that waits for one page is a
stream that ends with it. Everything is bounded: streams per process and per integrator, bytes that
a slow reader leaves unread (it is dropped, and continues with its last token), and time. When a key
is revoked its streams end. changes.py holds the feed; workers/web keeps responses open.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import structlog
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from app.accounts import api_keys
from app.core import clock as wall_clock
from app.core import metrics
from app.core.db import db
from app.core.serving import OpenStream
from app.scores.feed import changes as feed
from app.scores.feed import places as feed_places
from app.scores.feed.changes import Page
from app.scores.feed.places import InvalidTokenError, Token, TokenTooOldError

log = structlog.get_logger(__name__)

MAX_STREAMS, MAX_STREAMS_PER_INTEGRATOR = 1_000, 300  # per process
MAX_UNSENT_BYTES = 512 * 1024  # readers that leave more unread are dropped
PAGES_PER_ROUND = 50  # for catching up, before live streams are served again
STREAM_SECONDS = 900.0  # then the reader continues with its last token
KEEP_ALIVE_SECONDS = 15.0
KEY_CHECK_SECONDS = 1.0  # between checks whether the keys are still valid
RETRY_SECONDS = 1.0  # between rounds while PostgreSQL is away, and after an internal error

Format = Callable[[Page], bytes]
"""The bytes of a page. Without changes they say that the stream lives, or that a wait is over."""


class StreamRequest(msgspec.Struct, frozen=True):
    """What a view has authorised, as it hands it to the web server.

    Attributes:
        since: the token after which changes are sent.
        format: a name of the hub's formats.
        limit: changes per page.
        seconds: how long it stays open.
        ends_with_page: it is over with its first page, an empty one when its time is over.
    """

    integrator_id: int
    key_id: int
    since: str
    format: str
    limit: int = feed.PAGE
    seconds: float | None = None
    ends_with_page: bool = False

    def dump(self) -> str:
        """Encode the request as JSON."""
        return msgspec.json.encode(self).decode()


@dataclass(eq=False)
class _Stream:
    request: StreamRequest
    token: Token
    format: Format
    response: OpenStream
    ends_at: float
    sent_at: float
    is_live: bool = False

    @property
    def integrator_id(self) -> int:
        return self.request.integrator_id

    def empty_page(self) -> bytes:
        return self.format(Page((), self.token, False, self.token))


class FeedHub:
    """The streams of one process. Its thread begins with the first and ends with the last."""

    def __init__(
        self,
        app: Flask,
        formats: Mapping[str, Format],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app, self._formats, self._clock = app, formats, clock
        self._lock = threading.Lock()
        self._streams: list[_Stream] = []
        self._is_running = False
        self._keys_checked_at = 0.0

    @property
    def is_idle(self) -> bool:
        """Whether its thread has ended."""
        return not self._is_running

    def has_room(self, integrator_id: int) -> bool:
        """Tell whether the integrator may open another stream."""
        with self._lock:
            counts = Counter(
                stream.integrator_id for stream in self._streams if not stream.response.is_closed
            )
        return counts.total() < MAX_STREAMS and counts[integrator_id] < MAX_STREAMS_PER_INTEGRATOR

    def open(self, description: str, response: OpenStream) -> None:
        """Send what comes after the request's token, each change once and in order.

        Args:
            description: a StreamRequest as `dump` returns it.
            response: is ended here.
        """
        request = msgspec.json.decode(description, type=StreamRequest)
        now = self._clock()
        seconds = STREAM_SECONDS if request.seconds is None else request.seconds
        token, page_format = Token.parse(request.since), self._formats[request.format]
        stream = _Stream(request, token, page_format, response, now + seconds, now)
        with self._lock:
            if not self._is_running:
                # The thread begins with this lock, so it finds the stream. If it cannot be started,
                # nothing is left behind.
                threading.Thread(target=self._run, name="feed-hub", daemon=True).start()
                self._is_running = True
            self._streams.append(stream)

    def _run(self) -> None:
        with self._app.app_context():
            while self._sweep():
                time.sleep(self._serve_round())

    def _serve_round(self) -> float:
        """Serve everybody once, and return how long to pause. The hub survives every error."""
        try:
            self._read_and_send()
            db.session.rollback()  # nothing stays locked or open until the next round
        except SQLAlchemyError as error:
            log.warning("feed_not_read", reason=type(error).__name__)
        except Exception:
            # Nobody must wait for a broken hub: readers continue with their tokens.
            log.exception("feed_hub_failed", streams=len(self._streams))
            metrics.count(metrics.FEED_HUB, good=False)
            with self._lock:
                streams = list(self._streams)
            for stream in streams:
                self._end(stream)
        else:
            return feed.LOOK_SECONDS  # nothing announces a commit
        db.session.remove()  # the connection may be the fault
        return RETRY_SECONDS

    def _sweep(self) -> bool:
        """Forget streams that are over, too slow or closed. Returns whether any are left."""
        now = self._clock()
        with self._lock:
            for stream in self._streams:
                if stream.response.unsent_bytes > MAX_UNSENT_BYTES:
                    log.info("feed_reader_dropped", integrator_id=stream.integrator_id)
                    stream.response.drop()
                elif now >= stream.ends_at:
                    self._end(stream)
            self._streams = [stream for stream in self._streams if not stream.response.is_closed]
            self._is_running = bool(self._streams)
            return self._is_running

    def _end(self, stream: _Stream) -> None:
        """End a stream properly; a request that waits for a page gets an empty one."""
        stream.ends_at = float("inf")
        if stream.response.is_closed:
            return
        try:
            if stream.request.ends_with_page:
                stream.response.send(stream.empty_page())
            stream.response.end()
        except Exception:
            log.exception("feed_stream_not_ended", integrator_id=stream.integrator_id)
            stream.response.drop()

    def _read_and_send(self) -> None:
        with self._lock:
            streams = [stream for stream in self._streams if not stream.response.is_closed]
        streams = self._with_valid_keys(streams)
        feed_places.assign_places()
        self._catch_up([stream for stream in streams if not stream.is_live])
        live = [stream for stream in streams if stream.is_live and not stream.response.is_closed]
        if live:
            self._send_to_live(live)
        now = self._clock()
        for stream in streams:
            if now - stream.sent_at >= KEEP_ALIVE_SECONDS and not stream.request.ends_with_page:
                self._send(stream, stream.empty_page())

    def _with_valid_keys(self, streams: Sequence[_Stream]) -> list[_Stream]:
        """End the streams whose key was revoked, or whose owner was banned, since they began."""
        now = self._clock()
        if now - self._keys_checked_at < KEY_CHECK_SECONDS:
            return list(streams)
        valid = api_keys.good_among({stream.request.key_id for stream in streams}, wall_clock.now())
        self._keys_checked_at = now
        for stream in streams:
            if stream.request.key_id not in valid:
                log.info(
                    "feed_key_ended",
                    integrator_id=stream.integrator_id,
                    key_id=stream.request.key_id,
                )
                self._end(stream)
        return [stream for stream in streams if stream.request.key_id in valid]

    def _catch_up(self, streams: Sequence[_Stream]) -> None:
        pages = PAGES_PER_ROUND
        for stream in streams:
            while pages > 0 and not stream.is_live and _takes_more(stream.response):
                pages -= 1
                try:
                    page = feed.read_placed(
                        stream.integrator_id, stream.token, stream.request.limit
                    )
                # The view has checked the token, but since then the feed was trimmed or restored.
                except (TokenTooOldError, InvalidTokenError):
                    self._end(stream)
                    break
                stream.token, stream.is_live = page.token, not page.more
                if page.changes:
                    self._send(stream, stream.format(page))

    def _send_to_live(self, live: Sequence[_Stream]) -> None:
        """Run one query for the integrators of all live streams, from the earliest place."""
        since = min(stream.token for stream in live)
        changes_of, token = feed.read_of_many({stream.integrator_id for stream in live}, since)
        encoded: dict[tuple[int, Format, int], bytes] = {}
        for stream in live:
            changes = [
                change
                for change in changes_of.get(stream.integrator_id, ())
                if change.token > stream.token
            ]
            # Further changes go page by page, as fast as the reader takes them.
            stream.is_live = len(changes) <= stream.request.limit
            if not stream.is_live:
                continue
            before, stream.token = stream.token, max(stream.token, token)
            if changes:
                # Pages with equally many changes end at the same place.
                key = (stream.integrator_id, stream.format, len(changes))
                if key not in encoded:
                    encoded[key] = stream.format(Page(changes, stream.token, False, before))
                self._send(stream, encoded[key])

    def _send(self, stream: _Stream, data: bytes) -> None:
        stream.response.send(data)
        stream.sent_at = self._clock()
        if stream.request.ends_with_page:
            stream.ends_at = float("inf")
            stream.response.end()


def _takes_more(response: OpenStream) -> bool:
    return not response.is_closed and response.unsent_bytes < MAX_UNSENT_BYTES // 2
