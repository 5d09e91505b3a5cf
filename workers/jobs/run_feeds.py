"""Scheduled job: enqueue a run of each feed that is due."""

from __future__ import annotations

from app.core import clock, jobs
from app.core.db import db
from app.feeds import services
from app.feeds.jobs import RUN_FEED, RUN_SECONDS
from workers.context import in_app


@in_app
def run() -> None:
    """Running twice runs each feed at most twice, and the second run changes nothing."""
    feed_ids = services.due(clock.now())
    db.session.rollback()
    for feed_id in feed_ids:
        jobs.send_coalesced(RUN_FEED, str(feed_id), feed_id, timeout=RUN_SECONDS)
