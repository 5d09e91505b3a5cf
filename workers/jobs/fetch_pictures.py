"""Job: fetch missing pictures of a tournament and its teams."""

from __future__ import annotations

from uuid import UUID

from app.core import clock
from app.predictions.pictures import services as pictures
from workers.context import in_app


@in_app
def run(tournament_id: str) -> None:
    """Running twice fetches nothing twice.

    The number of pictures per run is limited; the next poll enqueues another run.
    """
    pictures.fetch_missing(UUID(tournament_id), clock.now())
