"""Live streams of draft rooms: one thread per process looks for new versions and sends them.

An update is made once per version, whoever watches. The hub also settles clocks that have run out
in the rooms that it serves, so these do not wait for the worker. Everything is bounded: streams,
what a slow reader leaves unread, and time; a page whose stream ends opens another one, or polls.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import structlog
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from app.core import clock
from app.core.db import db
from app.core.serving import OpenStream
from app.draft_leagues.drafts import queries, services, updates
from app.draft_leagues.drafts.queries import Snapshot

log = structlog.get_logger(__name__)

HUB = "draft_hub"
MOST_STREAMS = 2_000  # of a process
MOST_STREAMS_OF_DRAFT = 200  # 32 teams with several screens each
MOST_STREAMS_OF_MEMBER = 8  # screens of one person; further ones poll
MOST_UNREAD_BYTES = 512 * 1024  # readers that leave more are dropped
STREAM_SECONDS = 300.0  # then the page opens another one
ACCESS_SECONDS = 2.0  # between two checks whether those who watch still may
KEEP_ALIVE_SECONDS = 15.0
LOOK_SECONDS = 0.1  # between two looks for what other processes did
RETRY_SECONDS = 1.0  # while PostgreSQL is away
KEEP_ALIVE = b": keep-alive\n\n"


class StreamRequest(msgspec.Struct, frozen=True):
    """What a view has authorised: the draft, for a session of a member, and the version shown."""

    draft_id: int
    session_id: str
    version: int
    member_id: int

    def dump(self) -> str:
        """Encode the request as JSON."""
        return msgspec.json.encode(self).decode()


@dataclass(eq=False)
class _Stream:
    draft_id: int
    session_id: str
    version: int
    member_id: int
    response: OpenStream
    ends_at: float
    sent_at: float


class DraftHub:
    """The streams of one process. Its thread begins with the first and ends with the last."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._lock = threading.Lock()
        self._streams: list[_Stream] = []
        self._is_running = False
        self._wake = threading.Event()
        self._shown: dict[int, Snapshot] = {}  # the latest snapshot that was sent, by draft
        self._not_before: dict[int, float] = {}  # when a clock that stands is looked at again
        self._access_at = 0.0  # when it is checked again whether those who watch still may

    @property
    def is_idle(self) -> bool:
        """Whether its thread has ended."""
        return not self._is_running

    def has_room(self, draft_id: int, member_id: int) -> bool:
        """Whether the member may open another stream of the draft."""
        with self._lock:
            streams = [stream for stream in self._streams if not stream.response.is_closed]
        return (
            len(streams) < MOST_STREAMS
            and sum(stream.draft_id == draft_id for stream in streams) < MOST_STREAMS_OF_DRAFT
            and sum(stream.member_id == member_id for stream in streams) < MOST_STREAMS_OF_MEMBER
        )

    def wake(self) -> None:
        """Look at once, because this process has changed a draft."""
        self._wake.set()

    def open(self, description: str, response: OpenStream) -> None:
        """Send every version after the one of the request (StreamRequest)."""
        request = msgspec.json.decode(description, type=StreamRequest)
        if not self.has_room(request.draft_id, request.member_id):
            response.end()  # several were opened at once: the page asks anew, and then polls
            return
        now = time.monotonic()
        stream = _Stream(
            request.draft_id,
            request.session_id,
            request.version,
            request.member_id,
            response,
            now + STREAM_SECONDS,
            now,
        )
        with self._lock:
            if not self._is_running:
                threading.Thread(target=self._run, name="draft-hub", daemon=True).start()
                self._is_running = True
            self._streams.append(stream)
        self._wake.set()

    def _run(self) -> None:
        with self._app.app_context():
            while self._sweep():
                self._wake.wait(self._serve())
                self._wake.clear()

    def _serve(self) -> float:
        """Serve everybody once. Returns how long to wait. The hub survives every error."""
        try:
            self._send_news()
            db.session.rollback()
        except SQLAlchemyError as error:
            log.warning("draft_rooms_not_read", reason=type(error).__name__)
        except Exception:
            log.exception("draft_hub_failed", streams=len(self._streams))
            with self._lock:
                streams = list(self._streams)
            for stream in streams:  # their pages ask anew
                stream.response.end()
        else:
            return LOOK_SECONDS
        db.session.remove()  # the connection may be the fault
        return RETRY_SECONDS

    def _sweep(self) -> bool:
        """Forget streams that are over, too slow or closed. Returns whether any are left."""
        now = time.monotonic()
        with self._lock:
            for stream in self._streams:
                if stream.response.unsent_bytes > MOST_UNREAD_BYTES:
                    stream.response.drop()
                elif now >= stream.ends_at:
                    stream.response.end()
            self._streams = [stream for stream in self._streams if not stream.response.is_closed]
            self._is_running = bool(self._streams)
            watched = {stream.draft_id for stream in self._streams}
            self._shown = {key: value for key, value in self._shown.items() if key in watched}
            return self._is_running

    def _send_news(self) -> None:
        of_draft: dict[int, list[_Stream]] = defaultdict(list)
        with self._lock:
            streams_now = list(self._streams)
        for stream in self._with_access(streams_now):
            of_draft[stream.draft_id].append(stream)
        versions = queries.watched(list(of_draft))
        for draft_id, (_, is_due) in versions.items():
            if is_due and self._advance(draft_id):
                versions[draft_id] = queries.watched([draft_id])[draft_id]
        for draft_id, streams in of_draft.items():
            if draft_id not in versions:  # it was deleted
                for stream in streams:
                    stream.response.end()
                continue
            self._send_version(draft_id, versions[draft_id][0], streams)
        self._keep_alive()

    def _with_access(self, streams: Sequence[_Stream]) -> Sequence[_Stream]:
        """Those of the streams that may go on; the others end. Checked every ACCESS_SECONDS."""
        now = time.monotonic()
        if now < self._access_at:
            return streams
        self._access_at = now + ACCESS_SECONDS
        allowed = queries.may_watch({(stream.draft_id, stream.session_id) for stream in streams})
        for stream in streams:
            if (stream.draft_id, stream.session_id) not in allowed:
                stream.response.end()
        return [stream for stream in streams if (stream.draft_id, stream.session_id) in allowed]

    def _advance(self, draft_id: int) -> bool:
        """Settle the clock, but not at once again if that did nothing. Returns what changed."""
        now = time.monotonic()
        if now < self._not_before.get(draft_id, 0.0):
            return False
        changed = services.advance(draft_id, clock.now())
        if not changed:
            self._not_before[draft_id] = now + RETRY_SECONDS
        return changed

    def _send_version(self, draft_id: int, version: int, streams: Sequence[_Stream]) -> None:
        behind = [stream for stream in streams if stream.version != version]
        if not behind:
            return
        after = queries.load_snapshot(draft_id)
        messages: dict[int, bytes] = {}
        for stream in behind:
            if stream.version not in messages:
                messages[stream.version] = self._message(draft_id, stream.version, after)
            stream.response.send(messages[stream.version])
            stream.version = after.draft.version
            stream.sent_at = time.monotonic()
        self._shown[draft_id] = after

    def _message(self, draft_id: int, since: int, after: Snapshot) -> bytes:
        """The event that leads a page from a version to this one."""
        before = self._shown.get(draft_id)
        if before is None or before.draft.version != since:
            before = queries.load_snapshot(draft_id, version=since)
        update = updates.update_between(before, after, clock.now())
        data = updates.encode(update)
        return b"id: %d\nevent: draft\ndata: %b\n\n" % (after.draft.version, data)

    def _keep_alive(self) -> None:
        now = time.monotonic()
        with self._lock:
            quiet = [
                stream for stream in self._streams if now - stream.sent_at >= KEEP_ALIVE_SECONDS
            ]
        for stream in quiet:
            stream.response.send(KEEP_ALIVE)
            stream.sent_at = now
