"""Running a draft over the API: its clock, corrections, automatic drafting, and mock drafts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, Literal

from msgspec import Meta

from app.accounts.tokens import PlayerCaller
from app.api.draft_leagues.access import member_of, refused_problem
from app.api.draft_leagues.drafts import (
    DRAFT_WRITES,
    NO_DRAFT,
    REFUSED,
    DraftBody,
    DraftPath,
    draft_after,
    draft_body,
    entered,
)
from app.api.draft_leagues.leagues import NO_MEMBER
from app.api.draft_leagues.operations import draft_operation
from app.api.draft_leagues.shapes import FranchiseNumber, Token
from app.api.fantasy.shapes import Body, FootballerId
from app.api.operations import POST, PUT, Limits
from app.api.security import MemberCaller
from app.core import clock
from app.core.http.problems import ProblemError
from app.core.refusals import Refusal
from app.core.serving import received_at
from app.draft_leagues.drafts import founding, queries, services
from app.draft_leagues.drafts.founding import MockWish
from app.draft_leagues.drafts.queries import Room
from app.draft_leagues.drafts.services import Outcome, Submission
from app.fantasy.leagues.rules import TEAM_NAME_MAX

Act = Literal["start", "draw", "pause", "resume", "undo", "finish"]
_ACTS: Mapping[Act, Callable[[Room, Submission], Outcome]] = MappingProxyType(
    {
        "start": services.start,
        "draw": services.draw,
        "pause": services.pause,
        "resume": services.resume,
        "undo": services.undo,
        "finish": services.finish,
    }
)
PROBLEMS = {404: NO_DRAFT, 409: REFUSED}


class DraftControl(Body, frozen=True, forbid_unknown_fields=True):
    """An action that only the commissioner can take."""

    act: Annotated[
        Act,
        Meta(
            description="What to do: `draw` holds the lottery, `undo` undoes the latest pick, "
            "and `finish` ends an offline draft."
        ),
    ]
    token: Token = ""


class DraftAssignment(Body, frozen=True, forbid_unknown_fields=True):
    """A pick that the commissioner makes."""

    footballer_id: FootballerId
    number: (
        Annotated[
            int,
            Meta(
                ge=1,
                le=100_000,
                description="The number of the pick to replace. Null means the pick on the clock.",
                examples=[14],
            ),
        ]
        | None
    ) = None
    token: Token = ""


class AutopilotNew(Body, frozen=True, forbid_unknown_fields=True):
    """Whether a team is on autopilot."""

    is_on: bool
    franchise: Annotated[
        FranchiseNumber | None,
        Meta(description="The team. Null means your own; commissioners can choose another one."),
    ] = None
    token: Token = ""


class MockDraftNew(Body, frozen=True, forbid_unknown_fields=True):
    """A mock draft against bots."""

    preset: Literal["redraft", "dynasty", "two-quarterback", "idp", "best-ball"] = "redraft"
    seat: Annotated[
        int, Meta(ge=1, le=32, description="Your draft position in the first round.", examples=[4])
    ] = 1
    team_name: Annotated[str, Meta(min_length=1, max_length=TEAM_NAME_MAX, examples=["Ann FC"])] = (
        "My team"
    )


@draft_operation(
    POST,
    "/api/v1/drafts/{draft}/controls",
    answers={200: DraftBody},
    problems=PROBLEMS,
    limits=DRAFT_WRITES,
)
def control_draft(
    path: DraftPath, body: DraftControl, caller: PlayerCaller | MemberCaller
) -> DraftBody:
    """Start, pause, resume, undo or finish a draft, or hold its lottery, as the commissioner."""
    room = entered(path, caller)
    return draft_after(room, _ACTS[body.act](room, Submission(received_at(), body.token)))


@draft_operation(
    POST,
    "/api/v1/drafts/{draft}/assignments",
    answers={200: DraftBody},
    problems=PROBLEMS,
    limits=DRAFT_WRITES,
)
def assign_in_draft(
    path: DraftPath, body: DraftAssignment, caller: PlayerCaller | MemberCaller
) -> DraftBody:
    """Make the pick on the clock, or replace an earlier pick, as the commissioner."""
    room = entered(path, caller)
    submission = Submission(received_at(), body.token)
    if body.number is None:
        return draft_after(room, services.pick_for(room, body.footballer_id, submission))
    return draft_after(room, services.replace(room, body.number, body.footballer_id, submission))


@draft_operation(
    PUT,
    "/api/v1/drafts/{draft}/autopilot",
    answers={200: DraftBody},
    problems=PROBLEMS,
    limits=DRAFT_WRITES,
)
def put_draft_autopilot(
    path: DraftPath, body: AutopilotNew, caller: PlayerCaller | MemberCaller
) -> DraftBody:
    """Turn a team's autopilot on or off."""
    room = entered(path, caller)
    franchise = body.franchise or room.franchise or 0
    submission = Submission(received_at(), body.token)
    return draft_after(
        room, services.set_autopilot(room, franchise, is_on=body.is_on, submission=submission)
    )


@draft_operation(
    POST,
    "/api/v1/mock-drafts",
    answers={201: DraftBody},
    problems={409: ("There is no such draft position, or there are no footballers to draft yet.")},
    limits=Limits("20 per hour"),
)
def start_mock_draft(body: MockDraftNew, caller: PlayerCaller | MemberCaller) -> DraftBody:
    """Start a mock draft against bots."""
    member_id = member_of(caller)
    if member_id is None:
        raise ProblemError(403, NO_MEMBER)
    wish = MockWish(body.preset, body.seat, body.team_name)
    started = founding.start_mock(member_id, wish, clock.now())
    if isinstance(started, Refusal):
        raise refused_problem([started])
    room = queries.load_room(started, member_id)
    assert room is not None  # just started, and their own
    return draft_body(room)
