"""The jobs of talk."""

from __future__ import annotations

from app.core.jobs import UPKEEP_QUEUE, WEBHOOKS_QUEUE, JobType

POST_NEWS = JobType("workers.jobs.post_news.run", UPKEEP_QUEUE, every_seconds=30)
DELIVER_TALK = JobType("workers.jobs.deliver_talk.run", WEBHOOKS_QUEUE, every_seconds=30)
SEND_TALK = JobType("workers.jobs.send_talk.run", WEBHOOKS_QUEUE)
TRIM_TALK = JobType("workers.jobs.trim_talk.run", UPKEEP_QUEUE, every_seconds=3600)
