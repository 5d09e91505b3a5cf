"""Reads a league's head-to-head games for the API."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select

from app.accounts.models import Player
from app.core import clock
from app.core.db import db
from app.fantasy.api_queries.queries import Viewer
from app.fantasy.gameweeks import catching_up
from app.fantasy.standings import queries
from app.fantasy.standings.games import Game, games_of_season
from app.fantasy.standings.queries import LeagueRow


@dataclass(frozen=True)
class LeagueMatchups:
    """A page of a league's head-to-head games. `more`: whether games follow."""

    league: LeagueRow
    games: Sequence[Game]
    more: bool


def matchups_of_league(
    slug: str, viewer: Viewer, week: int | None, *, limit: int, offset: int
) -> LeagueMatchups | None:
    """The league's games of the season or of a week, by gameweek, then by the home member's id.

    None if the viewer is not in the league.
    """
    member_id = viewer.member_id
    if member_id is None:
        member_id = db.session.scalar(select(Player.member_id).where(Player.id == viewer.player_id))
    league = queries.league_for_viewer(slug, member_id) if member_id is not None else None
    if league is None:
        return None
    catching_up.league(league.id, clock.now())
    games = games_of_season(league.id, week, limit=limit + 1, offset=offset)
    return LeagueMatchups(league, games[:limit], len(games) > limit)
