"""Pressbox on stores on several machines, as in production.

Every process of ours, started again when it ends.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from flask import Flask

from app import create_app
from app.accounts import services as accounts
from app.core.db import db, migrations
from app.embedded.stack import Stack
from app.stream.kafka import ensure_topics
from tests.cluster.machines import Machines, machines
from tests.roles import commands_of_roles
from tests.waiting import join, patience
from workers import context
from workers.supervisor.children import Children
from workers.supervisor.processes import Command


@dataclass
class Pressbox:
    """`app`: of the test's own process, on the same stores."""

    machines: Machines
    app: Flask
    stack: Stack
    children: Children

    def process(self, name: str) -> psutil.Process:
        """The process of this role (tests/roles.py) as it runs now."""
        return psutil.Process(self.children.running[name].pid)

    @contextmanager
    def paused(self, *names: str) -> Iterator[None]:
        """These processes are killed and do not run meanwhile."""
        self.children.paused |= set(names)
        for name in names:
            self.children.running[name].kill()
            self.children.running[name].wait(patience(60))
        try:
            yield
        finally:
            self.children.resume()


@contextmanager
def prepared(stores: Machines) -> Iterator[tuple[Flask, Stack]]:
    """The test's own application on these stores, with an empty database and every topic."""
    with Stack(stores.settings) as stack:
        app = create_app(stack.settings)
        with app.app_context():
            migrations.upgrade()
            # who is told of faults
            accounts.register("operator", "Operator", "correct horse battery", ["operator"])
        context.use(app)
        ensure_topics(stack.settings)
        yield app, stack
        with app.app_context():
            db.engine.dispose()


@contextmanager
def running(stack: Stack, chosen: list[Command]) -> Iterator[Children]:
    """These processes run, and are started again when they end; ended afterwards."""
    children = Children(stack, chosen)
    watching = threading.Thread(target=children.watch)
    try:
        children.start()
        watching.start()
        yield children
    finally:
        children.stopping.set()
        if watching.is_alive():
            join(watching)
        children.stop()


@contextmanager
def pressbox_on_machines(folder: Path) -> Iterator[Pressbox]:
    """Everything, with an empty database; all of it is ended afterwards."""
    with (
        machines(folder) as stores,
        prepared(stores) as (app, stack),
        running(stack, commands_of_roles()) as children,
    ):
        yield Pressbox(stores, app, stack, children)
