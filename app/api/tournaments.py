"""Tournaments over the API: the read contracts of their pages (PRODUCT C10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

import msgspec
from flask import Response
from msgspec import Meta

from app.api.operations import GET, operation
from app.core.problems import Refuse
from app.predictions import bodies, projection, tournaments
from app.predictions.bodies import LeaderboardBody, MatchesBody, StandingsBody
from app.predictions.projection import NotThere

TAG = "Tournaments"
NO_TOURNAMENT = {404: "There is no such tournament."}
NO_ROUND = {404: "There is no such tournament, or no such round in it."}

TournamentId = Annotated[UUID, Meta(description="The id of the tournament.")]


class TournamentPath(msgspec.Struct, frozen=True, rename="camel"):
    tournament_id: TournamentId


class RoundPath(msgspec.Struct, frozen=True, rename="camel"):
    tournament_id: TournamentId
    round_slug: Annotated[str, Meta(pattern="^[a-z0-9][a-z0-9-]{0,39}$", description="The slug of the round.")]


class TournamentRow(msgspec.Struct, frozen=True, rename="camel"):
    """A tournament. `rounds`: their slugs, in order."""

    id: UUID
    name: str
    active: bool
    rounds: Sequence[str]


class TournamentsBody(msgspec.Struct, frozen=True):
    """The tournaments: running ones first, then by name."""

    data: Sequence[TournamentRow]


@operation(GET, "/api/v2/tournaments", tag=TAG, answers={200: TournamentsBody})
def list_tournaments() -> TournamentsBody:
    """Every tournament with its rounds."""
    return TournamentsBody([TournamentRow(one.id, one.name, one.is_active, one.rounds) for one in tournaments.listed()])


@operation(
    GET,
    "/api/v2/tournaments/{tournamentId}/matches/{roundSlug}",
    tag=TAG,
    answers={200: MatchesBody},
    problems=NO_ROUND,
)
def get_round_matches(path: RoundPath) -> Response:
    """The matches of a round."""
    try:
        return _json(projection.read_matches(path.tournament_id, path.round_slug))
    except NotThere:
        raise Refuse(
            404, "There is no such tournament, or no such round in it: /api/v2/tournaments lists both."
        ) from None


@operation(
    GET, "/api/v2/tournaments/{tournamentId}/standings", tag=TAG, answers={200: StandingsBody}, problems=NO_TOURNAMENT
)
def get_tournament_standings(path: TournamentPath) -> Response:
    """The table of the teams."""
    try:
        return _json(projection.read_standings(path.tournament_id))
    except NotThere:
        raise _no_tournament() from None


@operation(
    GET,
    "/api/v2/tournaments/{tournamentId}/leaderboard",
    tag=TAG,
    answers={200: LeaderboardBody},
    problems=NO_TOURNAMENT,
)
def get_tournament_leaderboard(path: TournamentPath) -> Response:
    """The members by points, with dense ranks; the first 10,000 of a larger tournament."""
    try:
        return _json(bodies.leaderboard(projection.read_entries(path.tournament_id)))
    except NotThere:
        raise _no_tournament() from None


def _no_tournament() -> Refuse:
    return Refuse(404, "There is no such tournament: /api/v2/tournaments lists those that there are.")


def _json(body: bytes) -> Response:
    return Response(body, 200, mimetype="application/json")
