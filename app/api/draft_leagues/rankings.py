"""Footballers by projected points for a draft league, and members' own orders of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.accounts.tokens import PlayerCaller
from app.api.draft_leagues.access import opened
from app.api.draft_leagues.operations import draft_operation
from app.api.draft_leagues.shapes import NO_LEAGUE, DraftLeaguePath
from app.api.fantasy.shapes import (
    Body,
    FootballerId,
    Limit,
    Offset,
    Points,
    milli,
    next_offset,
)
from app.api.operations import DELETE, GET, PUT
from app.api.security import MemberCaller
from app.core import clock
from app.draft_leagues.pages.loading import DraftLeaguePage
from app.draft_leagues.rankings import queries, services
from app.draft_leagues.rankings.page import Order, chosen_ids, load_order
from app.draft_leagues.rankings.queries import ListOwner
from app.draft_leagues.settings import SlotName
from app.draft_leagues.waivers.queries import Availability, availability
from app.fantasy.rosters.queries import rosters_of

MOST_LISTED = 1_000


class RankingsQuery(msgspec.Struct, frozen=True):
    """Query parameters of the rankings."""

    search: Annotated[
        str,
        Meta(
            pattern=r"^[^\x00-\x1f\x7f]{0,60}$",
            description="Part of the player's name.",
            examples=["Rivera"],
        ),
    ] = ""
    position: (
        Annotated[
            SlotName,
            Meta(description="Return only players eligible for this slot, such as `QB` or `FLEX`."),
        ]
        | UnsetType
    ) = UNSET
    free: Annotated[bool, Meta(description="Return only free agents.")] = False
    limit: Limit = 50
    offset: Offset = 0


class RankedBody(Body, frozen=True):
    """A footballer of the ranking."""

    place: Annotated[int, Meta(description="The rank in the caller's own order, starting at 1.")]
    footballer_id: str
    name: str
    position: str
    position_rank: Annotated[int, Meta(description="The rank among players at this position.")]
    club: str
    status: Annotated[
        str, Meta(description="The player's status, such as `available`, `injured` or `suspended`.")
    ]
    news: str
    tier: int
    points: Annotated[Points, Meta(description="Projected points for the rest of the season.")]
    per_game: Points
    bye_week: Annotated[
        int | None,
        Meta(description="The player's bye week. Null if the schedule does not have one."),
    ]
    franchise: Annotated[
        int | None, Meta(description="The team that has the player. Null for free agents.")
    ]
    is_free: Annotated[bool, Meta(description="Whether the player can be added right away.")]
    clears_at: Annotated[
        datetime | None,
        Meta(
            description=(
                "If the player is on waivers, the time of the run that decides the claims."
            )
        ),
    ]
    playing_until: Annotated[
        datetime | None,
        Meta(
            description="If the player's game is in progress, the latest time at which the "
            "player can be added again."
        ),
    ]


class RankingsBody(Body, frozen=True):
    """Footballers in the caller's order: their own list, then the league's list, then by value."""

    made_at: Annotated[datetime, Meta(description="When the rankings were computed.")]
    footballers: Sequence[RankedBody]
    next_offset: Annotated[
        int | None, Meta(description="The cursor of the next page. Null on the last page.")
    ]


class OwnListBody(Body, frozen=True):
    """The caller's own list, which comes first in their order."""

    footballer_ids: Sequence[str]
    source: Annotated[
        str, Meta(description="The file from which the list was imported. Empty if there was none.")
    ]
    changed_at: Annotated[
        datetime | None,
        Meta(description="When the list was last changed. Null if there is no list."),
    ]


class OwnListNew(Body, frozen=True, forbid_unknown_fields=True):
    """The caller's complete list, best first. All other footballers follow by value.

    Footballers who are not in the ranking are left out.
    """

    footballer_ids: Annotated[list[FootballerId], Meta(max_length=MOST_LISTED)]


