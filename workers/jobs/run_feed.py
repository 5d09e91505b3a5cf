"""Job: run one feed, because it is due or an operator asked for it."""

from __future__ import annotations

import structlog

from app.core import clock
from app.feeds import running
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run(feed_id: int) -> None:
    """Running twice changes nothing. A feed that was removed, or that runs already, is left."""
    try:
        running.run(feed_id, clock.now())
    except (running.UnknownFeedError, running.FeedBusyError) as error:
        log.info("feed_not_run", feed_id=feed_id, reason=str(error))
