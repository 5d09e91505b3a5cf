"""Which processes make up Pressbox and how each is called, in order of start.

Lives here: names and command lines. Not here: starting, restarting and ending them (workers/supervisor.py).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from app.settings import Settings


@dataclass(frozen=True)
class Command:
    name: str
    arguments: list[str]


def worker(number: int) -> Command:
    return Command(f"worker-{number}", [sys.executable, "-m", "workers.rq_worker"])


def commands(settings: Settings, *, web: bool, demo: bool) -> list[Command]:
    """Our processes in order of start. Two bridges: the second is the spare that takes over."""
    python = sys.executable
    found = [
        Command("relay", [python, "-m", "workers.relay"]),
        Command("bridge-1", [python, "-m", "workers.bridge"]),
        Command("bridge-2", [python, "-m", "workers.bridge"]),
        Command("scores", [python, "-m", "workers.scores"]),
    ]
    found += [worker(number) for number in range(1, settings.workers + 1)]
    if web:
        found.append(Command("scheduler", [python, "-m", "workers.schedule"]))
        found.append(Command("web", [python, "-m", "workers.web", f"{settings.host}:{settings.port}"]))
    if demo:
        found.append(Command("demo", [python, "-m", "workers.demo_player"]))
        found.append(Command("demo-scores", [python, "-m", "workers.demo_scores"]))
    return found
