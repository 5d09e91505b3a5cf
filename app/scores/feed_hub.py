"""Open streams of the feed: one thread a process reads for all of them, so that hundreds cost as
much as one.

A stream first catches up from its own place, page by page; then it is live: one query a look for
the changes of all integrators that anybody watches. A request that waits for one page is a stream
that is over with it. Bounded: streams of a process and of an integrator, bytes that a slow reader
leaves (more, and it is dropped: it comes again with its last token), and time. A key that has ended
ends its streams. Called by app/api/feed.py. Not here: what the feed holds (feed.py), keeping a
connection open (app/core/holding.py).
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import structlog
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from app.accounts import api_keys
from app.accounts.api_keys import KeyCaller
from app.core import clock as wall_clock
from app.core import measures
from app.core.db import db
from app.core.holding import Held
from app.scores import feed, feed_places
from app.scores.feed import Page
from app.scores.feed_places import BadToken, Token, TooOld

log = structlog.get_logger(__name__)

MOST_STREAMS, MOST_OF_ONE = 1_000, 300  # of a process, and of an integrator in it
MOST_UNSENT = 512 * 1024  # bytes; who leaves more unread is dropped
# that streams catch up with, all together, before the live ones are served again
PAGES_OF_A_LOOK = 50
STREAM_SECONDS = 900.0  # then the reader comes again with its last token
KEEP_ALIVE_SECONDS = 15.0
KEYS_SECONDS = 1.0  # between looks whether the keys are still good
AWAY_SECONDS = 1.0  # between looks while PostgreSQL is away, and after an error of ours

Form = Callable[[Page], bytes]
"""The bytes of a page. Without changes they say that the stream lives or a wait was in vain."""


@dataclass(eq=False)
class Stream:
    """`limit`: changes of a page.

    `once`: it is over with its first page, an empty one when its time is over.
    """

    caller: KeyCaller
    token: Token
    form: Form
    held: Held
    ends: float
    said: float
    limit: int
    once: bool
    live: bool = field(default=False)

    @property
    def integrator_id(self) -> int:
        return self.caller.integrator_id

    def empty(self) -> bytes:
        return self.form(Page((), self.token, False, self.token))


class Hub:
    """The streams of one process.

    Its thread begins with the first one and ends when there is none.
    """

    def __init__(self, app: Flask, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._app, self._clock = app, clock
        self._lock = threading.Lock()
        self._streams: list[Stream] = []
        self._running = False
        self._keys_at = 0.0

    def has_room(self, integrator_id: int) -> bool:
        with self._lock:
            counted = Counter(one.integrator_id for one in self._streams if not one.held.closed)
        return counted.total() < MOST_STREAMS and counted[integrator_id] < MOST_OF_ONE

    def add(self, caller: KeyCaller, since: Token, form: Form, held: Held) -> None:
        """Sends what comes after `since`, each change once and in order, until the stream is
        over."""
        self._add(caller, since, form, held, STREAM_SECONDS, feed.PAGE, once=False)

    def wait(
        self, caller: KeyCaller, since: Token, form: Form, held: Held, *, limit: int, seconds: float
    ) -> None:
        """Sends the first page after `since` of at most `limit` changes, or an empty one after so
        many seconds.
        """
        self._add(caller, since, form, held, seconds, limit, once=True)

    def _add(
        self,
        caller: KeyCaller,
        since: Token,
        form: Form,
        held: Held,
        seconds: float,
        limit: int,
        *,
        once: bool,
    ) -> None:
        now = self._clock()
        with self._lock:
            if not self._running:
                # It begins with this lock, so it finds the stream; one that cannot begin leaves
                # nothing behind.
                threading.Thread(target=self._run, name="feed-hub", daemon=True).start()
                self._running = True
            self._streams.append(Stream(caller, since, form, held, now + seconds, now, limit, once))

    def _run(self) -> None:
        with self._app.app_context():
            while self._sweep():
                time.sleep(self._turn())

    def _turn(self) -> float:
        """One look; returns how long to pause. Whatever happens in it, the hub goes on."""
        try:
            self._look()
            db.session.rollback()  # nothing is locked or open until the next look
        except SQLAlchemyError as error:
            log.warning("feed_not_read", reason=type(error).__name__)
        except Exception:
            # Nobody must wait for a hub that cannot tell them anything: they come again with their
            # last token.
            log.exception("feed_hub_failed", streams=len(self._streams))
            measures.count(measures.FEED_HUB, good=False)
            with self._lock:
                streams = list(self._streams)
            for one in streams:
                self._end(one)
        else:
            return feed.LOOK_SECONDS  # nothing announces a commit (feed.stream)
        db.session.remove()  # the connection may be the fault
        return AWAY_SECONDS

    def _sweep(self) -> bool:
        """Lets go of streams that are over, too slow or gone.

        False: there are none, and the thread ends.
        """
        now = self._clock()
        with self._lock:
            for one in self._streams:
                if one.held.unsent > MOST_UNSENT:
                    log.info("feed_reader_dropped", integrator_id=one.integrator_id)
                    one.held.drop()
                elif now >= one.ends:
                    self._end(one)
            self._streams = [one for one in self._streams if not one.held.closed]
            self._running = bool(self._streams)
            return self._running

    def _end(self, one: Stream) -> None:
        """In good order; whoever waits for a page gets an empty one."""
        one.ends = float("inf")
        if one.held.closed:
            return
        try:
            if one.once:
                one.held.send(one.empty())
            one.held.end()
        except Exception:
            log.exception("feed_stream_not_ended", integrator_id=one.integrator_id)
            one.held.drop()

    def _look(self) -> None:
        """Reads once for all and sends."""
        with self._lock:
            streams = [one for one in self._streams if not one.held.closed]
        streams = self._with_good_keys(streams)
        feed_places.assign_places()
        self._catch_up([one for one in streams if not one.live])
        live = [one for one in streams if one.live and not one.held.closed]
        if live:
            self._serve(live)
        now = self._clock()
        for one in streams:
            if now - one.said >= KEEP_ALIVE_SECONDS and not one.once:
                self._send(one, one.empty())

    def _with_good_keys(self, streams: Sequence[Stream]) -> list[Stream]:
        """Ends those whose key was revoked, or whose owner was banned, since they began."""
        now = self._clock()
        if now - self._keys_at < KEYS_SECONDS:
            return list(streams)
        good = api_keys.good_among({one.caller.key_id for one in streams}, wall_clock.now())
        self._keys_at = now
        for one in streams:
            if one.caller.key_id not in good:
                log.info(
                    "feed_key_ended", integrator_id=one.integrator_id, key_id=one.caller.key_id
                )
                self._end(one)
        return [one for one in streams if one.caller.key_id in good]

    def _catch_up(self, streams: Sequence[Stream]) -> None:
        pages = PAGES_OF_A_LOOK
        for one in streams:
            while (
                pages > 0
                and not one.live
                and not one.held.closed
                and one.held.unsent < MOST_UNSENT // 2
            ):
                pages -= 1
                try:
                    page = feed.read_placed(one.integrator_id, one.token, one.limit)
                # it was looked at when the stream began; trimmed since, or a restore
                except (TooOld, BadToken):
                    self._end(one)
                    break
                one.token, one.live = page.token, not page.more
                if page.changes:
                    self._send(one, one.form(page))

    def _serve(self, live: Sequence[Stream]) -> None:
        """One query for the integrators of all live streams, from the place of the one that is
        least far.
        """
        since = min(one.token for one in live)
        found, token = feed.read_of_many({one.integrator_id for one in live}, since)
        said: dict[tuple[int, Form, int], bytes] = {}
        for one in live:
            changes = [
                change for change in found.get(one.integrator_id, ()) if change.token > one.token
            ]
            # more go page by page, as fast as the reader takes them
            one.live = len(changes) <= one.limit
            if not one.live:
                continue
            before, one.token = one.token, max(one.token, token)
            if changes:
                # Of the same page the same number of changes is the same end of it.
                key = (one.integrator_id, one.form, len(changes))
                if key not in said:
                    said[key] = one.form(Page(changes, one.token, False, before))
                self._send(one, said[key])

    def _send(self, one: Stream, data: bytes) -> None:
        one.held.send(data)
        one.said = self._clock()
        if one.once:
            one.ends = float("inf")
            one.held.end()
