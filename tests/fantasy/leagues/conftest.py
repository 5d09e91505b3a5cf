from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from flask import Flask

from app.accounts.models import Member
from tests.fantasy.leagues import league_world


@pytest.fixture
def make_world(app: Flask, member: Callable[..., Member]) -> Callable[..., league_world.LeagueWorld]:
    """Makes the season: `make_world()`."""
    return partial(league_world.make_league_world, member)
