"""The fixtures of a head-to-head league, with the points of those that have begun."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated

import msgspec
from msgspec import Meta

from app.accounts.tokens import PlayerCaller
from app.api.fantasy.shapes import (
    MEMBERS,
    TAG,
    Body,
    GameweekName,
    LeagueSlug,
    Limit,
    Offset,
    Points,
    milli,
    next_offset,
    viewer_of,
)
from app.api.operations import GET, Limits, operation
from app.api.security import MemberCaller
from app.core.http.problems import ProblemError
from app.fantasy.api_queries.matchups import matchups_of_league
from app.fantasy.projections.teams import Outlook
from app.fantasy.standings.games import Game, Side

READS = Limits("240 per minute")
DECIMALS = 3  # of a chance


class MatchupsPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on matchups."""

    league: LeagueSlug


class MatchupsQuery(msgspec.Struct, frozen=True):
    """Query parameters of the matchups operation."""

    gameweek: Annotated[
        str,
        Meta(
            pattern="^(GW[0-9]{1,2})?$",
            description="A gameweek, such as `GW3`. Defaults to the whole season.",
        ),
    ] = ""
    limit: Limit = 100
    offset: Offset = 0


class MatchupSideBody(Body, frozen=True):
    """One side of a matchup."""

    gamer_id: Annotated[
        int | None, Meta(description="The gamer. Null if this side is the league average.")
    ]
    team_name: str
    points: Annotated[
        Points | None, Meta(description="The points so far. Null before the gameweek has begun.")
    ]
    projected: Annotated[
        Points | None,
        Meta(description="The projected final points. Null unless the gameweek is in progress."),
    ]
    win_chance: Annotated[
        float | None,
        Meta(
            description=(
                "The probability of winning, from 0 to 1. A tie counts half. Null unless "
                "the gameweek is in progress."
            )
        ),
    ]
    match_points: Annotated[
        int | None,
        Meta(
            description=(
                "The match points: 3, 1 or 0. Null until the gameweek is settled, and "
                "for the league average."
            )
        ),
    ]


class MatchupBody(Body, frozen=True):
    """A head-to-head matchup."""

    gameweek: GameweekName
    is_locked: Annotated[
        bool,
        Meta(
            description=(
                "Whether the gameweek has begun. Matchups of later gameweeks may still change."
            )
        ),
    ]
    home: MatchupSideBody
    away: MatchupSideBody


class MatchupsBody(Body, frozen=True):
    """A league's matchups by gameweek, then by the home side's gamer.

    A league that ranks by total points has none. In a league with more than 32 members, only
    gameweeks that have begun have matchups.
    """

    league: str
    matchups: Sequence[MatchupBody]
    next_offset: Annotated[
        int | None, Meta(description="The cursor of the next page. Null on the last page.")
    ]


@operation(
    GET,
    "/api/v1/leagues/{league}/matchups",
    tag=TAG,
    answers={200: MatchupsBody},
    security=MEMBERS,
    problems={404: "There is no such league, or the caller is not in it."},
    limits=READS,
)
def list_league_matchups(
    path: MatchupsPath, query: MatchupsQuery, caller: PlayerCaller | MemberCaller
) -> MatchupsBody:
    """List the matchups of a head-to-head league, from the first gameweek to the last."""
    week = int(query.gameweek.removeprefix("GW")) if query.gameweek else None
    matchups = matchups_of_league(
        path.league, viewer_of(caller), week, limit=query.limit, offset=query.offset
    )
    if matchups is None:
        raise ProblemError(404, "There is no such league, or you are not in it.")
    return MatchupsBody(
        matchups.league.slug,
        [
            _body(game, outlook)
            for game, outlook in zip(matchups.games, matchups.outlooks, strict=True)
        ],
        next_offset(query.offset, len(matchups.games), matchups.more),
    )


def _body(game: Game, outlook: Outlook | None) -> MatchupBody:
    if outlook is None:
        home, away = _side(game, game.home), _side(game, game.away)
    else:
        chance = round(outlook.chance, DECIMALS)
        home = _side(game, game.home, (outlook.first, chance))
        away = _side(game, game.away, (outlook.second, round(1 - chance, DECIMALS)))
    return MatchupBody(f"GW{game.week}", game.is_locked, home, away)


def _side(
    game: Game, side: Side, expected: tuple[int | Fraction, float] | None = None
) -> MatchupSideBody:
    """A side. `expected`: its projected points and its chance of winning."""
    points = milli(int(side.points)) if game.is_locked else None
    projected, chance = (None, None) if expected is None else expected
    return MatchupSideBody(
        side.member_id,
        side.team_name,
        points,
        None if projected is None else milli(round(projected)),
        chance,
        side.match_points,
    )
