"""The processes that make up Pressbox, in order of start, with their command lines.

Starting, restarting and ending them is in children.py.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from app.settings import Settings


@dataclass(frozen=True)
class Command:
    """A process to run.

    If one of the embedded stores `restart_with` is lost, the process is restarted.
    """

    name: str
    arguments: list[str]
    restart_with: tuple[str, ...] = ()


def worker(number: int) -> Command:
    """Return the command of an ingestion worker. Their number is decided in autoscale.py."""
    return rq_worker(f"worker-{number}", "ingest")


def rq_worker(
    name: str, *kinds_and_parts: str, restart_with: tuple[str, ...] = ("valkey",)
) -> Command:
    """Return the command of a process for these kinds and parts (workers/rq_worker.py).

    It must restart with Valkey, because RQ registers a worker in Redis only once, at its start.
    """
    return Command(
        name,
        [sys.executable, "-m", "workers.rq_worker", *kinds_and_parts],
        restart_with=restart_with,
    )


def commands(settings: Settings, *, web: bool, demo: bool) -> list[Command]:
    """Return the commands of our processes in order of start.

    Only what must never wait for each other is separate: ingestion does not wait for a refresh,
    and neither waits for upkeep. There is only one bridge, because a dead one is restarted before a
    spare one could take over (docs/decisions/0005). Relay and consumers restart with the broker,
    because they remember positions in topics that a new broker does not have.
    """
    python = sys.executable
    processes = [
        Command("scores", [python, "-m", "workers.scores"], restart_with=("broker",)),
        rq_worker("worker-1", "ingest", "relay", "bridge", restart_with=("valkey", "broker")),
    ]
    processes += [worker(number) for number in range(2, settings.workers + 1)]
    processes.append(rq_worker("refresh", "refresh", "settlement"))
    # Two threads each for jobs that call external servers, because one that never answers blocks a
    # thread for seconds.
    thread_kinds = ("providers", "providers", "webhooks", "webhooks")
    parts = ("scheduler", "verifier", "watch", "autoscale")
    processes.append(rq_worker("upkeep", "upkeep", "operations", "drafts", *thread_kinds, *parts))
    if web:
        processes.append(
            Command("web", [python, "-m", "workers.web", f"{settings.host}:{settings.port}"])
        )
    if demo:
        processes.append(Command("demo", [python, "-m", "workers.demo"]))
    return processes
