"""The windows of a mode over the API, with their starts and ends."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.api.leaderboards import PRIVATE, TAG, readable_mode
from app.api.operations import GET, operation
from app.api.reading import fault
from app.api.shapes import ModePath
from app.boards.catalogue.window_list import ListedWindow, listed_windows
from app.boards.models import Mode
from app.boards.windows import rules as windows
from app.boards.windows.rules import KINDS
from app.core import clock

MOST_WINDOWS = 200
Kind = Annotated[
    str,
    Meta(
        pattern=f"^({'|'.join(KINDS)})$",
        description="Return only windows of this kind. Defaults to all kinds.",
    ),
]


class WindowsQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Query parameters of the windows operation."""

    kind: Kind | UnsetType = UNSET
    limit: Annotated[
        int, Meta(ge=1, le=MOST_WINDOWS, description="The maximum number of windows to return.")
    ] = 50
    offset: Annotated[
        int, Meta(ge=0, le=1_000_000, description="The number of windows to skip.")
    ] = 0


class WindowBody(msgspec.Struct, frozen=True):
    """A window of a mode."""

    window_id: str
    kind: str
    alias: Annotated[
        str | None,
        Meta(description="The window's current alias, such as `daily` or `daily:previous`."),
    ]
    starts_at: Annotated[
        datetime | None, Meta(description="When the window starts. Null for all time.")
    ]
    ends_at: Annotated[
        datetime | None,
        Meta(
            description=(
                "When the window ends. This moment is no longer part of it. Null for all time."
            )
        ),
    ]
    state: Annotated[
        Literal["open", "closed", "archived"],
        Meta(
            description=(
                "The window's state. In `closed` windows, only corrections change the "
                "board. `archived` boards no longer change but stay readable."
            )
        ),
    ]
    has_scores: bool
    frozen_at: Annotated[
        datetime | None,
        Meta(
            description=(
                "If the board is frozen, the time whose state is shown. Null if it is live."
            )
        ),
    ]
    archives_at: Annotated[datetime | None, Meta(description="When the board is or was archived.")]


class WindowList(msgspec.Struct, frozen=True):
    """Windows: all time first, then by end, latest first.

    Windows with the same end are ordered by length, the shorter first, then by name.
    """

    now: Annotated[
        datetime, Meta(description="The server's current time. Use it to count down to `ends_at`.")
    ]
    time_zone: Annotated[str, Meta(description="The mode's time zone.")]
    windows: Sequence[WindowBody]


@operation(
    GET,
    "/v1/games/{game}/modes/{mode}/windows",
    tag=TAG,
    answers={200: WindowList},
    problems={404: "There is no such game or mode.", **PRIVATE},
)
def list_windows(path: ModePath, query: WindowsQuery) -> WindowList:
    """List a mode's windows, with their starts and ends.

    The list includes current windows and earlier ones with scores.
    """
    _, mode = readable_mode(path.game, path.mode)
    now = clock.now()
    kinds: Sequence[str] = mode.windows
    if query.kind is not UNSET:
        if query.kind not in mode.windows:
            there = ", ".join(mode.windows)
            raise fault(
                "query",
                "kind",
                "invalid",
                f"kind: {mode.title} has no {query.kind} boards, only {there}.",
            )
        kinds = [query.kind]
    listed = listed_windows(mode, kinds, query.offset, query.limit, now)
    return WindowList(now, mode.time_zone, [_window(mode, window, now) for window in listed])


def _window(mode: Mode, listed: ListedWindow, now: datetime) -> WindowBody:
    window, record = listed.window, listed.record
    is_open = window.ends is None or now < window.ends
    archived = record is not None and record.archived_at is not None
    return WindowBody(
        window_id=window.window_id,
        kind=window.kind,
        alias=windows.alias_of(window, now, mode.calendar),
        starts_at=window.starts,
        ends_at=window.ends,
        state="archived" if archived else "open" if is_open else "closed",
        has_scores=record is not None,
        frozen_at=record.frozen_at if record else None,
        archives_at=(record.archived_at or record.expires_at) if record else None,
    )
