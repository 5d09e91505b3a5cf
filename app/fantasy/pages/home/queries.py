"""Loads a member's front page."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

import msgspec
from sqlalchemy import Select, select, text

from app.core import clock
from app.core.db import db
from app.core.db.json_rows import select_json
from app.fantasy.leagues import queries as league_queries
from app.fantasy.leagues.queries import LeagueCard
from app.fantasy.market import gameweeks
from app.fantasy.notices import services as notices
from app.fantasy.notices.services import StoredNotice
from app.fantasy.pages.home.page import (
    Change,
    FrontPage,
    LiveGame,
    LivePlayer,
    News,
    front_page,
)
from app.fantasy.pages.league.version import shared_version
from app.fantasy.scoring import my_games
from app.fantasy.scoring.engine.league_gameweek import league_gameweek
from app.fantasy.scoring.my_games import LivePlayerRow, LiveTotal, TotalRow
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.scoring.rules import STANDARD
from app.fantasy.scoring.swings import cache as swings
from app.fantasy.sheets.my_teams import MY_TEAMS, MyTeam
from app.fantasy.standings import queries
from app.fantasy.standings.queries import LeagueRow
from app.record import queries as record
from app.record.queries import GameRow

MOST_MEMBERS = 200  # of a league whose newest swing the front page tells


@dataclass(frozen=True)
class OwnRows:
    """What of a front page is the member's own. `notices`: the latest that moved points, if any."""

    cards: list[LeagueCard]
    leagues: list[LeagueRow]
    teams: list[MyTeam]
    players: list[LivePlayerRow]
    totals: list[TotalRow]
    notices: list[StoredNotice]


_own_rows = msgspec.json.Decoder(OwnRows)


@cache  # building the statement takes as long as running it
def _select_own_rows() -> Select[Any]:
    live_players = my_games.LIVE_PLAYERS.columns().cte("live_players")
    rows = select_json(
        {
            "cards": league_queries.cards_of_viewer(),
            "leagues": queries.leagues_of_viewer(),
            "teams": MY_TEAMS.columns(),
            "players": select(text("*")).select_from(live_players),
            "totals": my_games.LIVE_TOTALS.columns(),
            "notices": notices.newest_of_points(),
        }
    )
    return rows.add_cte(live_players)


def _load_own_rows(member_id: int, now: datetime) -> OwnRows:
    """Load what is the member's own in one statement."""
    values = {"viewer": member_id, "member": member_id, "now": now, "standard": STANDARD.name}
    return _own_rows.decode(db.session.execute(_select_own_rows(), values).scalar_one())


def load_front_page(member_id: int, games_around: Sequence[GameRow]) -> FrontPage:
    """Load the member's leagues, deadlines, live games and latest news.

    `games_around`: the games of the front page, which are live first.
    """
    now = clock.now()
    rows = _load_own_rows(member_id, now)
    players: dict[str, list[LivePlayerRow]] = {}
    for player in rows.players:
        players.setdefault(player.game_id, []).append(player)
    totals = my_games.live_totals(rows.totals)
    change = _latest_change(totals, rows.leagues, member_id)
    rules = rows.leagues[0].rules if rows.leagues else STANDARD.name
    play = None
    if players and change is None:
        play = my_games.newest_play(rows.players, rules_named(rules))
    news = News(
        rules=rules,
        games=[_live_game(game, players[game.id]) for game in _live_games(players, games_around)],
        totals=totals,
        change=change,
        play=play,
        notice=rows.notices[0].row() if rows.notices else None,
    )
    return front_page(rows.cards, rows.teams, news, now)


def _live_games(ids: Collection[str], games_around: Sequence[GameRow]) -> list[GameRow]:
    """These games by kickoff, then id."""
    games = [game for game in games_around if game.id in ids]
    if len(games) < len(ids):
        return record.games_of(ids)
    return sorted(games, key=lambda game: (game.kickoff, game.id))


def _live_game(game: GameRow, players: Sequence[LivePlayerRow]) -> LiveGame:
    rows = [LivePlayer(player.player_id, player.name, player.points) for player in players]
    return LiveGame(game, tuple(rows))


def _latest_change(
    totals: Sequence[LiveTotal], memberships: Sequence[LeagueRow], member_id: int
) -> Change | None:
    """The newest swing of the member's team in the first of these leagues that is small enough."""
    by_id = {league.id: league for league in memberships if league.members <= MOST_MEMBERS}
    total = next((total for total in totals if total.league_id in by_id), None)
    if total is None:
        return None
    league = by_id[total.league_id]
    season = gameweeks.shared_gameweeks(league.season_id)
    gameweek = next((week for week in season if week.id == total.gameweek_id), None)
    if gameweek is None:
        return None
    version = shared_version(league.id, gameweek).version
    latest = swings.latest(
        swings.Place(league.id, gameweek.id),
        version,
        member_id,
        lambda: league_gameweek(league, gameweek, gameweeks.shared_games_of(gameweek)),
    )
    for swing in latest.swings:
        mine = swing.of(member_id)
        if mine is not None and mine.points:
            return Change(total, swing, mine)
    return None
