"""The trade block: footballers whom teams would trade."""

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
    Text,
)
from app.api.fantasy.shapes import Body, FootballerId, LeagueSlug
from app.api.operations import DELETE, GET, PUT
from app.api.security import MemberCaller
from app.core.serving import received_at
from app.draft_leagues.pages.loading import DraftLeaguePage
from app.draft_leagues.trades import block
from app.draft_leagues.trades.desk import Actor
from app.draft_leagues.trades.queries import trade_block
from app.fantasy.rosters.queries import names_of


class BlockPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on an entry of the trade block."""

    league: LeagueSlug
    footballer_id: FootballerId


class BlockEntryBody(Body, frozen=True):
    """A footballer whom the team would trade."""

    franchise: int
    footballer_id: str
    name: str
    note: str
    listed_at: datetime


class BlockBody(Body, frozen=True):
    """The trade block by team, newest entries first."""

    entries: Sequence[BlockEntryBody]


class BlockEntryNew(Body, frozen=True, forbid_unknown_fields=True):
    """A note about a footballer on the trade block."""

    note: Annotated[
        str,
        Meta(
            pattern=Text,
            max_length=block.LONGEST_NOTE,
            description="What the team is looking for.",
            examples=["Looking for a tight end."],
        ),
    ] = ""


@draft_operation(
    GET,
    "/api/v1/draft-leagues/{league}/trade-block",
    answers={200: BlockBody},
    problems={404: NO_LEAGUE},
)
def get_trade_block(path: DraftLeaguePath, caller: PlayerCaller | MemberCaller) -> BlockBody:
    """Read the league's trade block."""
    return _block(opened(path, caller))


@draft_operation(
    PUT,
    "/api/v1/draft-leagues/{league}/trade-block/{footballer_id}",
    answers={200: BlockBody},
    problems=PROBLEMS,
)
def put_on_trade_block(
    path: BlockPath, body: BlockEntryNew, caller: PlayerCaller | MemberCaller
) -> BlockBody:
    """Put a footballer on your team on the trade block. A repeated request changes the note."""
    page = opened(DraftLeaguePath(path.league), caller)
    actor = Actor(page.viewer_id)
    or_refused(block.put(page.league.id, actor, path.footballer_id, body.note, received_at()))
    return _block(page)


@draft_operation(
    DELETE,
    "/api/v1/draft-leagues/{league}/trade-block/{footballer_id}",
    answers={200: BlockBody},
    problems=PROBLEMS,
)
def take_off_trade_block(path: BlockPath, caller: PlayerCaller | MemberCaller) -> BlockBody:
    """Take a footballer off the trade block. A repeated request changes nothing."""
    page = opened(DraftLeaguePath(path.league), caller)
    actor = Actor(page.viewer_id)
    or_refused(block.take_off(page.league.id, actor, path.footballer_id, received_at()))
    return _block(page)


def _block(page: DraftLeaguePage) -> BlockBody:
    rows = trade_block(page.league.id)
    names = names_of(row.footballer_id for row in rows)
    return BlockBody(
        [
            BlockEntryBody(
                row.franchise, row.footballer_id, names[row.footballer_id], row.note, row.listed_at
            )
            for row in rows
        ]
    )
