"""Footballers over the API: one by id, and those of a position. Public, like the record."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated

import msgspec
from msgspec import Meta

from app.api.fantasy.shapes import (
    MEMBERS,
    TAG,
    Body,
    FootballerId,
    GameweekPoints,
    Limit,
    Millions,
    Offset,
    Points,
    SeasonQuery,
    SeasonText,
    by_gameweek,
    milli,
    next_offset,
    season_of,
)
from app.api.operations import GET, Limits, operation
from app.api.security import Anybody
from app.api.shapes import points
from app.core.http.problems import ProblemError
from app.fantasy.api_queries import queries as lookups
from app.fantasy.api_queries.queries import FootballerRow
from app.fantasy.api_queries.statements import SORTS

READS = Limits("240 per minute")
# The source design's words for GK, DEF, MID and FWD.
WORDS = {
    "Goalkeeper": "GK",
    "Defender": "DEF",
    "Midfielder": "MID",
    "Striker": "FWD",
    "Forward": "FWD",
}
SEARCH = r"^[^\x00-\x1f\x7f]{0,60}$"


class FootballerPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a footballer."""

    footballer_id: FootballerId


class PositionPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a position."""

    position: Annotated[
        str,
        Meta(
            pattern="^[A-Za-z]{1,20}$",
            description=(
                "The position, such as `QB`, `WR` or `GK`. `Goalkeeper`, `Defender`, "
                "`Midfielder`, `Striker` and `Forward` also work."
            ),
            examples=["QB", "Midfielder"],
        ),
    ]


class PositionQuery(msgspec.Struct, frozen=True):
    """Query parameters of a position request."""

    season: SeasonText = ""
    sort: Annotated[
        str,
        Meta(
            pattern=f"^({'|'.join(SORTS)})$",
            description=f"The order, highest first: {', '.join(SORTS)}.",
            extra_json_schema={"enum": list(SORTS)},
        ),
    ] = "points"
    search: Annotated[
        str, Meta(pattern=SEARCH, description="Part of the player's name. Case does not matter.")
    ] = ""
    club: Annotated[str, Meta(pattern=SEARCH, description="The club's ID.")] = ""
    limit: Limit = 25
    offset: Offset = 0


class FootballerBody(Body, frozen=True):
    """A footballer on a season's market."""

    footballer_id: str
    name: str
    number: int | None
    position: str
    club: Annotated[str | None, Meta(description="The club's ID.")]
    club_name: str | None
    price: Millions
    select_percent: Annotated[
        Decimal,
        Meta(
            description=(
                "The percentage of the season's team sheets that have the player, exact to a tenth."
            )
        ),
    ]
    status: Annotated[
        str,
        Meta(
            description="The player's status: `available`, `questionable`, `doubtful`, `out`, "
            "`injured`, `suspended` or `left`. The news says why."
        ),
    ]
    news: str
    form: Annotated[Decimal, Meta(description="The average of the player's recent points.")]
    total_points: Points
    gameweek_points: GameweekPoints
    rules: Annotated[
        str, Meta(description="The season's scoring rules, which are used for the points.")
    ]
    season: str


class PositionBody(Body, frozen=True):
    """Footballers at a position, highest `sort` first, ties by ID."""

    position: str
    season: str
    footballers: Sequence[FootballerBody]
    next_offset: Annotated[
        int | None, Meta(description="The cursor of the next page. Null on the last page.")
    ]


@operation(
    GET,
    "/api/v1/footballers/{footballer_id}",
    tag=TAG,
    answers={200: FootballerBody},
    security=[Anybody(), *MEMBERS],
    problems={404: "There is no such footballer on the season's market, or no such season."},
    limits=READS,
)
def get_footballer(path: FootballerPath, query: SeasonQuery) -> FootballerBody:
    """Look up a footballer."""
    footballer = lookups.footballer(path.footballer_id, season_of(query.season))
    if footballer is None:
        raise ProblemError(
            404,
            "No player with this footballer_id is on the season's market. Check the id and "
            "the season.",
        )
    return _body(footballer)


@operation(
    GET,
    "/api/v1/positions/{position}/footballers",
    tag=TAG,
    answers={200: PositionBody},
    security=[Anybody(), *MEMBERS],
    problems={404: "There is no such season, or it does not have this position."},
    limits=READS,
)
def list_footballers(path: PositionPath, query: PositionQuery) -> PositionBody:
    """List the footballers at a position."""
    position = WORDS.get(path.position, path.position)
    listed = lookups.footballers_of_position(
        position,
        season_of(query.season),
        lookups.PositionFilter(
            sort=query.sort,
            search=query.search,
            club=query.club,
            limit=query.limit,
            offset=query.offset,
        ),
    )
    if listed is None:
        raise ProblemError(
            404, "There is no such season, or it doesn't have this position. Check both."
        )
    return PositionBody(
        position,
        str(listed.season),
        [_body(footballer) for footballer in listed.footballers],
        next_offset(query.offset, len(listed.footballers), listed.more),
    )


def _body(footballer: FootballerRow) -> FootballerBody:
    return FootballerBody(
        footballer_id=footballer.id,
        name=footballer.name,
        number=footballer.number,
        position=footballer.position,
        club=footballer.club_id,
        club_name=footballer.club,
        price=points(footballer.price, 1),
        select_percent=points(footballer.selected, 1),
        status=footballer.status,
        news=footballer.news,
        form=milli(footballer.form),
        total_points=milli(footballer.total_points),
        gameweek_points=by_gameweek(footballer.gameweeks),
        rules=footballer.rules,
        season=str(footballer.season),
    )
