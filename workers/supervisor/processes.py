"""The processes that make up Pressbox, in order of start, with their command lines.

Starting, restarting and ending them is in children.py.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from app.settings import Settings


@dataclass(frozen=True)
class Command:
    """A process to run. If the embedded store `restart_with` is lost, the process is restarted."""

    name: str
    arguments: list[str]
    restart_with: str = ""


def worker(number: int) -> Command:
    """Return the command of an ingestion worker. Their number is decided in autoscale.py."""
    return rq_worker(f"worker-{number}", "ingest")


def rq_worker(name: str, *kinds: str) -> Command:
    """Return the command of a process for these kinds.

    It must restart with Valkey, because RQ registers a worker in Redis only once, at its start.
    """
    return Command(name, [sys.executable, "-m", "workers.rq_worker", *kinds], restart_with="valkey")


def commands(settings: Settings, *, web: bool, demo: bool) -> list[Command]:
    """Return the commands of our processes in order of start.

    There is only one bridge, because a dead one is restarted before a spare one could take over
    (docs/decisions/0005). Relay and consumers restart with the broker, because they remember
    positions in topics that a new broker does not have.
    """
    python = sys.executable
    processes = [
        Command("relay", [python, "-m", "workers.relay"], restart_with="broker"),
        Command("bridge", [python, "-m", "workers.bridge"], restart_with="broker"),
        Command("scores", [python, "-m", "workers.scores"], restart_with="broker"),
    ]
    processes += [worker(number) for number in range(1, settings.workers + 1)]
    # Separate processes, so that ingestion never waits for a refresh or a settlement, and these
    # never wait for the archive.
    processes += [rq_worker("refresh", "refresh"), rq_worker("settlement", "settlement")]
    # Two threads each for jobs that call external servers, because one that never answers blocks a
    # thread for seconds.
    others = ("providers", "providers", "webhooks", "webhooks")
    processes.append(rq_worker("upkeep", "upkeep", "operations", *others))
    processes.append(Command("scheduler", [python, "-m", "workers.keeper"], restart_with="valkey"))
    if web:
        processes.append(
            Command("web", [python, "-m", "workers.web", f"{settings.host}:{settings.port}"])
        )
    if demo:
        processes.append(Command("demo", [python, "-m", "workers.demo"]))
    return processes
