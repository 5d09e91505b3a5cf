"""Loads a league's swings for its pages, the shared pages and the pictures."""

from __future__ import annotations

from app.fantasy.market import gameweeks
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.pages.swings.page import NowPage, PlayPage, play_page
from app.fantasy.scoring.league_gameweek import LeagueGameweek, league_gameweek
from app.fantasy.scoring.swings import cache, swings
from app.fantasy.scoring.swings.cache import Place
from app.fantasy.scoring.swings.swings import Swing
from app.fantasy.standings.queries import LeagueRow
from app.record import queries as record
from app.record.queries import GameRow


def now_page(
    league: LeagueRow, gameweek: GameweekRow, games: list[GameRow], version: str, me: int
) -> NowPage:
    """What just happened in the league.

    `version`: the version of its table and games, read before the games.
    """
    latest = cache.latest(
        Place(league.id, gameweek.id), version, me, lambda: _read_now(league, gameweek)
    )
    is_live = any(game.status == "live" for game in games)
    return NowPage(latest.swings, latest.balance, {game.id: game for game in games}, is_live, me)


def of_play(league: LeagueRow, game_id: str, play_number: int, me: int) -> PlayPage | None:
    """What the play did in the league.

    None if it moved nobody, or the game is not in the league's season.
    """
    loaded = _load_game(league, game_id)
    if loaded is None:
        return None
    game, league_week = loaded
    play_swings = swings.of_play(league_week, game_id, play_number, me)
    return play_page(game, play_swings) if play_swings else None


def of_game(league: LeagueRow, game_id: str, me: int) -> tuple[GameRow, list[Swing]] | None:
    """The game's swings in the league, newest first; None if it is not in the league's season."""
    loaded = _load_game(league, game_id)
    if loaded is None:
        return None
    game, league_week = loaded
    return game, swings.of_game(league_week, game_id, me)[::-1]


def gameweek_of_game(league: LeagueRow, game_id: str) -> GameweekRow | None:
    """The gameweek of the league's season in the week of the game; None without one."""
    game = record.game(game_id)
    return gameweeks.gameweek_of(league.season_id, game.week) if game else None


def _read_now(league: LeagueRow, gameweek: GameweekRow) -> LeagueGameweek:
    return league_gameweek(league, gameweek, gameweeks.shared_games_of(gameweek))


def _load_game(league: LeagueRow, game_id: str) -> tuple[GameRow, LeagueGameweek] | None:
    gameweek = gameweek_of_game(league, game_id)
    if gameweek is None:
        return None
    games = gameweeks.games_of(gameweek)
    game = next((game for game in games if game.id == game_id), None)
    return None if game is None else (game, league_gameweek(league, gameweek, games))
