"""Scheduled job: delete expired changes of the feed, finished deliveries and counts."""

from __future__ import annotations

import structlog

from app.core import clock
from app.ops import slo
from app.scores.feed import changes as feed
from app.scores.webhooks import services as webhooks
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run() -> None:
    """Running twice changes nothing."""
    now = clock.now()
    slo.trim(now.timestamp())
    log.info("feed_trimmed", changes=feed.trim(now), deliveries=webhooks.trim(now))
