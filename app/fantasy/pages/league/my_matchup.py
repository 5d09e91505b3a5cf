"""The viewer's own matchup above the table of a head-to-head league, and who they meet next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.core import clock
from app.fantasy.amounts import decimal_points
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.projections.queries import matchup_outlooks
from app.fantasy.projections.words import percent_words, percentages, projected_words
from app.fantasy.sheets.visibility import is_shown_to_all
from app.fantasy.standings import games as games_of_league
from app.fantasy.standings.games import Game, Side
from app.fantasy.standings.queries import LeagueRow

NEXT_SHOWN = 3


@dataclass(frozen=True)
class MySide:
    """A side of the viewer's matchup; the words are empty if there is nothing to say.

    `percent`: the chance of winning; `share`: the same for a bar.
    """

    name: str
    total: str
    expected: str = ""
    percent: str = ""
    share: int = 0


@dataclass(frozen=True)
class MyMatchup:
    """The viewer's matchup of the gameweek, their side first, and their next fixtures."""

    week: int
    sides: tuple[MySide, MySide]
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
    if outlook is None:
        first, second = (_side(side, mine) for side in sides)
    else:
        words, shares = percent_words(outlook.chance), percentages(outlook.chance)
        first, second = (
            _side(side, mine, projected_words(points), percent, share)
            for side, points, percent, share in zip(
                sides, (outlook.first, outlook.second), words, shares, strict=True
            )
        )
    return MyMatchup(mine.week, (first, second), tuple(to_come[:NEXT_SHOWN]))


def _side(side: Side, game: Game, expected: str = "", percent: str = "", share: int = 0) -> MySide:
    total = decimal_points(side.points) if game.has_points else ""
    return MySide(side.team_name, total, expected, percent, share)
