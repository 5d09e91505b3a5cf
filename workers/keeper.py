"""Scheduler, verifier and watch in one process, for one machine: `python -m workers.keeper`.

They do little and must not wait for each other, so each has a thread. Separate processes would need
40 MB each for their imports. Production runs them separately (docker-compose.yml). The three parts
are in schedule.py, verifier.py and watch.py.
"""

from __future__ import annotations

import sys

from app import create_worker_app
from app.core.postgres.timeouts import Use
from app.core.redis.clients import connect
from app.embedded.stack import with_running_stack
from app.setting_reading import settings_from_env
from workers import schedule, verifier, watch
from workers.process import Process

# a rebuild that takes longer is aborted, and starts again with the next process
END_SECONDS = 8.0


def main() -> None:
    """Run all three until stopped."""
    settings = with_running_stack(settings_from_env())
    process = Process("scheduler", settings)
    app = create_worker_app(settings, Use.UPKEEP, threads=2)
    stopping, wait = process.stopping.is_set, process.stopping.wait
    verifying = process.run_beside(
        "verifier", lambda progress: verifier.work(app, stopping, wait, progress)
    )
    process.run_beside("watch", lambda _: watch.work(app, stopping, wait))
    schedule.work(connect(settings.redis_url), stopping, wait)
    verifying.join(END_SECONDS)
    if process.failed:
        sys.exit(1)


if __name__ == "__main__":
    main()
