from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from flask import Flask

from app.accounts.models import Member
from tests.fantasy.leagues import house


@pytest.fixture
def league_house(app: Flask, member: Callable[..., Member]) -> Callable[..., house.LeagueHouse]:
    """Makes the season: `league_house()`."""
    return partial(house.league_house, member)
