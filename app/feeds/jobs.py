"""The jobs of the feeds."""

from __future__ import annotations

from app.core.jobs import PROVIDERS_QUEUE, JobType

RUN_FEEDS = JobType("workers.jobs.run_feeds.run", PROVIDERS_QUEUE, every_seconds=60)
RUN_FEED = JobType("workers.jobs.run_feed.run", PROVIDERS_QUEUE)
RUN_SECONDS = 900  # for one feed: a whole season's play-by-play takes minutes the first time
