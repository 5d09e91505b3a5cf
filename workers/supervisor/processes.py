"""The processes that make up Pressbox, in order of start, with their command lines.

Starting, restarting and ending them is in children.py.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from app.settings import Settings


@dataclass(frozen=True)
class Command:
    """`restart_with`: the embedded store ('broker', 'valkey') whose loss restarts the process."""

    name: str
    arguments: list[str]
    restart_with: str = ""


def worker(number: int) -> Command:
    """A worker of ingestion; how many there are follows the schedule of games (autoscale.py)."""
    return rq_worker(f"worker-{number}", "ingest")


def rq_worker(name: str, *kinds: str) -> Command:
    """One process for these kinds. RQ registers a worker in Redis once, at its start."""
    return Command(name, [sys.executable, "-m", "workers.rq_worker", *kinds], restart_with="valkey")


def commands(settings: Settings, *, web: bool, demo: bool) -> list[Command]:
    """Our processes in order of start.

    One bridge: a dead one is started again before a spare could take over (docs/decisions/0005).
    Relay and consumers remember places in the broker's topics, which a new broker does not have.
    """
    python = sys.executable
    processes = [
        Command("relay", [python, "-m", "workers.relay"], restart_with="broker"),
        Command("bridge", [python, "-m", "workers.bridge"], restart_with="broker"),
        Command("scores", [python, "-m", "workers.scores"], restart_with="broker"),
    ]
    processes += [worker(number) for number in range(1, settings.workers + 1)]
    # Of their own, so that ingestion never waits behind a refresh or a settlement, nor those behind
    # the archive.
    processes += [rq_worker("refresh", "refresh"), rq_worker("settlement", "settlement")]
    # Two threads for what waits for others: a receiver or provider that never answers holds one of
    # them for seconds.
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
