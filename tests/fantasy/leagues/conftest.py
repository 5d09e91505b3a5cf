from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from flask import Flask

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.market.models import Season
from app.fantasy.market.seasons import ensure_gameweek, ensure_season, set_deadlines
from tests.worlds import league_season
from tests.worlds.games import KICKOFF


@pytest.fixture
def make_world(app: Flask, member: Callable[..., Member]) -> Callable[..., league_season.LeagueWorld]:
    """Makes the season: `make_world()`."""
    return partial(league_season.make_league_world, member)


@pytest.fixture
def season(app: object) -> Season:
    """One whose first deadline is to come."""
    season = ensure_season("nfl", 2099, "REG", name="Season 2099", time_zone="UTC")
    ensure_gameweek(season, 1, KICKOFF.replace(year=2099))
    set_deadlines(season.id)
    db.session.commit()
    return season
