"""The viewer's own matchup above the table of a head-to-head league, and who they meet next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.core import clock
from app.fantasy.amounts import decimal_points
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.pages.scoreboard import ScoreboardSide, Sides, with_outlook
from app.fantasy.projections.queries import matchup_outlooks
from app.fantasy.sheets.visibility import is_shown_to_all
from app.fantasy.standings import games as games_of_league
from app.fantasy.standings.games import Game
from app.fantasy.standings.queries import LeagueRow

NEXT_SHOWN = 3


@dataclass(frozen=True)
class MyMatchup:
    """The viewer's matchup of the gameweek, their side first, and their next fixtures.

    `ids`: the member ids of the sides; None for the average.
    """

    week: int
    sides: Sides
    ids: tuple[int | None, int | None]
    to_come: tuple[Game, ...]


def load_my_matchup(
    league: LeagueRow, gameweek: GameweekRow, games: Sequence[Game], me: int, *, is_over: bool
) -> MyMatchup | None:
    """Load the viewer's matchup among the gameweek's `games`; None if they meet nobody.

    Nothing is projected before the opponent's line-up may be seen, or once all is over.
    """
    mine = next((game for game in games if me in (game.home.member_id, game.away.member_id)), None)
    if mine is None:
        return None
    sides = mine.sides_of(me)
    to_come = [
        game for game in games_of_league.games_of_member(league.id, me) if game.week > mine.week
    ]
    outlook = None
    if not is_over and is_shown_to_all(league.team_rules_id, gameweek.id, clock.now()):
        (outlook,) = matchup_outlooks(league, gameweek, [(me, sides[1].member_id)])
    first, second = (
        ScoreboardSide(
            name=side.team_name, total=decimal_points(side.points) if mine.has_points else ""
        )
        for side in sides
    )
    projected = (first, second) if outlook is None else with_outlook((first, second), outlook)
    return MyMatchup(mine.week, projected, (me, sides[1].member_id), tuple(to_come[:NEXT_SHOWN]))
