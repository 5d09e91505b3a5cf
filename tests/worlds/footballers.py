"""A season in which Harbor plays Summit each week.

The same drive again and again, a market, prices that move.
"""

from __future__ import annotations

from datetime import datetime

from app.core.db import db
from app.fantasy.market.models import FootballerSeason, FootballerWeek, Season
from app.fantasy.scoring import season_totals
from tests.worlds.games import KICKOFF, ingest, make_game, messages, touchdown_drive
from tests.worlds.seasons import make_weekly_season

MARKET = {"H1": ("QB", 90), "H2": ("WR", 75), "H3": ("RB", 60), "S3": ("RB", 62), "S2": ("WR", 40)}


def make_footballers(
    *,
    begun: int = 1,
    weeks: int = 2,
    first: datetime = KICKOFF,
    noted: bool = False,
    rules: str = "standard",
) -> Season:
    """Games g1, g2, ... a week apart.

    Harbor has run, thrown and scored in those begun, which are all still live.

    `noted`: prices and select % were noted at the deadlines of those begun.
    """
    season, gameweeks = make_weekly_season(weeks, first, name="NFL 2026", rules=rules)
    for gameweek in gameweeks:
        make_game(f"g{gameweek.week}", week=gameweek.week).kickoff = gameweek.deadline
    for footballer, (position, price) in MARKET.items():
        db.session.add(
            FootballerSeason(
                season_id=season.id,
                footballer_id=footballer,
                position=position,
                price=price,
                start_price=price,
            )
        )
        for number, gameweek in enumerate(gameweeks[:begun] if noted else (), start=1):
            db.session.add(
                FootballerWeek(
                    footballer_id=footballer,
                    gameweek_id=gameweek.id,
                    price=price + number % 4,
                    selected=90 * number,
                )
            )
    db.session.commit()
    for week in range(1, begun + 1):
        ingest(messages(touchdown_drive(), f"g{week}"))
    season_totals.add_up(season.id, None)
    db.session.commit()
    return season
