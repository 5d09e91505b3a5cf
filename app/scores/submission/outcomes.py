"""Outcomes of attempts: how the consumer notifies waiting requests, with PostgreSQL's NOTIFY.

Notifications belong to the transaction that stores the outcome, so nobody hears of an outcome that
is not stored. One connection per process listens for all its requests: one per request would cost
more than the score itself. submit.py reads the outcomes from the table.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from uuid import UUID

import psycopg
import structlog
from flask import current_app
from sqlalchemy import text

from app.core.db import db
from app.core.errors import one_line
from app.core.postgres.connections import connect
from app.core.postgres.timeouts import Use
from app.core.serving import wait_for
from app.settings import Settings

log = structlog.get_logger(__name__)

CHANNEL = "pressbox_score_outcomes"
IN_ONE = 200  # ids per notification: PostgreSQL carries up to 8,000 bytes
READY_SECONDS = 5.0  # until the connection is there; connecting itself gives up earlier
LOOK_SECONDS = 15.0  # between checks whether the connection still answers and anybody waits
_making = threading.Lock()


def notify(events: Iterable[UUID]) -> None:
    """Announce that these events are decided once the open transaction commits."""
    names = sorted({event.hex for event in events})
    for start in range(0, len(names), IN_ONE):
        payload = " ".join(names[start : start + IN_ONE])
        db.session.execute(
            text("SELECT pg_notify(:channel, :payload)"), {"channel": CHANNEL, "payload": payload}
        )


class Waiting:
    """One request's wait for its events.

    `lost` means that nothing more will be heard of them; they may be decided or not.
    """

    def __init__(self, events: Collection[UUID]) -> None:
        self.missing = {event.hex for event in events}
        self.lost = False
        self._lock = threading.Lock()
        self._awaited: set[str] = set()
        self._over: Future[None] = Future()

    def until(self, events: Collection[UUID], seconds: float) -> bool:
        """Wait up to `seconds` until all events are decided or lost; whether all are decided."""
        with self._lock:
            self._awaited = {event.hex for event in events}
            self._over = Future()
            self._end_if_over()
        wait_for(self._over, seconds)
        return self.missing.isdisjoint(self._awaited)

    def hear(self, names: Collection[str]) -> None:
        """Note that these outcomes arrived."""
        with self._lock:
            self.missing.difference_update(names)
            self._end_if_over()

    def lose(self) -> None:
        """Note that the listener lost its connection."""
        with self._lock:
            self.lost = True
            self._end_if_over()

    def _end_if_over(self) -> None:
        is_over = self.lost or self.missing.isdisjoint(self._awaited)
        if is_over and not self._over.done():
            self._over.set_result(None)


class Listener:
    """Listens for everybody in this process who waits for an outcome.

    Its thread starts with the first of them and ends when nobody has waited for a while or the
    connection is lost; the next one starts it again.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._state = threading.Condition()
        self._waiting: set[Waiting] = set()
        self._running = False
        self._hears = False

    @contextmanager
    def waiting(self, events: Collection[UUID]) -> Iterator[Waiting]:
        """Register before sending the scores, so that no outcome is missed.

        Unless the listener is lost from the start.
        """
        waiting = Waiting(events)
        try:
            with self._state:
                self._waiting.add(waiting)
                if not self._running:
                    threading.Thread(target=self._run, name="score-outcomes", daemon=True).start()
                    self._running = True
                if not self._state.wait_for(lambda: self._hears or waiting.lost, READY_SECONDS):
                    waiting.lose()
            yield waiting
        finally:
            with self._state:
                self._waiting.discard(waiting)

    def _run(self) -> None:
        idle = False
        try:
            with connect(self._settings.direct_database(Use.WEB), autocommit=True) as connection:
                connection.execute(f"LISTEN {CHANNEL}")
                with self._state:
                    self._hears = True
                    self._state.notify_all()
                while not (idle := self._is_idle()):
                    for notice in connection.notifies(timeout=LOOK_SECONDS):
                        self._heard(notice.payload.split())
                    connection.execute("SELECT 1")  # raises if the connection is dead
        except psycopg.Error as error:
            log.warning("score_outcomes_not_heard", reason=one_line(error))
        finally:
            if not idle:
                self._lose()

    def _heard(self, names: Collection[str]) -> None:
        with self._state:
            waiting = [waiter for waiter in self._waiting if not waiter.missing.isdisjoint(names)]
        for waiter in waiting:
            waiter.hear(names)

    def _is_idle(self) -> bool:
        """Whether nobody waits: then the thread ends, and the next wait starts another."""
        with self._state:
            if not self._waiting:
                self._running = self._hears = False
            return not self._running

    def _lose(self) -> None:
        with self._state:
            self._running = self._hears = False
            for waiter in self._waiting:
                waiter.lose()
            self._waiting.clear()
            self._state.notify_all()


def listener(settings: Settings) -> Listener:
    """Return this process's listener."""
    with _making:
        listener: Listener | None = current_app.extensions.get("score_outcomes")
        if listener is None:
            listener = current_app.extensions["score_outcomes"] = Listener(settings)
        return listener
