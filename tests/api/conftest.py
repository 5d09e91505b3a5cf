from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask

from app.accounts.models import Member
from tests.api.callers import Callers, make_callers


@pytest.fixture
def callers(app: Flask, member: Callable[..., Member]) -> Callers:
    return make_callers(app, member("owner", role="operator"))


@pytest.fixture
def others(app: Flask, member: Callable[..., Member]) -> Callers:
    """Another integrator, with everything of its own."""
    return make_callers(app, member("stranger"), "Card House", "cards")
