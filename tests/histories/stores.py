"""Stores for histories that are run by hand: as the tests' own, started and ended here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from flask import Flask

from app import create_app
from app.core.db import db, migrations
from app.embedded.stack import Stack
from tests.conftest import folder_for_stores, settings_of_tests, without_fsync
from tests.owner import let_truncate


@contextmanager
def stores() -> Iterator[tuple[Flask, Stack]]:
    """An application on empty stores."""
    with folder_for_stores() as folder, Stack(settings_of_tests(folder)) as stack:
        without_fsync(stack.settings)
        app = create_app(stack.settings)
        app.testing = True
        with app.app_context():
            migrations.upgrade()
        let_truncate(stack.settings.owner_url)
        yield app, stack
        with app.app_context():
            db.engine.dispose()
