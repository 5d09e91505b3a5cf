"""A small soccer season with points, for whoever asks the fantasy game's questions."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import text

from app.core.clock import now
from app.core.db import db
from app.fantasy.market.models import FootballerTotals
from app.fantasy.sheets import services as sheets
from app.fantasy.standings.models import LeagueMember, LeagueScore
from tests.worlds.team_sheets import World, make_world, team


def make_season(*members: int) -> World:
    """The season `cup-2026-REG`: its first gameweek opens now and locks in two days.

    Everybody named has a sheet.

    Points are made up: the first member has 1.500 and 2.500, the next 1.000 less in all, and so on;
    AYR1 has 3.000.
    """
    world = make_world(first=now() + timedelta(days=2), real=True)
    for order, member_id in enumerate(members):
        saved = sheets.save(member_id, world.team_rules.id, world.gameweeks[0].id, team(), now())
        assert isinstance(saved, sheets.Saved), saved
        with_points = db.session.get_one(LeagueMember, (world.overall.id, member_id))
        with_points.total_points = 4000 - 1000 * order
        for gameweek, points in zip(world.gameweeks, (1500, 2500 - 1000 * order), strict=False):
            db.session.add(
                LeagueScore(
                    league_id=world.overall.id,
                    member_id=member_id,
                    gameweek_id=gameweek.id,
                    team_name="Team",
                    points=points,
                )
            )
    db.session.add(
        FootballerTotals(
            season_id=world.season_id,
            rules="soccer",
            footballer_id="AYR1",
            position="GK",
            total_points=3000,
            form=1500,
            gameweeks={"1": 1000, "2": 2000},
        )
    )
    db.session.commit()
    return world


def lock(world: World, week: int = 1) -> None:
    """As if the deadline had been a minute ago."""
    db.session.execute(
        text("UPDATE sheet_deadlines SET locks_at = :at WHERE gameweek_id = :gameweek"),
        {"at": now() - timedelta(minutes=1), "gameweek": world.gameweeks[week - 1].id},
    )
    db.session.commit()
