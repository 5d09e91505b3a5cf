"""Reads a league's swings for its pages, the shared ones and the pictures."""

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

    `version`: of its table and games, read before the games.
    """
    shared: list[LeagueGameweek] = []

    def read() -> LeagueGameweek:
        shared.append(league_gameweek(league, gameweek, games))
        return shared[-1]

    found = cache.latest(league.id, version, me, read)
    reviewed = balance(shared[-1] if shared else read(), me) if is_reviewed(games) else None
    by_id = {game.id: game for game in games}
    return NowPage(tuple(found), reviewed, by_id, any(game.status == "live" for game in games))


def of_play(league: LeagueRow, game_id: str, play_number: int, me: int) -> PlayPage | None:
    """What the play did in the league.

    None when it moved nobody in it, or is none of its season's.
    """
    found = _game(league, game_id)
    if found is None:
        return None
    game, counting = found
    swung = swings.of_play(counting, game_id, play_number, me)
    return play_page(game, swung) if swung else None


def of_game(league: LeagueRow, game_id: str, me: int) -> tuple[GameRow, list[Swing]] | None:
    """The game's swings in the league, newest first; None when the game is none of its season's."""
    found = _game(league, game_id)
    return None if found is None else (found[0], swings.of_game(found[1], game_id, me)[::-1])


def gameweek_of_game(league: LeagueRow, game_id: str) -> GameweekRow | None:
    """The gameweek of the league's season in the week of the game; None without one."""
    asked = record.game(game_id)
    return gameweeks.gameweek_of(league.season_id, asked.week) if asked else None


def _game(league: LeagueRow, game_id: str) -> tuple[GameRow, LeagueGameweek] | None:
    gameweek = gameweek_of_game(league, game_id)
    if gameweek is None:
        return None
    games = record.gameweek_games(
        gameweek.competition, gameweek.season, gameweek.season_type, gameweek.week
    )
    game = next((game for game in games if game.id == game_id), None)
    return None if game is None else (game, league_gameweek(league, gameweek, games))
