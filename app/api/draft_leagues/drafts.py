"""Drafts over the API: the state of a draft, picks, bids and the own queue."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

import msgspec
from flask import current_app
from msgspec import Meta

from app.accounts.tokens import PlayerCaller
from app.api.draft_leagues.access import member_of, refused_problem
from app.api.draft_leagues.operations import draft_operation
from app.api.draft_leagues.shapes import Token
from app.api.fantasy.shapes import Body, FootballerId, Points, milli
from app.api.operations import GET, POST, PUT, Limits
from app.api.security import MemberCaller
from app.api.shapes import EXACT
from app.core.http.problems import ProblemError
from app.core.refusals import Refusal
from app.core.serving import received_at
from app.draft_leagues.drafts import page, queries, services
from app.draft_leagues.drafts.hub import HUB
from app.draft_leagues.drafts.queries import Room, Snapshot
from app.draft_leagues.drafts.services import Outcome, Submission

NO_DRAFT = "There is no such draft, or it belongs to another league."
REFUSED = "The draft does not allow this now. `errors` says why and what to do."
DRAFT_WRITES = Limits("120 per minute")  # picks and bids follow each other fast

DraftId = Annotated[
    int, Meta(ge=1, le=EXACT, description="The draft's number, as in its URL.", examples=[1])
]
Expected = (
    Annotated[
        int,
        Meta(
            ge=1,
            le=100_000,
            description=(
                "The value of `expected` in the draft you last read. The request is "
                "refused if the draft has moved on."
            ),
            examples=[31],
        ),
    ]
    | None
)
FranchiseNumber = Annotated[int, Meta(description="A team's number in the draft.")]


class DraftPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a draft."""

    draft: DraftId


class SeatBody(Body, frozen=True):
    """A team at the draft."""

    franchise: FranchiseNumber
    name: str
    footballers: Annotated[
        Sequence[str],
        Meta(description="The IDs of the team's players, in the order they were picked."),
    ]
    open_places: int
    budget: Annotated[
        int | None,
        Meta(description="The budget the team has left. Null if the draft is not an auction."),
    ]
    is_automatic: Annotated[bool, Meta(description="Whether the team is on autopilot.")]


class PickBody(Body, frozen=True):
    """A pick that was made."""

    number: int
    round: int
    franchise: FranchiseNumber
    footballer_id: str
    price: Annotated[
        int | None, Meta(description="The price paid. Null if the draft is not an auction.")
    ]
    picked_at: Annotated[
        datetime | None, Meta(description="When the pick was made. Null for keepers.")
    ]


class LeftBody(Body, frozen=True):
    """A footballer who can be drafted."""

    footballer_id: str
    name: str
    position: str
    rank: int
    tier: int
    points: Annotated[Points, Meta(description="Projected points for the season.")]


class LotBody(Body, frozen=True):
    """The footballer who is up for auction."""

    footballer_id: str
    leader: FranchiseNumber
    price: int


class DraftBody(Body, frozen=True):
    """The current state of a draft."""

    draft: int
    name: str
    status: Annotated[
        str, Meta(description="The draft's status: `waiting`, `running`, `paused` or `completed`.")
    ]
    version: Annotated[int, Meta(description="Increases with every change to the draft.")]
    my_franchise: Annotated[int | None, Meta(description="The caller's team. Null for spectators.")]
    on_turn: Annotated[
        int | None,
        Meta(description="The team that picks or nominates now. Null if it is no one's turn."),
    ]
    expected: Annotated[int, Meta(description="The number of the next pick or sale.")]
    deadline: Annotated[datetime | None, Meta(description="When the current clock runs out.")]
    lot: LotBody | None
    franchises: Sequence[SeatBody]
    picks: Sequence[PickBody]
    queue: Annotated[Sequence[str], Meta(description="The caller's own queue, in order.")]
    best_left: Annotated[
        Sequence[LeftBody], Meta(description="The best available players, by value.")
    ]


class DraftPickNew(Body, frozen=True, forbid_unknown_fields=True):
    """A pick. In an auction it is a nomination, with a secret maximum for the opening bid."""

    footballer_id: FootballerId
    token: Token = ""
    expected: Expected = None
    maximum: Annotated[int, Meta(ge=1, le=10_000, examples=[25])] = 1


class DraftBidNew(Body, frozen=True, forbid_unknown_fields=True):
    """A bid up to a secret maximum."""

    maximum: Annotated[int, Meta(ge=1, le=10_000, examples=[25])]
    token: Token = ""
    expected: Expected = None


class DraftQueueNew(Body, frozen=True, forbid_unknown_fields=True):
    """The complete queue. Footballers who are already taken are left out."""

    footballer_ids: Annotated[list[FootballerId], Meta(max_length=services.MOST_QUEUED)]


