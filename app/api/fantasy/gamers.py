"""Gamers over the API: one by id, and those of a league in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.accounts import players
from app.accounts.tokens import PlayerCaller
from app.api.fantasy.shapes import (
    MEMBERS,
    TAG,
    Body,
    GamerId,
    GameweekName,
    GameweekPoints,
    LeagueSlug,
    Limit,
    Offset,
    Points,
    SeasonQuery,
    by_gameweek,
    milli,
    next_offset,
    season_of,
    viewer_of,
)
from app.api.operations import GET, Limits, operation
from app.api.security import MemberCaller
from app.core.http.problems import ProblemError
from app.fantasy.api_queries import queries as lookups
from app.fantasy.leagues import gamers

READS = Limits("240 per minute")


class GamerPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a gamer."""

    gamer_id: GamerId


class LeaguePath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a league."""

    league: LeagueSlug


class LeagueGamersQuery(msgspec.Struct, frozen=True):
    """Query parameters of the league gamers operation."""

    limit: Limit = 25
    offset: Offset = 0


class GamerBody(Body, frozen=True):
    """A gamer with their points in the overall league of a season."""

    gamer_id: int
    name: str
    country: Annotated[str | None, Meta(description="The two-letter country code (ISO 3166).")]
    season: Annotated[
        str | None, Meta(description="The season. Null if the gamer has no overall league.")
    ]
    league: Annotated[str | None, Meta(description="The season's overall league.")]
    team_name: str | None
    total_points: Points
    gameweek_points: GameweekPoints
    birth_year: Annotated[
        int | UnsetType | None,
        Meta(
            description=(
                "The gamer's year of birth. Only the gamer can see it. Null if they have not "
                "entered one."
            )
        ),
    ] = UNSET


class LeagueGamerBody(Body, frozen=True):
    """A gamer in a league."""

    rank: Annotated[
        int,
        Meta(
            description=(
                "The rank by total points. Equal totals share a rank, and the next rank "
                "follows without a gap."
            )
        ),
    ]
    gamer_id: int
    name: str
    country: str | None
    team_name: str
    total_points: Points
    gameweek_points: GameweekPoints


class GamerLeagueBody(Body, frozen=True):
    """A league that the gamer is in, with their points in it."""

    league: str
    name: str
    season: str
    team_name: str
    rank: Annotated[
        int,
        Meta(
            description=(
                "The rank as in the league's standings. Equal totals share a rank, and "
                "the next rank follows without a gap."
            )
        ),
    ]
    members: int
    total_points: Points
    gameweek_points: GameweekPoints


class GamerLeaguesBody(Body, frozen=True):
    """A gamer's leagues: overall leagues first, then the latest season, then by name."""

    gamer_id: int
    name: str
    leagues: Sequence[GamerLeagueBody]


class LeagueGamersBody(Body, frozen=True):
    """Gamers of a league by total points, highest first, ties by ID."""

    league: str
    name: str
    mode: Annotated[str, Meta(description="How the league ranks: `total` or `head_to_head`.")]
    rules: Annotated[str, Meta(description="The scoring rules used for the points.")]
    season: str
    first_week: Annotated[
        GameweekName,
        Meta(description=("The first gameweek that counts in the league.")),
    ]
    gamers: Sequence[LeagueGamerBody]
    next_offset: Annotated[
        int | None, Meta(description="The cursor of the next page. Null on the last page.")
    ]


@operation(
    GET,
    "/api/v1/gamers/{gamer_id}",
    tag=TAG,
    answers={200: GamerBody},
    security=MEMBERS,
    problems={404: "There is no such gamer, or no such season."},
    limits=READS,
)
def get_gamer(
    path: GamerPath, query: SeasonQuery, caller: PlayerCaller | MemberCaller
) -> GamerBody:
    """Look up a gamer."""
    gamer = lookups.gamer(path.gamer_id, season_of(query.season))
    if gamer is None:
        raise ProblemError(
            404, "There is no member with this gamer_id, or no such season. Check both."
        )
    return GamerBody(
        gamer.id,
        gamer.name,
        gamer.country,
        str(gamer.season) if gamer.season else None,
        gamer.league,
        gamer.team_name,
        milli(gamer.total_points),
        by_gameweek(gamer.gameweeks),
        gamer.birth_year if gamer.id == _member_of(caller) else UNSET,
    )


@operation(
    GET,
    "/api/v1/gamers/{gamer_id}/leagues",
    tag=TAG,
    answers={200: GamerLeaguesBody},
    security=MEMBERS,
    problems={404: "There is no such gamer."},
    limits=READS,
)
def list_gamer_leagues(path: GamerPath, caller: PlayerCaller | MemberCaller) -> GamerLeaguesBody:
    """List a gamer's leagues that are public or that the caller is also in."""
    gamer = gamers.gamer(path.gamer_id, _member_of(caller))
    if gamer is None:
        raise ProblemError(404, "There is no member with this gamer_id. Check the id.")
    return GamerLeaguesBody(
        gamer.id,
        gamer.name,
        [
            GamerLeagueBody(
                league.slug,
                league.name,
                league.season_key,
                league.team_name,
                league.rank,
                league.members,
                milli(league.total),
                by_gameweek({week.week: week.points for week in league.weeks}),
            )
            for league in gamer.leagues
        ],
    )


NOBODY = 0  # no member has this id


def _member_of(caller: PlayerCaller | MemberCaller) -> int:
    """The member who asks, or whose player's token it is."""
    if isinstance(caller, MemberCaller):
        return caller.member_id
    player = players.find_player(caller.player_id)
    return (player.member_id if player else None) or NOBODY


@operation(
    GET,
    "/api/v1/leagues/{league}/gamers",
    tag=TAG,
    answers={200: LeagueGamersBody},
    security=MEMBERS,
    problems={404: "There is no such league, or it is not public and the caller is not in it."},
    limits=READS,
)
def list_league_gamers(
    path: LeaguePath, query: LeagueGamersQuery, caller: PlayerCaller | MemberCaller
) -> LeagueGamersBody:
    """List the gamers of a league by their total points."""
    league = lookups.gamers_of_league(
        path.league, viewer_of(caller), limit=query.limit, offset=query.offset
    )
    if league is None:
        raise ProblemError(
            404, "There is no such league, or it is not public and you are not in it."
        )
    return LeagueGamersBody(
        league.slug,
        league.name,
        league.mode,
        league.rules,
        str(league.season),
        f"GW{league.first_week}",
        [
            LeagueGamerBody(
                gamer.rank,
                gamer.id,
                gamer.name,
                gamer.country,
                gamer.team_name,
                milli(gamer.total_points),
                by_gameweek(gamer.gameweeks),
            )
            for gamer in league.gamers
        ],
        next_offset(query.offset, len(league.gamers), league.more),
    )
