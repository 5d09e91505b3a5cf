from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import pytest
from flask import Flask

from app.embedded.stack import Stack
from workers.supervisor import Children, Command

PYTHON = sys.executable
PARTS = {
    "relay": [PYTHON, "-m", "workers.relay"],
    "bridge": [PYTHON, "-m", "workers.bridge"],
    "worker": [PYTHON, "-m", "workers.rq_worker"],
}


@pytest.fixture
def start(app: Flask, stack: Stack) -> Iterator[Callable[..., Children]]:
    """Starts our processes by name and ends them afterwards."""
    started: list[Children] = []

    def run(*names: str) -> Children:
        children = Children(stack, [Command(f"{name}-{i}", PARTS[name]) for i, name in enumerate(names)])
        children.start()
        started.append(children)
        return children

    yield run
    for children in started:
        children.stop()
