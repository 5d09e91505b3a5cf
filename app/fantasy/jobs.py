"""The jobs of the fantasy game."""

from __future__ import annotations

from app.core.jobs import BOARDS_QUEUE, NOTICES_QUEUE, UPKEEP_QUEUE, JobType

REFRESH_GAMEWEEK = JobType("workers.jobs.refresh_gameweek.run", BOARDS_QUEUE)
RECONCILE_BOARDS = JobType("workers.jobs.reconcile_boards.run", BOARDS_QUEUE, every_seconds=30)
SETTLE_GAMEWEEKS = JobType("workers.jobs.settle_gameweeks.run", BOARDS_QUEUE, every_seconds=30)
# It is also sent at each deadline.
LOCK_GAMEWEEKS = JobType("workers.jobs.lock_gameweeks.run", BOARDS_QUEUE, every_seconds=60)
MAKE_RECAP = JobType("workers.jobs.make_recap.run", UPKEEP_QUEUE)
NOTIFY_CORRECTIONS = JobType("workers.jobs.notify_corrections.run", UPKEEP_QUEUE, every_seconds=60)
DELIVER_NOTICES = JobType("workers.jobs.deliver_notices.run", NOTICES_QUEUE, every_seconds=15)
SEND_NOTICES = JobType("workers.jobs.send_notices.run", NOTICES_QUEUE)
