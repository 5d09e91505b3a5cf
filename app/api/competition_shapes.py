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
    str, Meta(pattern=NAME, description="Slug or UUID of the competition.", examples=["spring-cup"])
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
    """What to change. A `declaration` replaces the whole one."""

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
    ends_at: Annotated[datetime, Meta(description="The first moment after it.")]
    join_until: Annotated[datetime, Meta(description="When joining ends.")]
    settles_at: Annotated[datetime, Meta(description="When it is settled at the earliest.")]
    final_at: Annotated[
        datetime, Meta(description="Until then it is settled again when scores are corrected.")
    ]
    settled_at: datetime | None
    settlements: Annotated[
        int, Meta(description="How often it was settled; the last one may have changed nothing.")
    ]


class CompetitionWhole(CompetitionBody, frozen=True, kw_only=True):
    """A competition with its declaration and windows; a draft has no windows yet."""

    now: Annotated[datetime, Meta(description="By the server's clock: count down from here.")]
    declaration: Declaration
    windows: Sequence[CompetitionWindowBody]


class CompetitionList(msgspec.Struct, frozen=True):
    """The competitions of a mode, newest first; a mode has 200 at most."""

    competitions: Sequence[CompetitionBody]


class PreviewQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Query parameters of a preview request."""

    windows: Annotated[
        int, Meta(ge=1, le=preview.MOST_WINDOWS, description="How many past windows to include.")
    ] = 4


class TierPreviewBody(msgspec.Struct, frozen=True):
    """A tier in a past window. `absent`: players carried over who had no score."""

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
    players: Annotated[int, Meta(description="How many would have received it.")]
    amounts: Annotated[Mapping[str, int], Meta(description="Of each reward, together.")]


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
    moved: Annotated[int, Meta(description="How many would have moved up or down.")]
    moves: Annotated[
        Sequence[MoveBody], Meta(description="The first 100 of them, by tier, cohort and rank.")
    ]


class PreviewBody(msgspec.Struct, frozen=True):
    """Past windows, oldest first; everybody starts in the lowest tier."""

    windows: Sequence[WindowPreviewBody]
