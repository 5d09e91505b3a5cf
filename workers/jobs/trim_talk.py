"""Scheduled job: delete old deliveries to connections, and pictures that are shown nowhere."""

from __future__ import annotations

from app.accounts.member_pictures import MEMBER_PICTURES
from app.core import clock
from app.talk import connections
from app.talk.pictures import POST_PICTURES
from workers.context import in_app


@in_app
def run() -> None:
    """Running twice changes nothing."""
    now = clock.now()
    connections.trim(now)
    POST_PICTURES.sweep(now)
    MEMBER_PICTURES.sweep(now)
