"""Stores, a clock that stands still, and demo seasons for recordings."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, tzinfo
from random import Random
from unittest.mock import patch

from flask import Flask

from app.accounts import services as accounts
from app.core import clock
from app.core.db import db
from app.demo.season import DemoSeason, demo_season
from app.fantasy.standings import large_table
from tests.client import Client
from tests.conftest import CHEAP_HASHER, emptied
from tests.histories.stores import stores as empty_stores

NOW = datetime(2026, 10, 4, 21, 0, tzinfo=UTC)


class _StoppedClock(datetime):
    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:
        return NOW.astimezone(tz)


@contextmanager
def frozen_clock() -> Iterator[None]:
    """The application's clock says NOW.

    PostgreSQL's goes on; masking.py hides the times that it writes.
    """
    with patch.object(clock, "datetime", _StoppedClock):
        yield


@contextmanager
def repeatable_ids() -> Iterator[None]:
    """Make random ids repeat in each recording, because they order rows with equal times."""
    rng = Random(7)  # noqa: S311 (for tests)
    # uuid, secrets
    with patch.object(os, "urandom", rng.randbytes), patch("random._urandom", rng.randbytes):
        yield


@contextmanager
def stores() -> Iterator[Flask]:
    """An application on real stores that are removed at the end."""
    with empty_stores() as (app, _), patch.object(accounts, "hasher", lambda: CHEAP_HASHER):
        app.test_client_class = Client
        yield app


@contextmanager
def empty(app: Flask, *, large_leagues: bool = False) -> Iterator[Flask]:
    """The application on empty stores.

    With `large_leagues`, the demo's leagues count as large ones.
    """
    members = 3 if large_leagues else large_table.MEMBERS
    with patch.dict(large_table.LIMIT, large=members), emptied(app):
        yield app


def season() -> DemoSeason:
    return demo_season(NOW)


def end_transaction() -> None:
    db.session.rollback()
    db.session.expire_all()
