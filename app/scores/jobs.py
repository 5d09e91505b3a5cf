"""The jobs of the scores."""

from __future__ import annotations

from app.core.jobs import UPKEEP_QUEUE, WEBHOOKS_QUEUE, JobType

RECHECK_SCORES = JobType("workers.jobs.recheck_scores.run", UPKEEP_QUEUE, every_seconds=30)
TRAIN_MODELS = JobType("workers.jobs.train_models.run", UPKEEP_QUEUE, every_seconds=3600)
ARCHIVE_SCORES = JobType("workers.jobs.archive_scores.run", UPKEEP_QUEUE, every_seconds=3600)
DELETE_SCORES = JobType("workers.jobs.delete_scores.run", UPKEEP_QUEUE, every_seconds=60)
# It is also sent after scores, by their consumer.
DELIVER_WEBHOOKS = JobType("workers.jobs.deliver_webhooks.run", WEBHOOKS_QUEUE, every_seconds=60)
SEND_WEBHOOK = JobType("workers.jobs.send_webhook.run", WEBHOOKS_QUEUE)
TRIM_FEED = JobType("workers.jobs.trim_feed.run", UPKEEP_QUEUE, every_seconds=3600)
