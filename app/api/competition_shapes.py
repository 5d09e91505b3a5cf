"""Requests and answers about competitions. The declaration is app/competitions/declaration.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.api.shapes import NAME, GameName, ModeName, Slug, Title
from app.competitions import preview
from app.competitions.declaration import Declaration

State = Literal["draft", "live", "ended"]
CompetitionName = Annotated[
    str, Meta(pattern=NAME, description="The competition's slug or UUID.", examples=["spring-cup"])
]


class CompetitionPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a competition."""

    game: GameName
    mode: ModeName
    competition: CompetitionName


class CompetitionNew(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A competition to declare."""

    slug: Slug
    title: Title
    declaration: Declaration


class CompetitionChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to change. A `declaration` replaces the previous one completely."""

    title: Title | UnsetType = UNSET
    declaration: Declaration | UnsetType = UNSET


class CompetitionBody(msgspec.Struct, frozen=True):
    """A competition of a mode."""

    competition_id: UUID
    slug: str
    title: str
    state: State
    created_at: datetime
    live_at: datetime | None
    ended_at: datetime | None


class CompetitionWindowBody(msgspec.Struct, frozen=True):
    """A window of a competition, identified by its `number`."""

    number: int
    starts_at: datetime
    ends_at: Annotated[
        datetime, Meta(description="When the window ends. This moment is no longer part of it.")
    ]
    join_until: Annotated[datetime, Meta(description="The deadline for joining.")]
    settles_at: Annotated[
        datetime, Meta(description="The earliest time at which the window is settled.")
    ]
    final_at: Annotated[
        datetime,
        Meta(description="Until this time, the window is settled again if scores are corrected."),
    ]
    settled_at: datetime | None
    settlements: Annotated[
        int,
        Meta(
            description=(
                "How many times the window has been settled. The latest settlement may "
                "not have changed anything."
            )
        ),
    ]


class CompetitionWhole(CompetitionBody, frozen=True, kw_only=True):
    """A competition with its declaration and windows. A draft has no windows yet."""

    now: Annotated[
        datetime, Meta(description="The server's current time. Use it as the start of countdowns.")
    ]
    declaration: Declaration
    windows: Sequence[CompetitionWindowBody]


class CompetitionList(msgspec.Struct, frozen=True):
    """The competitions of a mode, newest first. A mode has at most 200."""

    competitions: Sequence[CompetitionBody]


class PreviewQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Query parameters of a preview request."""

    windows: Annotated[
        int,
        Meta(ge=1, le=preview.MOST_WINDOWS, description="The number of past windows to include."),
    ] = 4


class TierPreviewBody(msgspec.Struct, frozen=True):
    """A tier in a past window. `absent` counts players carried over who had no score."""

    tier: int
    title: str
    players: int
    cohorts: int
    promoted: int
    relegated: int
    absent: int


class BandPreviewBody(msgspec.Struct, frozen=True):
    """A band of the declaration, counted from 0, in a past window."""

    band: int
    name: str
    players: Annotated[int, Meta(description="How many players would have received it.")]
    amounts: Annotated[Mapping[str, int], Meta(description="The total amount of each reward.")]


class MoveBody(msgspec.Struct, frozen=True):
    """A player who would have moved up or down."""

    player_id: UUID
    tier: int
    cohort: int
    rank: int | None
    outcome: Literal["promoted", "relegated"]


class WindowPreviewBody(msgspec.Struct, frozen=True):
    """How a past window would have been settled."""

    starts_at: datetime
    ends_at: datetime
    players: int
    tiers: Sequence[TierPreviewBody]
    bands: Sequence[BandPreviewBody]
    moved: Annotated[int, Meta(description="How many players would have moved up or down.")]
    moves: Annotated[
        Sequence[MoveBody],
        Meta(description="The first 100 of these players, by tier, cohort and rank."),
    ]


class PreviewBody(msgspec.Struct, frozen=True):
    """Past windows, oldest first. Everyone starts in the lowest tier."""

    windows: Sequence[WindowPreviewBody]
