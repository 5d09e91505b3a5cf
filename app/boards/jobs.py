"""The jobs of the leaderboards."""

from __future__ import annotations

from app.core.jobs import BOARDS_QUEUE, UPKEEP_QUEUE, JobType

REBALANCE_BOARDS = JobType("workers.jobs.rebalance_boards.run", UPKEEP_QUEUE, every_seconds=60)
MEASURE_PERCENTILES = JobType(
    "workers.jobs.measure_percentiles.run", UPKEEP_QUEUE, every_seconds=60
)
ARCHIVE_BOARDS = JobType("workers.jobs.archive_boards.run", UPKEEP_QUEUE, every_seconds=900)
REFRESH_SMALL_BOARD = JobType("workers.jobs.refresh_small_board.run", BOARDS_QUEUE)
