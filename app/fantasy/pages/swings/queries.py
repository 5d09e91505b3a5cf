"""Loads a league's swings for its pages, the shared pages and the pictures."""

from __future__ import annotations

from app.fantasy.market import gameweeks
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.pages.swings.page import NowPage, PlayPage, play_page
from app.fantasy.scoring.engine.league_gameweek import LeagueGameweek, league_gameweek
from app.fantasy.scoring.swings import cache, swings
from app.fantasy.scoring.swings.balance import balance, is_reviewed
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
    loaded: list[LeagueGameweek] = []

    def load() -> LeagueGameweek:
        if not loaded:
            loaded.append(league_gameweek(league, gameweek, games))
        return loaded[0]

    latest = cache.latest(league.id, version, me, load)
    reviewed = balance(load(), me) if is_reviewed(games) else None
    by_id = {game.id: game for game in games}
    return NowPage(tuple(latest), reviewed, by_id, any(game.status == "live" for game in games))


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


def _load_game(league: LeagueRow, game_id: str) -> tuple[GameRow, LeagueGameweek] | None:
    gameweek = gameweek_of_game(league, game_id)
    if gameweek is None:
        return None
    games = gameweeks.games_of(gameweek)
    game = next((game for game in games if game.id == game_id), None)
    return None if game is None else (game, league_gameweek(league, gameweek, games))
