"""The jobs of draft leagues."""

from __future__ import annotations

from app.core.jobs import DRAFTS_QUEUE, UPKEEP_QUEUE, JobType

REFRESH_RANKINGS = JobType("workers.jobs.refresh_rankings.run", UPKEEP_QUEUE, every_seconds=3600)
# Also sent when the clock of a draft runs out. Rooms that somebody watches do not wait for it, as
# their stream settles the clock (drafts/hub.py).
ADVANCE_DRAFTS = JobType("workers.jobs.advance_drafts.run", DRAFTS_QUEUE, every_seconds=60)
UPDATE_SEASONS = JobType("workers.jobs.update_draft_seasons.run", UPKEEP_QUEUE, every_seconds=60)
RUN_WAIVERS = JobType("workers.jobs.run_waivers.run", UPKEEP_QUEUE, every_seconds=60)
SETTLE_TRADES = JobType("workers.jobs.settle_trades.run", UPKEEP_QUEUE, every_seconds=60)
CLOSE_KEEPERS = JobType("workers.jobs.close_keepers.run", UPKEEP_QUEUE, every_seconds=60)
