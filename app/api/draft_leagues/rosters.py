"""Teams of a draft league, their rosters now and before, and what members do with their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.accounts.tokens import PlayerCaller
from app.api.draft_leagues.access import opened, or_refused, own_team
from app.api.draft_leagues.operations import draft_operation
from app.api.draft_leagues.shapes import (
    NO_LEAGUE,
    PROBLEMS,
    DraftLeaguePath,
    MaybeFootballerId,
    SpotName,
    Token,
)
from app.api.fantasy.shapes import Body, FootballerId
from app.api.operations import GET, POST
from app.api.reading import fault
from app.api.security import MemberCaller
from app.api.shapes import Moment
from app.core import clock
from app.core.serving import received_at
from app.draft_leagues.franchises.services import Team
from app.draft_leagues.pages.loading import DraftLeaguePage
from app.draft_leagues.roster_acts import services
from app.draft_leagues.roster_acts.services import SpotMove
from app.draft_leagues.waivers import services as waivers
from app.draft_leagues.waivers.queries import budget_left
from app.draft_leagues.waivers.services import Wish
from app.fantasy.market.listing import Listed, listed
from app.fantasy.rosters.queries import rosters_of, transactions_of
from app.fantasy.rosters.rules import Rosters, folded


class RostersQuery(msgspec.Struct, frozen=True):
    """Query parameters of the rosters operation."""

    at: Moment | UnsetType = UNSET


class FranchiseBody(Body, frozen=True):
    """A team of a draft league."""

    franchise: int
    name: str
    gamer_id: Annotated[int | None, Meta(description="The team's owner. Null if it has none.")]
    division: Annotated[
        int,
        Meta(description="The team's division, starting at 1. 0 if the league has no divisions."),
    ]
    waiver_priority: Annotated[
        int, Meta(description="The team's waiver priority. 1 is the highest.")
    ]
    budget: Annotated[int, Meta(description="The waiver budget the team has left.")]
    is_locked: Annotated[
        bool,
        Meta(
            description=(
                "Whether the commissioner has locked the team, so that it can't make transactions."
            )
        ),
    ]


class FranchisesBody(Body, frozen=True):
    """The teams of a draft league, by number."""

    franchises: Sequence[FranchiseBody]


class RosteredBody(Body, frozen=True):
    """A footballer on a roster."""

    footballer_id: str
    name: str
    position: str
    club: str
    status: Annotated[
        str, Meta(description="The player's status, such as `available`, `injured` or `suspended`.")
    ]
    spot: SpotName


class PickOwnedBody(Body, frozen=True):
    """A pick of a later draft that the team got from another one."""

    season: int
    round: int
    original_franchise: int


class RosterBody(Body, frozen=True):
    """A team's players, in the order in which they joined it, and the picks it got."""

    franchise: int
    footballers: Sequence[RosteredBody]
    budget: int
    picks: Sequence[PickOwnedBody]


class RostersBody(Body, frozen=True):
    """The rosters of all teams, by number."""

    rosters: Sequence[RosterBody]


class AddNew(Body, frozen=True, forbid_unknown_fields=True):
    """A free agent to add, and the player to drop for them."""

    footballer_id: FootballerId
    drop_id: MaybeFootballerId = None
    token: Token = ""


class DropNew(Body, frozen=True, forbid_unknown_fields=True):
    """A footballer to drop."""

    footballer_id: FootballerId
    token: Token = ""


class SpotNew(Body, frozen=True, forbid_unknown_fields=True):
    """Where to move a footballer on your roster."""

    footballer_id: FootballerId
    spot: SpotName
    token: Token = ""


@draft_operation(
    GET,
    "/api/v1/draft-leagues/{league}/franchises",
    answers={200: FranchisesBody},
    problems={404: NO_LEAGUE},
)
def list_franchises(path: DraftLeaguePath, caller: PlayerCaller | MemberCaller) -> FranchisesBody:
    """List the teams with their owners, waiver priorities and remaining budgets."""
    return franchises_body(opened(path, caller))


