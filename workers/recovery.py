"""An embedded store that died is started again at its old address and gets back what it lost.

PostgreSQL recovers its data folder itself. The broker and Valkey hold everything in memory: the broker's topic is
published again from the outbox, boards and unfinished work in Valkey are made again from PostgreSQL.
Not here: our own processes (children.py), how a store is started (app/embedded).
"""

from __future__ import annotations

import time

import click
import redis
from flask import Flask
from kafka.errors import KafkaError
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from app.core import jobs
from app.core.db import db
from app.core.locks import Lock
from app.embedded.errors import StackError
from app.embedded.stack import Stack
from app.embedded.store import Store
from app.fantasy.standings.boards import publish_all_boards
from app.stream.republish import republish_if_empty, republish_lost
from workers.children import Children

RETRY_SECONDS = (1.0, 2.0, 5.0, 15.0, 30.0)  # between two tries to start a store that does not come up
RELAY_SECONDS = 30  # for the last statement of a relay that was ended


class Recovery:
    """Called again and again by the supervisor; what fails now is tried again at a later call."""

    def __init__(self, stack: Stack, app: Flask, children: Children) -> None:
        self.stack = stack
        self.app = app
        self.children = children
        self.to_refill: set[str] = set()
        self.tries: dict[str, int] = {}
        self.next_try: dict[str, float] = {}

    def look(self) -> None:
        """Starts what died and refills what is there again. Our processes that need it wait meanwhile."""
        for store in self.stack.dead():
            if time.monotonic() >= self.next_try.get(store.name, 0.0):
                self._start(store)
        if self.to_refill and not self.stack.dead():
            self._refill()

    def _start(self, store: Store) -> None:
        click.echo(f"{store.title} ended ({store.exit_code()}); starting it again.", err=True)
        if store.name == "broker":
            self.children.pause("broker")
        try:
            store.start()
        except StackError as error:
            tried = self.tries[store.name] = self.tries.get(store.name, 0) + 1
            self.next_try[store.name] = time.monotonic() + RETRY_SECONDS[min(tried, len(RETRY_SECONDS)) - 1]
            click.echo(str(error), err=True)
            return
        self.tries.pop(store.name, None)
        self.to_refill.add(store.name)

    def _refill(self) -> None:
        with self.app.app_context():
            try:
                if "broker" in self.to_refill:
                    _wait_for_relay()
                    count = republish_if_empty(self.stack.settings)
                    click.echo(f"The broker is back; {count} events are published again.", err=True)
                if "valkey" in self.to_refill:
                    lost = republish_lost()
                    publish_all_boards()
                    self.children.pause("valkey")
                    jobs.send(jobs.BOARDS_QUEUE, jobs.RECONCILE_BOARDS)
                    click.echo(f"Valkey is back; its boards are filled, {lost} events are published again.", err=True)
                if "postgres" in self.to_refill:
                    click.echo("PostgreSQL is back.", err=True)
            except (SQLAlchemyError, KafkaError, redis.RedisError, OSError) as error:
                db.session.rollback()
                click.echo(f"Not refilled yet ({type(error).__name__}); trying again.", err=True)
                return
        self.to_refill.clear()
        self.children.resume()


def _wait_for_relay() -> None:
    """Waits until PostgreSQL is through with the ended relay, which might still mark events as published."""
    db.session.execute(text(f"SET LOCAL lock_timeout = '{RELAY_SECONDS}s'"))
    db.session.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": Lock.RELAY})
    db.session.rollback()
