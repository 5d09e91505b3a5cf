"""Tournaments over the API: the data of their pages (PRODUCT C10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

import msgspec
from flask import Response, request
from msgspec import Meta

from app.api.operations import GET, operation
from app.core.http.problems import ProblemError
from app.predictions import tournaments
from app.predictions.counted_score import CountedScore
from app.predictions.projections import bodies
from app.predictions.projections import store as projections
from app.predictions.projections.bodies import LeaderboardBody, MatchesBody, StandingsBody
from app.predictions.projections.store import TournamentNotFoundError

TAG = "Tournaments"
NO_TOURNAMENT = {404: "There is no such tournament."}
NO_ROUND = {404: "There is no such tournament, or it has no such round."}

TournamentId = Annotated[UUID, Meta(description="The tournament's ID.")]


class TournamentPath(msgspec.Struct, frozen=True, rename="camel"):
    """Path parameters of operations on a tournament."""

    tournament_id: TournamentId


class RoundPath(msgspec.Struct, frozen=True, rename="camel"):
    """Path parameters of operations on a round."""

    tournament_id: TournamentId
    round_slug: Annotated[
        str, Meta(pattern="^[a-z0-9][a-z0-9-]{0,39}$", description="The round's slug.")
    ]


class LeaderboardQuery(msgspec.Struct, frozen=True):
    """Query parameters of a leaderboard request."""

    offset: Annotated[
        int, Meta(ge=0, le=100_000_000, description="The number of rows to skip.")
    ] = 0


class TournamentRow(msgspec.Struct, frozen=True, rename="camel"):
    """A tournament.

    `countedScore` says which score of a match counts. `rounds` lists the rounds' slugs, in order.
    """

    id: UUID
    name: str
    active: bool
    counted_score: CountedScore
    rounds: Sequence[str]


class TournamentsBody(msgspec.Struct, frozen=True):
    """All tournaments: active ones first, then by name."""

    data: Sequence[TournamentRow]


@operation(GET, "/api/v2/tournaments", tag=TAG, answers={200: TournamentsBody})
def list_tournaments() -> TournamentsBody:
    """List the tournaments with their rounds."""
    return TournamentsBody(
        [
            TournamentRow(row.id, row.name, row.is_active, row.counted_score, row.rounds)
            for row in tournaments.listed()
        ]
    )


@operation(
    GET,
    "/api/v2/tournaments/{tournamentId}/matches/{roundSlug}",
    tag=TAG,
    answers={200: MatchesBody},
    problems=NO_ROUND,
)
def get_round_matches(path: RoundPath) -> Response:
    """List the matches of a round."""
    try:
        return _json(projections.read_matches(path.tournament_id, path.round_slug))
    except TournamentNotFoundError:
        raise ProblemError(
            404,
            "There is no such tournament or round. /api/v2/tournaments lists both.",
        ) from None


@operation(
    GET,
    "/api/v2/tournaments/{tournamentId}/standings",
    tag=TAG,
    answers={200: StandingsBody},
    problems=NO_TOURNAMENT,
)
def get_tournament_standings(path: TournamentPath) -> Response:
    """Read the standings of the teams."""
    try:
        return _json(projections.read_standings(path.tournament_id))
    except TournamentNotFoundError:
        raise _no_tournament() from None


@operation(
    GET,
    "/api/v2/tournaments/{tournamentId}/leaderboard",
    tag=TAG,
    answers={200: LeaderboardBody},
    problems=NO_TOURNAMENT,
)
def get_tournament_leaderboard(path: TournamentPath, query: LeaderboardQuery) -> Response:
    """Rank the members by points, with dense ranks.

    A response has at most 10,000 rows. If there may be more, a `Link` header with `rel="next"` has
    the URL of the next page.
    """
    try:
        if query.offset:
            if tournaments.find(path.tournament_id) is None:
                raise _no_tournament()
            rows = bodies.leaderboard_from(path.tournament_id, query.offset)
        else:
            rows = bodies.ranked(projections.read_entries(path.tournament_id))
    except TournamentNotFoundError:
        raise _no_tournament() from None
    answer = _json(bodies.leaderboard(rows))
    if len(rows) == bodies.MOST_ROWS:
        next_rows = f"{request.path}?offset={query.offset + bodies.MOST_ROWS}"
        answer.headers["Link"] = f'<{next_rows}>; rel="next"'  # RFC 8288
    return answer


def _no_tournament() -> ProblemError:
    return ProblemError(404, "There is no such tournament. /api/v2/tournaments lists them.")


def _json(body: bytes) -> Response:
    return Response(body, 200, mimetype="application/json")
