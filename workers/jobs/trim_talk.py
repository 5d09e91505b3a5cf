"""Scheduled job: delete old deliveries to connections, and pictures without a post."""

from __future__ import annotations

from app.core import clock
from app.talk import connections, pictures
from workers.context import in_app


@in_app
def run() -> None:
    """Running twice changes nothing."""
    now = clock.now()
    connections.trim(now)
    pictures.sweep(now)
