from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from flask import Flask

from app.accounts.models import Member
from app.fantasy.market.models import Season
from tests.worlds import league_season
from tests.worlds.seasons import make_open_season


@pytest.fixture
def make_world(
    app: Flask, member: Callable[..., Member]
) -> Callable[..., league_season.LeagueWorld]:
    """Makes the season: `make_world()`."""
    return partial(league_season.make_league_world, member)


@pytest.fixture
def season(app: object) -> Season:
    """One whose first deadline is to come."""
    return make_open_season()
