"""Reads a league's head-to-head games for the API."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select

from app.accounts.models import Player
from app.core import clock
from app.core.db import db
from app.core.db.repeatable_read import begin_snapshot
from app.fantasy.api_queries.queries import Viewer
from app.fantasy.market.gameweeks import gameweek_of
from app.fantasy.projections.queries import matchup_outlooks
from app.fantasy.projections.teams import Outlook
from app.fantasy.sheets.visibility import is_shown_to_all
from app.fantasy.standings import queries
from app.fantasy.standings.games import Game, games_of_season
from app.fantasy.standings.queries import LeagueRow


@dataclass(frozen=True)
class LeagueMatchups:
    """A page of a league's head-to-head games.

    `outlooks`: how each game is expected to end, in the same order; None unless its gameweek is
    being played. `more`: whether games follow.
    """

    league: LeagueRow
    games: Sequence[Game]
    outlooks: Sequence[Outlook | None]
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
    begin_snapshot()  # so that points and projections are of one moment
    games = games_of_season(league.id, week, limit=limit + 1, offset=offset)
    outlooks = _outlooks(league, games[:limit])
    return LeagueMatchups(league, games[:limit], outlooks, len(games) > limit)


def _outlooks(league: LeagueRow, games: Sequence[Game]) -> list[Outlook | None]:
    """The outlook of the games that have begun and are not settled, if line-ups may be seen."""
    outlooks: list[Outlook | None] = [None] * len(games)
    weeks: dict[int, list[int]] = {}
    for number, game in enumerate(games):
        if game.is_locked and game.home.match_points is None:
            weeks.setdefault(game.week, []).append(number)
    for week, numbers in weeks.items():
        gameweek = gameweek_of(league.season_id, week)
        if gameweek is None or not is_shown_to_all(league.team_rules_id, gameweek.id, clock.now()):
            continue
        pairs = [
            (home.member_id, away.member_id)
            for home, away in ((games[number].home, games[number].away) for number in numbers)
            if home.member_id is not None
        ]
        for number, outlook in zip(numbers, matchup_outlooks(league, gameweek, pairs), strict=True):
            outlooks[number] = outlook
    return outlooks
