"""Scheduled job: enqueue a job per connection of a league that has something to send."""

from __future__ import annotations

from app.core import clock, jobs
from app.talk import connections
from app.talk.jobs import SEND_TALK
from workers.context import in_app


@in_app
def run() -> None:
    """Running twice changes nothing: a connection that is being sent to is left alone."""
    for connection_id in connections.due(clock.now()):
        jobs.send_coalesced(SEND_TALK, str(connection_id), str(connection_id), timeout=60)
