"""Scheduled job: measure the percentiles of the boards for which they are requested."""

from __future__ import annotations

import structlog

from app.boards.percentiles import measure_wanted
from app.core import clock
from app.core.db import db
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run() -> None:
    """Running twice changes only the time of the measurement."""
    measured = measure_wanted(clock.now())
    db.session.rollback()
    if measured:
        log.info("percentiles_measured", boards=measured)
