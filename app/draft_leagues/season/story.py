"""What a gameweek decided in the play-offs, for its recap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.core.bidi import isolated, with_period
from app.draft_leagues.season.playoffs import Game
from app.draft_leagues.season.queries import load_season
from app.fantasy.amounts import decimal_points


def playoff_story(league_id: int, week: int) -> list[str]:
    """The games of the play-offs that ended with this gameweek, the final first."""
    view = load_season(league_id)
    if not view.is_regular_over:
        return []
    names = {team.number: team.name for team in view.teams}
    return sentences(view.playoffs.games, week, names, view.league.name)


def sentences(games: Sequence[Game], week: int, names: Mapping[int, str], league: str) -> list[str]:
    """The same of these games.

    >>> final = Game("championship", 2, (17,), 1, 2, (9_000, 12_500), 2)
    >>> sentences([final], 17, {1: "Ann FC", 2: "Bob FC"}, "The Row")
    ['Bob FC beat Ann FC in the final, 12.50 to 9.00, and won The Row.']
    >>> sentences([final], 16, {1: "Ann FC", 2: "Bob FC"}, "The Row")
    []
    """
    last = max((game.round for game in games if game.bracket == "championship"), default=0)
    decided = [
        game
        for game in games
        if game.weeks[-1] == week and game.winner is not None and game.loser is not None
    ]
    playoff_games = [game for game in decided if game.bracket in ("championship", "third")]
    playoff_games.sort(key=lambda game: (game.bracket, -game.round))
    return [_sentence(game, names, league, is_final=game.round == last) for game in playoff_games]


def _sentence(game: Game, names: Mapping[int, str], league: str, *, is_final: bool) -> str:
    assert game.winner is not None
    assert game.loser is not None
    winner, loser = isolated(names[game.winner]), isolated(names[game.loser])
    high, low = (decimal_points(points) for points in sorted(game.points, reverse=True))
    is_tie = game.points[0] == game.points[1]
    score = f"{high} to {low}{' as the better seed' if is_tie else ''}"
    if game.bracket == "third":
        return f"{winner} beat {loser} for third place, {score}."
    if is_final:
        return with_period(
            f"{winner} beat {loser} in the final, {score}, and won {isolated(league)}"
        )
    return f"{winner} beat {loser} in the playoffs, {score}, and advanced."
