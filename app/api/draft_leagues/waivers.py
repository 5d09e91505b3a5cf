"""A team's own waiver claims: placing, ordering and withdrawing them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from app.accounts.tokens import PlayerCaller
from app.api.draft_leagues.access import opened, or_refused
from app.api.draft_leagues.operations import draft_operation
from app.api.draft_leagues.shapes import (
    NO_LEAGUE,
    PROBLEMS,
    DraftLeaguePath,
    MaybeFootballerId,
    Row,
)
from app.api.fantasy.shapes import Body, FootballerId, LeagueSlug
from app.api.operations import DELETE, GET, POST, PUT
from app.api.security import MemberCaller
from app.core.serving import received_at
from app.draft_leagues.pages.loading import DraftLeaguePage
from app.draft_leagues.waivers import services
from app.draft_leagues.waivers.queries import open_claims
from app.draft_leagues.waivers.services import MOST_CLAIMS, Wish
from app.fantasy.rosters.queries import names_of

CLAIM_FIELDS = {"claim": ""}


class ClaimPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a claim."""

    league: LeagueSlug
    claim: Annotated[Row, Meta(description="The claim's number.")]


class ClaimBody(Body, frozen=True):
    """An open claim of the caller's team."""

    claim: Annotated[int, Meta(description="The claim's number.")]
    position: Annotated[
        int, Meta(description="The claim's position among the team's claims, starting at 1.")
    ]
    footballer_id: str
    name: str
    drop_id: Annotated[
        str | None, Meta(description="The player to drop if the claim wins. Null means no one.")
    ]
    bid: int
    group: Annotated[
        int | None,
        Meta(
            description=(
                "The claim's group. Of the claims in one group, only the first one that "
                "wins counts."
            )
        ),
    ]
    placed_at: datetime


class ClaimsBody(Body, frozen=True):
    """The open claims of the caller's team, in its order."""

    claims: Sequence[ClaimBody]


class ClaimNew(Body, frozen=True, forbid_unknown_fields=True):
    """A footballer to claim, and the player to drop for them."""

    footballer_id: FootballerId
    drop_id: MaybeFootballerId = None
    bid: Annotated[
        int,
        Meta(
            ge=0,
            le=10_000,
            description="The bid. Only used in leagues with blind bids.",
            examples=[12],
        ),
    ] = 0
    group: Annotated[int, Meta(ge=1, le=100, examples=[1])] | None = None


class ClaimPositionNew(Body, frozen=True, forbid_unknown_fields=True):
    """Where a claim goes among the team's claims."""

    position: Annotated[
        int,
        Meta(
            ge=1,
            le=MOST_CLAIMS,
            description="The new position, starting at 1. A number that is too high means last.",
            examples=[1],
        ),
    ]


@draft_operation(
    GET,
    "/api/v1/draft-leagues/{league}/claims",
    answers={200: ClaimsBody},
    problems={404: NO_LEAGUE},
)
def list_claims(path: DraftLeaguePath, caller: PlayerCaller | MemberCaller) -> ClaimsBody:
    """List your team's open claims. No one else sees them before the run."""
    return _claims(opened(path, caller))


@draft_operation(
    POST,
    "/api/v1/draft-leagues/{league}/claims",
    answers={200: ClaimsBody},
    problems=PROBLEMS,
)
def place_claim(
    path: DraftLeaguePath, body: ClaimNew, caller: PlayerCaller | MemberCaller
) -> ClaimsBody:
    """Claim a footballer who is on waivers.

    Claiming the same footballer with the same drop again changes the bid and group of that claim.
    """
    page = opened(path, caller)
    wish = Wish(body.footballer_id, body.drop_id, body.bid, body.group)
    or_refused(services.claim(page.league.id, page.viewer_id, wish, received_at()))
    return _claims(page)


@draft_operation(
    PUT,
    "/api/v1/draft-leagues/{league}/claims/{claim}/position",
    answers={200: ClaimsBody},
    problems=PROBLEMS,
)
def reorder_claim(
    path: ClaimPath, body: ClaimPositionNew, caller: PlayerCaller | MemberCaller
) -> ClaimsBody:
    """Move a claim up or down among your team's claims."""
    page = opened(DraftLeaguePath(path.league), caller)
    refused = services.reorder(
        page.league.id, page.viewer_id, path.claim, body.position, received_at()
    )
    or_refused(refused, CLAIM_FIELDS)
    return _claims(page)


@draft_operation(
    DELETE,
    "/api/v1/draft-leagues/{league}/claims/{claim}",
    answers={200: ClaimsBody},
    problems=PROBLEMS,
)
def withdraw_claim(path: ClaimPath, caller: PlayerCaller | MemberCaller) -> ClaimsBody:
    """Withdraw an open claim."""
    page = opened(DraftLeaguePath(path.league), caller)
    or_refused(
        services.cancel(page.league.id, page.viewer_id, path.claim, received_at()), CLAIM_FIELDS
    )
    return _claims(page)


def _claims(page: DraftLeaguePage) -> ClaimsBody:
    rows = open_claims(page.league.id, page.mine.number) if page.mine is not None else []
    names = names_of(row.footballer_id for row in rows)
    return ClaimsBody(
        [
            ClaimBody(
                row.id,
                row.position,
                row.footballer_id,
                names[row.footballer_id],
                row.drop_id,
                row.bid,
                row.claim_group,
                row.placed_at,
            )
            for row in rows
        ]
    )
