"""A gameweek that a schedule brings when leagues of its season exist already."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import select

from app.core.db import db
from app.demo.clubs import CLUBS
from app.fantasy.market.models import Season
from app.fantasy.season_setup.schedule import Fixture
from app.fantasy.season_setup.storing import set_first_deadlines, store_games
from app.record.models import Club


def add_gameweek(week: int, kickoff: datetime) -> None:
    """Store another gameweek of NFL 2026, of one game, as the import of a schedule does."""
    home, away = CLUBS[:2]
    for club in (home, away):
        if db.session.get(Club, club.id) is None:
            db.session.add(
                Club(id=club.id, name=club.name, nickname=club.nickname, colour=club.colour)
            )
    db.session.flush()
    fixture = Fixture(f"added-{week}", None, 2026, "REG", week, kickoff, home.id, away.id)
    store_games([fixture], {club.id: club.id for club in (home, away)}, "nfl")
    season = db.session.scalars(select(Season).where(Season.season == 2026)).one()
    set_first_deadlines(season, [week], timedelta())
    db.session.commit()
