"""What runs by the clock: one list. Run it with `python -m workers.schedule` (RQ's own cron)."""

from __future__ import annotations

from rq.cron import CronScheduler
from rq.utils import import_attribute

from app.core import jobs, logging
from app.core.redis import connect
from app.embedded.stack import with_running_stack
from app.settings import Settings

# queue, job, seconds between two runs
JOB_SECONDS = 900  # a first archive run reads a whole week of the topic
SCHEDULE = [
    (jobs.BOARDS_QUEUE, jobs.RECONCILE_BOARDS, 15),
    (jobs.UPKEEP_QUEUE, jobs.ARCHIVE_STREAM, 3600),
    (jobs.UPKEEP_QUEUE, jobs.REBALANCE_BOARDS, 60),
    (jobs.UPKEEP_QUEUE, jobs.RECHECK_SCORES, 30),
    (jobs.UPKEEP_QUEUE, jobs.ARCHIVE_BOARDS, 900),
    (jobs.BOARDS_QUEUE, jobs.DELIVER_WEBHOOKS, 5),
    (jobs.UPKEEP_QUEUE, jobs.TRIM_FEED, 3600),
    (jobs.BOARDS_QUEUE, jobs.SETTLE_GAMEWEEKS, 15),
    (jobs.BOARDS_QUEUE, jobs.LOCK_GAMEWEEKS, 15),
]


def main() -> None:
    settings = with_running_stack(Settings.from_env())
    logging.configure(settings.log_level, "scheduler")
    cron = CronScheduler(connection=connect(settings.redis_url), logging_level="WARNING")
    for queue, name, seconds in SCHEDULE:
        cron.register(
            import_attribute(name), queue_name=queue, interval=seconds, job_timeout=JOB_SECONDS, result_ttl=60
        )
    cron.start()


if __name__ == "__main__":
    main()
