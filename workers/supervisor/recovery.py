"""Restarts an embedded store that died, at its old address, and restores its data.

PostgreSQL recovers its data folder itself. The broker and Valkey hold everything in memory. The
broker's topics are published again from the outbox; boards and unfinished work in Valkey are
rebuilt from PostgreSQL. Refilling is in refilling.py.
"""

from __future__ import annotations

import time

import click

from app.embedded.errors import StackError
from app.embedded.stack import Stack
from app.embedded.store import Store
from workers.supervisor.children import Children

# between two tries to start a store that does not come up
RETRY_SECONDS = (1.0, 2.0, 5.0, 15.0, 30.0)


class Recovery:
    """Restarts and refills lost stores. A step that fails is tried again at a later call."""

    def __init__(self, stack: Stack, children: Children) -> None:
        self.stack = stack
        self.children = children
        self.to_refill: set[str] = set()
        self.tries: dict[str, int] = {}
        self.next_try: dict[str, float] = {}

    def look(self) -> None:
        """Restart lost stores and refill restarted ones. Called regularly by the supervisor."""
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
            self.next_try[store.name] = (
                time.monotonic() + RETRY_SECONDS[min(tried, len(RETRY_SECONDS)) - 1]
            )
            click.echo(str(error), err=True)
            return
        self.tries.pop(store.name, None)
        self.to_refill.add(store.name)

    def _refill(self) -> None:
        from workers.supervisor.refilling import refill

        if refill(self.stack.settings, self.to_refill, self.children):
            self.to_refill.clear()
            self.children.resume()
