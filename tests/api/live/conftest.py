"""The stores are emptied once a module here, not once a test.

The process that puts scores on boards is at work on them the whole time. So every test has an
integrator of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import count

import pytest
from flask import Flask

from app.accounts import services as accounts
from app.accounts.models import Member
from app.core.http.rate_limits import limiter
from app.embedded.stack import Stack
from tests.conftest import PASSWORD, emptied
from tests.groups import own_groups
from tests.waiting import until
from tests.worlds.callers import Callers, make_callers
from workers.supervisor.children import Children
from workers.supervisor.processes import Command

NUMBERS = count(1)


@pytest.fixture(scope="module")
def app(_migrated: Flask) -> Iterator[Flask]:
    with emptied(_migrated) as app:
        yield app


@pytest.fixture(scope="module")
def consumer(app: Flask, stack: Stack) -> Iterator[None]:
    """The process, from the first score on that it puts on a board."""
    with own_groups(stack):
        children = Children(stack, [Command("scores", [sys.executable, "-m", "workers.scores"])])
        children.start()
        try:
            _wait_for_a_score(app)
            yield
        finally:
            children.stop()


def _wait_for_a_score(app: Flask) -> None:
    owner = accounts.register("warm-up", "Warm Up", PASSWORD)
    assert isinstance(owner, Member)
    callers = make_callers(app, owner, "Warm Up", "warm-up")
    of = {"player_id": str(callers.player_id)}
    attempt = callers.game_server.post(f"{callers.mode_path}/attempts", json=of).json
    assert attempt is not None
    body = {name: attempt[name] for name in ("attempt_id", "attempt_token")} | {"raw_score": 1}
    path = f"{callers.mode_path}/scores?wait=committed"
    answers = []

    def is_committed() -> bool:
        answers.append(callers.player.post(path, json=body))
        return answers[-1].status_code == 200

    until(is_committed, lambda: f"a score is put on a board; the last answer: {answers[-1].text}")


@pytest.fixture(autouse=True)
def _no_limits() -> None:
    limiter.enabled = False


@pytest.fixture
def callers(app: Flask, member: Callable[..., Member]) -> Callers:
    number = next(NUMBERS)
    return make_callers(
        app, member(f"owner-{number}", role="operator"), f"Dice House {number}", f"dice-{number}"
    )


@pytest.fixture
def others(app: Flask, member: Callable[..., Member]) -> Callers:
    number = next(NUMBERS)
    return make_callers(
        app, member(f"stranger-{number}"), f"Card House {number}", f"cards-{number}"
    )
