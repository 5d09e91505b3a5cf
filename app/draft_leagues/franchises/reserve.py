"""Injured reserve: who may be there, and what a team may not do while somebody there is fit."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select

from app.core.db import db
from app.core.refusals import Refusal
from app.fantasy.market.models import FootballerSeason
from app.fantasy.market.statuses import UNFIT
from app.fantasy.rosters.models import RosterSpot
from app.fantasy.rosters.queries import names_of
from app.fantasy.standings.models import League


def fit_on_reserve(league: League, franchise: int | None = None) -> list[str]:
    """Footballers on injured reserve who are fit to play, of one franchise or of all."""
    query = (
        select(RosterSpot.footballer_id)
        .join(FootballerSeason, FootballerSeason.footballer_id == RosterSpot.footballer_id)
        .where(
            RosterSpot.league_id == league.id,
            RosterSpot.spot == "reserve",
            FootballerSeason.season_id == league.season_id,
            FootballerSeason.status.not_in(UNFIT),
        )
        .order_by(RosterSpot.footballer_id)
    )
    if franchise is not None:
        query = query.where(RosterSpot.franchise == franchise)
    return [*db.session.scalars(query)]


def reserve_refusals(league: League, franchise: int, drops: Collection[str]) -> list[Refusal]:
    """Why a team cannot get anybody: somebody on its injured reserve is fit, and takes no place.

    Sleeper, ESPN and Yahoo refuse adds, claims and trades until they are moved or dropped.

    Args:
        league: The league.
        franchise: Its team.
        drops: Whom the team drops with the same act.
    """
    fit = [each for each in fit_on_reserve(league, franchise) if each not in drops]
    if not fit:
        return []
    name = names_of(fit)[fit[0]]
    text = f"{name} is healthy again. Move them off injured reserve or drop them first."
    return [Refusal("reserve", "footballer", text)]
