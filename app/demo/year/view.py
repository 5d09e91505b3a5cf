"""What a gamer of the simulated season sees when they pick a team.

That is prices, injuries, deadlines and their own sheets.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from random import Random

from sqlalchemy import select

from app.core.db import db
from app.demo.market import Player, SquadLimits, market
from app.demo.year.calendar import SimulatedWeek
from app.demo.year.cast import Gamer
from app.demo.year.choices import Look, Owned
from app.fantasy.market.formats import format_named
from app.fantasy.market.models import FootballerSeason, Gameweek, SheetDeadline, TeamRules
from app.fantasy.sheets.models import TeamSheet


def chance(
    seed: int,
    week: SimulatedWeek,
    team_rules: TeamRules | None = None,
    gamer: Gamer | None = None,
    more: str = "",
) -> Random:
    """Return the random numbers for one decision: they follow from the arguments."""
    who = gamer.username if gamer else ""
    which = (
        ""
        if team_rules is None
        else f"{team_rules.format} {team_rules.lock} {team_rules.time_zone}"
    )
    spent = "" if team_rules is None else f"{team_rules.free_transfers} {team_rules.club_limit}"
    return Random(f"{seed} {week.number} {which} {spent} {who} {more}")  # noqa: S311


def locks_at(team_rules: TeamRules, gameweek: Gameweek) -> datetime:
    """Return the deadline of a careful gamer.

    If footballers lock one by one, that is when the first of them does.
    """
    if team_rules.lock == "game":
        return gameweek.deadline
    sheet_deadline = db.session.get_one(SheetDeadline, (team_rules.id, gameweek.id))
    return sheet_deadline.locks_at


def look(week: SimulatedWeek, team_rules: TeamRules, begun: Collection[str] = ()) -> Look:
    """Return what a gamer sees; `begun` are the clubs whose game has begun."""
    prices = dict(
        db.session.execute(
            select(FootballerSeason.footballer_id, FootballerSeason.price).where(
                FootballerSeason.season_id == team_rules.season_id
            )
        ).all()
    )
    players = {
        player.id: Player(player.id, player.position, player.club, prices[player.id])
        for player in market()
    }
    return Look(
        SquadLimits(format_named(team_rules.format), team_rules.budget, team_rules.club_limit),
        players,
        week.injured,
        {player.id for player in market() if player.club in begun},
    )


def owned(
    team_rules: TeamRules, gameweek: Gameweek, which: Collection[str]
) -> list[dict[int, Owned]]:
    """Return team sheets by member, of this gameweek ('=') or of the previous one ('<')."""
    rows = db.session.execute(
        select(TeamSheet, Gameweek.week)
        .join(Gameweek, Gameweek.id == TeamSheet.gameweek_id)
        .where(
            TeamSheet.team_rules_id == team_rules.id,
            Gameweek.week.in_((gameweek.week, gameweek.week - 1)),
        )
        .execution_options(populate_existing=True)
    )
    by_week: dict[str, dict[int, Owned]] = {"=": {}, "<": {}}
    for sheet, number in rows:
        by_week["=" if number == gameweek.week else "<"][sheet.member_id] = Owned(
            tuple(sheet.picks),
            sheet.captain,
            sheet.vice_captain,
            tuple(sheet.purchase_prices),
            sheet.bank,
        )
    return [by_week[sign] for sign in which]


def saved_since(team_rules: TeamRules, gameweek: Gameweek, moment: datetime) -> set[int]:
    """Return the members who have saved a sheet of the gameweek since `moment`."""
    return set(
        db.session.scalars(
            select(TeamSheet.member_id).where(
                TeamSheet.team_rules_id == team_rules.id,
                TeamSheet.gameweek_id == gameweek.id,
                TeamSheet.saved_at >= moment,
                ~TeamSheet.is_carried,
            )
        )
    )
