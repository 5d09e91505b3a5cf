"""Job: send the due deliveries of one connection of a league, the oldest first."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from app.core import clock
from app.talk import connections
from workers.context import in_app


@in_app
def run(connection_id: str) -> None:
    """Running twice changes nothing. The job ends with the first delivery that fails."""
    ends = clock.now() + timedelta(seconds=connections.SEND_SECONDS)
    while (now := clock.now()) < ends:
        if connections.send_next(UUID(connection_id), now) != connections.DELIVERED:
            break
