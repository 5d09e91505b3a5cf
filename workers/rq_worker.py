"""An RQ worker that runs jobs in its own process (they are short). Run it with `python -m workers.rq_worker`."""

from __future__ import annotations

import signal
import sys
from types import FrameType

from rq import SimpleWorker

from app import create_worker_app
from app.core import logging
from app.core.jobs import QUEUES
from app.core.redis import connect
from app.embedded.stack import with_running_stack
from app.settings import Settings
from workers import context


def _end(_number: int, _frame: FrameType | None) -> None:
    sys.exit(0)


def main() -> None:
    # RQ's own handlers come only after the worker is registered: whoever asks it to end before then is heard too.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _end)
    settings = with_running_stack(Settings.from_env())
    logging.configure(settings.log_level, "worker")
    context.use(create_worker_app(settings))
    # A socket timeout longer than the worker's own blocking read, which it must not cut short.
    connection = connect(settings.redis_url, socket_timeout=None)
    worker = SimpleWorker(list(QUEUES), connection=connection, job_monitoring_interval=5)
    try:
        worker.work(with_scheduler=True, logging_level="WARNING")
    except SystemExit:
        worker.teardown()
        raise


if __name__ == "__main__":
    main()