@draft_operation(
    GET,
    "/api/v1/drafts/{draft}",
    answers={200: DraftBody},
    problems={404: NO_DRAFT},
)
def get_draft(path: DraftPath, caller: PlayerCaller | MemberCaller) -> DraftBody:
    """Read a draft: whose turn it is, every pick, and the best available players."""
    return draft_body(entered(path, caller))


@draft_operation(
    POST,
    "/api/v1/drafts/{draft}/picks",
    answers={200: DraftBody},
    problems={404: NO_DRAFT, 409: REFUSED},
    limits=DRAFT_WRITES,
)
def pick_in_draft(
    path: DraftPath, body: DraftPickNew, caller: PlayerCaller | MemberCaller
) -> DraftBody:
    """Pick a footballer, or nominate one in an auction.

    A pick counts if the server received it before the clock ran out.
    """
    room = entered(path, caller)
    submission = Submission(received_at(), body.token, body.expected)
    if queries.load_snapshot(room.draft_id).draft.plan.is_auction:
        return draft_after(
            room, services.nominate(room, body.footballer_id, body.maximum, submission)
        )
    return draft_after(room, services.pick(room, body.footballer_id, submission))


@draft_operation(
    POST,
    "/api/v1/drafts/{draft}/bids",
    answers={200: DraftBody},
    problems={404: NO_DRAFT, 409: REFUSED},
    limits=DRAFT_WRITES,
)
def bid_in_draft(
    path: DraftPath, body: DraftBidNew, caller: PlayerCaller | MemberCaller
) -> DraftBody:
    """Bid for the footballer who is up for auction.

    The highest maximum wins, at one unit more than the second highest.
    """
    room = entered(path, caller)
    submission = Submission(received_at(), body.token, body.expected)
    return draft_after(room, services.bid(room, body.maximum, submission))


@draft_operation(
    PUT,
    "/api/v1/drafts/{draft}/queue",
    answers={200: DraftBody},
    problems={404: NO_DRAFT, 409: REFUSED},
    limits=DRAFT_WRITES,
)
def put_draft_queue(
    path: DraftPath, body: DraftQueueNew, caller: PlayerCaller | MemberCaller
) -> DraftBody:
    """Replace your queue. If your clock runs out, the first available player in it is picked."""
    room = entered(path, caller)
    return draft_after(room, services.set_queue(room, body.footballer_ids, received_at()))


def entered(path: DraftPath, caller: PlayerCaller | MemberCaller) -> Room:
    """The draft for somebody who may see it. Raises ProblemError 404 for others."""
    member_id = member_of(caller)
    room = queries.load_room(path.draft, member_id) if member_id is not None else None
    if room is None:
        raise ProblemError(404, NO_DRAFT)
    return room


def draft_after(room: Room, outcome: Outcome) -> DraftBody:
    """The draft after an act. Raises ProblemError 409 if the act was refused."""
    if isinstance(outcome, Refusal):
        raise refused_problem([outcome])
    current_app.extensions[HUB].wake()
    return draft_body(room)


def draft_body(room: Room) -> DraftBody:
    """The response for a draft."""
    snapshot = queries.load_snapshot(room.draft_id)
    draft = snapshot.draft
    lot = draft.lot
    queue = queries.queue_of(room.draft_id, room.franchise) if room.franchise else []
    return DraftBody(
        draft=room.draft_id,
        name=room.name,
        status=draft.status,
        version=draft.version,
        my_franchise=room.franchise,
        on_turn=draft.on_turn,
        expected=draft.expected,
        deadline=draft.deadline,
        lot=LotBody(lot.footballer_id, lot.standing.leader, lot.standing.price) if lot else None,
        franchises=[_seat(snapshot, franchise) for franchise in draft.plan.order],
        picks=[
            PickBody(
                pick.number,
                pick.round,
                pick.franchise,
                pick.footballer_id,
                pick.price if draft.plan.is_auction else None,
                pick.at,
            )
            for pick in draft.picks.values()
        ],
        queue=[footballer.id for footballer in page.queued(snapshot, queue)],
        best_left=[
            LeftBody(
                footballer.id,
                footballer.name,
                footballer.position,
                footballer.rank,
                footballer.tier,
                milli(footballer.points),
            )
            for footballer in page.footballers_left(snapshot, page.ListFilter())
        ],
    )


def _seat(snapshot: Snapshot, franchise: int) -> SeatBody:
    draft = snapshot.draft
    return SeatBody(
        franchise,
        snapshot.name_of(franchise),
        draft.footballers_of(franchise),
        page.picks_left(draft, franchise),
        draft.budget(franchise) if draft.plan.is_auction else None,
        franchise in draft.autopilots,
    )
