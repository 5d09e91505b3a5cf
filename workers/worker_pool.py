"""Ingestion workers of one container, as many as the game schedule needs.

`python -m workers.worker_pool ingest` is what docker-compose.yml and the Helm chart run, in place
of a fixed number of workers. The rule is that of `pressbox up` (autoscale.py): WORKERS of them
while no game is played, up to WORKERS_MAX while many are or jobs wait. Each container counts all
games, so that one of two is enough while the other is down.
"""

from __future__ import annotations

import os
import subprocess
import sys

from app.core.redis.connections import connect
from app.embedded.stack import Stack
from app.setting_reading import settings_from_env
from app.settings import Settings
from workers.process import Process
from workers.supervisor import autoscale
from workers.supervisor.children import Children
from workers.supervisor.processes import Command, worker

KIND = "ingest"


class ContainerWorkers(Children):
    """Workers that inherit the container's environment and log to its output."""

    def __init__(self, settings: Settings) -> None:
        workers = [worker(number) for number in range(1, settings.workers + 1)]
        connection = connect(settings.redis_url)
        super().__init__(
            Stack(settings), workers, target=lambda: autoscale.count(settings, connection)
        )

    def _spawn(self, command: Command) -> subprocess.Popen[bytes]:
        return subprocess.Popen(command.arguments, cwd=self.root, env=os.environ)


def main(arguments: list[str]) -> None:
    """Run the workers until SIGTERM, then end each after its current job."""
    if arguments != [KIND]:
        sys.exit(f"Only the number of {KIND} workers follows the schedule: name {KIND}.")
    settings = settings_from_env()
    process = Process("worker-pool", settings)
    workers = ContainerWorkers(settings)
    workers.stopping = process.stopping
    workers.start()
    try:
        workers.watch()
    finally:
        workers.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