@draft_operation(
    GET,
    "/api/v1/draft-leagues/{league}/rosters",
    answers={200: RostersBody},
    problems={404: NO_LEAGUE},
)
def list_rosters(
    path: DraftLeaguePath, query: RostersQuery, caller: PlayerCaller | MemberCaller
) -> RostersBody:
    """List all rosters, now or at an earlier moment."""
    page = opened(path, caller)
    if query.at is UNSET:
        rosters = rosters_of(page.league.id)
    else:
        log = transactions_of(page.league.id, until=_moment(query.at))
        rosters = folded(each.transaction for each in log)
    known = _listed(page, rosters.places)
    return RostersBody([_roster(page, team, rosters, known) for team in page.teams])


@draft_operation(
    POST,
    "/api/v1/draft-leagues/{league}/roster/adds",
    answers={200: RosterBody},
    problems=PROBLEMS,
)
def add_to_roster(
    path: DraftLeaguePath, body: AddNew, caller: PlayerCaller | MemberCaller
) -> RosterBody:
    """Add a free agent to your team. Players on waivers must be claimed instead."""
    page = opened(path, caller)
    wish = Wish(body.footballer_id, body.drop_id)
    or_refused(waivers.add(page.league.id, page.viewer_id, wish, received_at(), body.token))
    return _own_roster(page)


@draft_operation(
    POST,
    "/api/v1/draft-leagues/{league}/roster/drops",
    answers={200: RosterBody},
    problems=PROBLEMS,
)
def drop_from_roster(
    path: DraftLeaguePath, body: DropNew, caller: PlayerCaller | MemberCaller
) -> RosterBody:
    """Drop a footballer from your team."""
    return _act(path, caller, SpotMove(body.footballer_id, None), body.token)


@draft_operation(
    POST,
    "/api/v1/draft-leagues/{league}/roster/moves",
    answers={200: RosterBody},
    problems=PROBLEMS,
)
def move_on_roster(
    path: DraftLeaguePath, body: SpotNew, caller: PlayerCaller | MemberCaller
) -> RosterBody:
    """Move a footballer on your team to injured reserve, to the taxi squad or back.

    Only players whose status says that they will not play can go on injured reserve.
    """
    return _act(path, caller, SpotMove(body.footballer_id, body.spot), body.token)


def franchises_body(page: DraftLeaguePage) -> FranchisesBody:
    """The response for the league's teams."""
    rosters = rosters_of(page.league.id)
    return FranchisesBody(
        [
            FranchiseBody(
                team.number,
                team.name,
                team.member_id,
                team.division,
                team.waiver_priority,
                budget_left(page.draft_league, page.settings, rosters, team.number),
                team.is_locked,
            )
            for team in page.teams
        ]
    )


def _act(
    path: DraftLeaguePath, caller: PlayerCaller | MemberCaller, spot_move: SpotMove, token: str
) -> RosterBody:
    page = opened(path, caller)
    or_refused(services.act(page.league.id, page.viewer_id, spot_move, received_at(), token))
    return _own_roster(page)


def _own_roster(page: DraftLeaguePage) -> RosterBody:
    rosters = rosters_of(page.league.id)
    team = own_team(page)
    return _roster(page, team, rosters, _listed(page, rosters.of(team.number)))


def _listed(page: DraftLeaguePage, footballers: Mapping[str, object]) -> dict[str, Listed]:
    return listed(page.league.season_id, page.settings.scoring, [*footballers])


def _roster(
    page: DraftLeaguePage, team: Team, rosters: Rosters, known: Mapping[str, Listed]
) -> RosterBody:
    return RosterBody(
        team.number,
        [
            RosteredBody(
                footballer,
                known[footballer].name,
                known[footballer].position,
                known[footballer].club_id,
                known[footballer].status,
                place.spot,
            )
            for footballer, place in rosters.of(team.number).items()
            if footballer in known
        ],
        budget_left(page.draft_league, page.settings, rosters, team.number),
        [
            PickOwnedBody(season, round_number, original)
            for (season, round_number, original), owner in sorted(rosters.picks.items())
            if owner == team.number and original != owner
        ],
    )


def _moment(text: str) -> datetime:
    """A moment that has passed. Raises ProblemError 400 for others."""
    try:
        moment = datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        raise fault(
            "query", "at", "invalid", "at: this day does not exist. Check the date."
        ) from None
    if moment > clock.now():
        raise fault("query", "at", "future", "at: this is in the future. Choose an earlier moment.")
    return moment