@draft_operation(
    GET,
    "/api/v1/draft-leagues/{league}/rankings",
    answers={200: RankingsBody},
    problems={404: NO_LEAGUE},
)
def list_rankings(
    path: DraftLeaguePath, query: RankingsQuery, caller: PlayerCaller | MemberCaller
) -> RankingsBody:
    """List footballers in the caller's order, with projections, bye weeks and teams."""
    page = opened(path, caller)
    order = _order(page)
    places = {footballer: place for place, footballer in enumerate(order.ids, start=1)}
    owned = {who: each.franchise for who, each in rosters_of(page.league.id).places.items()}
    chosen = chosen_ids(order, query.search, query.position or "")
    if query.free:
        chosen = [each for each in chosen if each not in owned]
    listed_ids = chosen[query.offset : query.offset + query.limit]
    unowned = [each for each in listed_ids if each not in owned]
    states = availability(page.league, page.settings, unowned, clock.now())
    return RankingsBody(
        order.made_at,
        [_ranked(order, who, places[who], owned.get(who), states) for who in listed_ids],
        next_offset(query.offset, len(listed_ids), len(chosen) > query.offset + query.limit),
    )


@draft_operation(
    GET,
    "/api/v1/draft-leagues/{league}/own-ranking",
    answers={200: OwnListBody},
    problems={404: NO_LEAGUE},
)
def get_own_ranking(path: DraftLeaguePath, caller: PlayerCaller | MemberCaller) -> OwnListBody:
    """Read your own list."""
    return _own_list(_owner(opened(path, caller)))


@draft_operation(
    PUT,
    "/api/v1/draft-leagues/{league}/own-ranking",
    answers={200: OwnListBody},
    problems={404: NO_LEAGUE},
)
def put_own_ranking(
    path: DraftLeaguePath, body: OwnListNew, caller: PlayerCaller | MemberCaller
) -> OwnListBody:
    """Replace your own list. Auto-picks in a draft follow it."""
    page = opened(path, caller)
    owner = _owner(page)
    known = _order(page).footballers
    ids = [each for each in dict.fromkeys(body.footballer_ids) if each in known]
    before = queries.list_of(owner)
    projections = before.projections if before is not None else {}
    services.replace_list(owner, ids, projections, "", clock.now())
    return _own_list(owner)


@draft_operation(
    DELETE,
    "/api/v1/draft-leagues/{league}/own-ranking",
    answers={204: None},
    problems={404: NO_LEAGUE},
)
def delete_own_ranking(
    path: DraftLeaguePath, caller: PlayerCaller | MemberCaller
) -> tuple[int, None]:
    """Delete your own list and go back to the league's rankings."""
    services.forget_list(_owner(opened(path, caller)))
    return 204, None


def _owner(page: DraftLeaguePage) -> ListOwner:
    return ListOwner(page.league.id, page.viewer_id)


def _order(page: DraftLeaguePage) -> Order:
    return load_order(_owner(page), page.league.season_id, page.settings, clock.now())


def _own_list(owner: ListOwner) -> OwnListBody:
    row = queries.list_of(owner)
    if row is None:
        return OwnListBody([], "", None)
    return OwnListBody(row.footballer_ids, row.source, row.changed_at)


def _ranked(
    order: Order,
    footballer: str,
    place: int,
    franchise: int | None,
    states: Mapping[str, Availability],
) -> RankedBody:
    listed = order.footballers[footballer]
    ranked = listed.ranked
    state = states.get(footballer)
    return RankedBody(
        place=place,
        footballer_id=footballer,
        name=listed.name,
        position=listed.position,
        position_rank=ranked.position_rank,
        club=listed.club_id,
        status=listed.status,
        news=listed.news,
        tier=ranked.tier,
        points=milli(order.points.get(footballer, ranked.points)),
        per_game=milli(ranked.per_game),
        bye_week=ranked.bye_week,
        franchise=franchise,
        is_free=state is not None and state.is_free,
        clears_at=state.clears_at if state is not None else None,
        playing_until=state.playing_until if state is not None else None,
    )
