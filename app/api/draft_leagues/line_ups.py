"""Line-ups of teams: team sheets whose market is the roster."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from app.accounts.tokens import PlayerCaller
from app.api.draft_leagues.access import opened, own_team, refused_problem, team_of
from app.api.draft_leagues.operations import draft_operation
from app.api.draft_leagues.shapes import (
    PROBLEMS,
    DraftLeaguePath,
    FranchiseNumber,
)
from app.api.fantasy.shapes import (
    Body,
    FootballerId,
    GameweekName,
    LeagueSlug,
    Points,
    milli,
)
from app.api.fantasy.team_sheets import LATE
from app.api.operations import GET, PUT
from app.api.security import MemberCaller
from app.core import clock
from app.core.http.problems import ProblemError
from app.core.serving import received_at
from app.draft_leagues.pages.loading import DraftLeaguePage
from app.draft_leagues.season.queries import gameweeks_of
from app.fantasy.api_queries import queries as lookups
from app.fantasy.api_queries.queries import TeamSheetRow, Viewer
from app.fantasy.market.formats import format_named
from app.fantasy.market.models import Gameweek
from app.fantasy.sheets import services as sheets
from app.fantasy.sheets.transfers import Draft

NO_LINE_UP = (
    "The team has no lineup in this gameweek, or it is another team's lineup "
    "and the deadline has not passed."
)
MOST_PLACES = 60
Pick = FootballerId | None


class LineUpPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a lineup."""

    league: LeagueSlug
    franchise: FranchiseNumber
    gameweek: GameweekName

    @property
    def week(self) -> int:
        """The gameweek's number."""
        return int(self.gameweek.removeprefix("GW"))


class OwnLineUpPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on your own lineup."""

    league: LeagueSlug
    gameweek: GameweekName

    @property
    def week(self) -> int:
        """The gameweek's number."""
        return int(self.gameweek.removeprefix("GW"))


class LineUpPlaceBody(Body, frozen=True):
    """A slot of a lineup."""

    slot: Annotated[str, Meta(description="The slot, such as `QB`, `FLEX` or `BN` (bench).")]
    is_starter: bool
    footballer_id: Annotated[
        str | None, Meta(description="The player in this slot. Null if it is empty.")
    ]
    name: str | None
    position: str | None
    points: Annotated[
        Points | None, Meta(description="The player's points. Null if the player has no stat line.")
    ]
    counts: Annotated[
        bool | None,
        Meta(
            description=(
                "Whether these points count for the team. Null until points are first counted."
            )
        ),
    ]


class LineUpBody(Body, frozen=True):
    """A team's lineup for a gameweek: starters first, then the bench in order."""

    franchise: int
    gameweek: GameweekName
    locks_at: Annotated[
        datetime,
        Meta(
            description=(
                "When the last player locks. Each player locks at the kickoff of their own game."
            )
        ),
    ]
    places: Sequence[LineUpPlaceBody]
    points: Annotated[
        Points | None, Meta(description="The team's points. Null until points are first counted.")
    ]
    version: Annotated[int, Meta(description="Increases with every save.")]
    is_carried: Annotated[
        bool,
        Meta(
            description=(
                "Whether no lineup was saved for this gameweek, so that the previous one is used."
            )
        ),
    ]
    saved_at: datetime


class LineUpNew(Body, frozen=True, forbid_unknown_fields=True):
    """A complete lineup."""

    places: Annotated[
        list[Pick],
        Meta(
            max_length=MOST_PLACES,
            description=(
                "The players by slot, in the order of a lineup you read. Null leaves a slot empty."
            ),
        ),
    ]
    version: Annotated[
        int | None,
        Meta(
            description=(
                "The version you last read, or 0 if there was none. The request is "
                "refused if a newer one was saved."
            ),
            examples=[3],
        ),
    ] = None


@draft_operation(
    GET,
    "/api/v1/draft-leagues/{league}/franchises/{franchise}/line-ups/{gameweek}",
    answers={200: LineUpBody},
    problems={404: NO_LINE_UP},
)
def get_line_up(path: LineUpPath, caller: PlayerCaller | MemberCaller) -> LineUpBody:
    """Read a team's lineup: your own at any time, other teams' after the deadline.

    The deadline is the gameweek's first kickoff. Players whose games begin later can still be
    replaced.
    """
    return line_up(opened(DraftLeaguePath(path.league), caller), path.franchise, path.week)


@draft_operation(
    PUT,
    "/api/v1/draft-leagues/{league}/line-ups/{gameweek}",
    answers={200: LineUpBody},
    problems={
        404: "The caller is in no such draft league, or it has no such gameweek.",
        409: PROBLEMS[409],
        422: "The lineup breaks rules. `errors` lists each one and what to change.",
    },
)
def put_line_up(
    path: OwnLineUpPath, body: LineUpNew, caller: PlayerCaller | MemberCaller
) -> LineUpBody:
    """Save your lineup, either completely or not at all.

    Each player locks at the kickoff of their own game, by the server's clock.
    """
    page = opened(DraftLeaguePath(path.league), caller)
    team = own_team(page)
    gameweek = _gameweek(page, path.week)
    picks = tuple(pick or "" for pick in body.places)
    draft = Draft(picks, 0, 0, body.version)
    saved = sheets.save(
        page.viewer_id, page.league.team_rules_id, gameweek.id, draft, received_at()
    )
    if isinstance(saved, sheets.Refused):
        is_late = any(refusal.code in LATE for refusal in saved.refusals)
        raise refused_problem(saved.refusals, 409 if is_late else 422, {"picks": "places"})
    return line_up(page, team.number, path.week)


def line_up(page: DraftLeaguePage, franchise: int, week: int) -> LineUpBody:
    """The response for a stored line-up. Raises ProblemError 404 if the viewer may not see it."""
    team = team_of(page, franchise)
    viewer = Viewer(member_id=page.viewer_id)
    row = (
        lookups.team_sheet(team.member_id, week, viewer, clock.now(), page.league.slug)
        if team.member_id is not None
        else None
    )
    if row is None:
        raise ProblemError(404, NO_LINE_UP)
    return _body(franchise, row)


def _gameweek(page: DraftLeaguePage, week: int) -> Gameweek:
    for gameweek in gameweeks_of(page.league):
        if gameweek.week == week:
            return gameweek
    raise ProblemError(404, f"The league has no gameweek {week}. Its schedule lists them.")


def _body(franchise: int, row: TeamSheetRow) -> LineUpBody:
    team_format = format_named(row.format)
    starters = len(team_format.starters)
    return LineUpBody(
        franchise=franchise,
        gameweek=f"GW{row.week}",
        locks_at=row.locks_at,
        places=[
            LineUpPlaceBody(
                slot.name,
                number < starters,
                pick.footballer_id or None,
                pick.name,
                pick.position,
                milli(pick.points) if pick.points is not None else None,
                pick.multiplier > 0 if pick.multiplier is not None else None,
            )
            for number, (slot, pick) in enumerate(zip(team_format.places, row.places, strict=True))
        ],
        points=milli(row.points) if row.points is not None else None,
        version=row.version,
        is_carried=row.is_carried,
        saved_at=row.saved_at,
    )
