"""The jobs of the predictions."""

from __future__ import annotations

from app.core.jobs import PROVIDERS_QUEUE, SETTLEMENT_QUEUE, JobType

SETTLE_MATCHES = JobType("workers.jobs.settle_matches.run", SETTLEMENT_QUEUE)
RECONCILE_PREDICTIONS = JobType(
    "workers.jobs.reconcile_predictions.run", SETTLEMENT_QUEUE, every_seconds=60
)
POLL_PROVIDERS = JobType("workers.jobs.poll_providers.run", PROVIDERS_QUEUE, every_seconds=300)
POLL_TOURNAMENT = JobType("workers.jobs.poll_tournament.run", PROVIDERS_QUEUE)
FETCH_PICTURES = JobType("workers.jobs.fetch_pictures.run", PROVIDERS_QUEUE)
