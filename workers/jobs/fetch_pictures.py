"""Job: fetches the pictures that a tournament and its teams lack."""

from __future__ import annotations

from uuid import UUID

from app.core import clock
from app.predictions.pictures import services as pictures
from workers.context import in_app


@in_app
def run(tournament_id: str) -> None:
    """Running twice fetches nothing twice.

    What this call does not reach comes after the next poll.
    """
    pictures.fetch_missing(UUID(tournament_id), clock.now())
