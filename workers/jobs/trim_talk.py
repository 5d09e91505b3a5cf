"""Scheduled job: delete old deliveries to connections, and pictures that are shown nowhere."""

from __future__ import annotations

from app.accounts import member_pictures
from app.core import clock
from app.talk import connections, pictures
from workers.context import in_app


@in_app
def run() -> None:
    """Running twice changes nothing."""
    now = clock.now()
    connections.trim(now)
    pictures.sweep(now)
    member_pictures.sweep(now)
