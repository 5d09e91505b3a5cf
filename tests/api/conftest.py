from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import pytest
from flask import Flask

from app.accounts.models import Member
from app.embedded.stack import Stack
from tests.api.callers import Callers, make_callers
from workers.supervisor import Children, Command


@pytest.fixture
def callers(app: Flask, member: Callable[..., Member]) -> Callers:
    return make_callers(app, member("owner", role="operator"))


@pytest.fixture
def others(app: Flask, member: Callable[..., Member]) -> Callers:
    """Another integrator, with everything of its own."""
    return make_callers(app, member("stranger"), "Card House", "cards")


@pytest.fixture(scope="module")
def consumer(stack: Stack) -> Iterator[None]:
    """The process that puts scores on boards."""
    children = Children(stack, [Command("scores", [sys.executable, "-m", "workers.scores"])])
    children.start()
    yield
    children.stop()
