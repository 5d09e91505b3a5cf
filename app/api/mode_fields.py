"""Fields of modes that creating and changing one share, with their bounds and descriptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.api.shapes import EXACT, PLAIN
from app.boards.catalogue.rules import (
    MAX_DECIMALS,
    MAX_SHARDS,
    MAX_SUBSCORE_TITLE,
    MOST_LATE_HOURS,
    MOST_UPDATE_SECONDS,
)
from app.boards.models import Mode
from app.boards.order import Best
from app.boards.rules import Aggregation
from app.boards.windows import custom as custom_windows
from app.boards.windows.custom import Interval
from app.boards.windows.retention import KEEP_DAYS
from app.boards.windows.rules import FIRST_YEAR, KINDS, LAST_YEAR
from app.core.http.problems import Fault, ProblemError

Kind = Annotated[str, Meta(pattern=f"^({'|'.join(KINDS)})$")]
OWN_NAME = r"^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$"
FIXED = "Only before the first score."
TimeZone = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9_+/-]+$",
        max_length=60,
        description="Its windows begin at midnight there, for example Europe/Berlin.",
    ),
]
Decimals = Annotated[
    int, Meta(ge=0, le=MAX_DECIMALS, description="A unit is 10^-decimals of a point.")
]
Kinds = Annotated[
    Sequence[Kind],
    Meta(
        min_length=1,
        max_length=len(KINDS),
        description="Kinds of boards; `custom` are those of `custom_windows`.",
    ),
]
KeepDays = Annotated[
    Mapping[
        Annotated[str, Meta(pattern=f"^({'|'.join(KEEP_DAYS)})$")],
        Annotated[int, Meta(ge=1, le=36500)],
    ],
    Meta(description="Days that a closed window stays before it is archived, by kind."),
]
Shards = Annotated[
    int, Meta(ge=1, le=MAX_SHARDS, description="Parts of a board; 1 up to a million players.")
]
LateHours = Annotated[
    int,
    Meta(
        ge=0,
        le=MOST_LATE_HOURS,
        description=("How many hours old a score from a trusted server (`submit_bulk`) may be."),
    ),
]
UpdateSeconds = Annotated[
    int,
    Meta(
        ge=0,
        le=MOST_UPDATE_SECONDS,
        description=(
            "Seconds between two updates of the boards, for games that send many partial scores; "
            "0 updates them with every score. Scores are stored at once either way."
        ),
    ),
]
OrderField = Annotated[Best, Meta(description="The better of two scores: `lowest` for race times.")]


class Counted(StrEnum):
    """How a player's scores count: the best one, the sum or the latest.

    The best one is `highest`, or `lowest` in a mode in which lower is better.
    """

    HIGHEST = "highest"
    LOWEST = "lowest"
    SUM = "sum"
    LATEST = "latest"


def counted(mode: Mode) -> Counted:
    """The `aggregation` in answers; in a lowest-first mode the best score is the lowest one."""
    is_lowest = mode.aggregation == Aggregation.HIGHEST and mode.order == Best.LOWEST
    return Counted.LOWEST if is_lowest else Counted(mode.aggregation)


def given_fields(body: msgspec.Struct) -> dict[str, Any]:
    """The fields in a body that creates or changes a game or mode, in their stored form.

    Raises ProblemError 400.
    """
    values = {
        name: value for name, value in msgspec.structs.asdict(body).items() if value is not UNSET
    }
    if values.get("aggregation") == Counted.LOWEST:
        _check_order(body)
        values |= {"aggregation": Aggregation.HIGHEST, "order": Best.LOWEST}
    elif "aggregation" in values:
        values["aggregation"] = Aggregation(values["aggregation"])
    if values.get("subscore") is not None:
        values["subscore"] = msgspec.to_builtins(values["subscore"])
    return values


def _check_order(body: msgspec.Struct) -> None:
    """Refuse a change to `lowest` together with the opposite order.

    For a new mode the order follows.
    """
    is_change = (
        next(field for field in msgspec.structs.fields(body) if field.name == "order").default
        is UNSET
    )
    if is_change and getattr(body, "order", UNSET) == Best.HIGHEST:
        text = (
            "aggregation is lowest, but order says the highest score is best. Change one of them."
        )
        raise ProblemError(400, text, [Fault("body", "aggregation", "refused", text)])


class SubscoreBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A second whole number per score, `min` to `max`, that ranks equal scores before ties.

    Score and subscore share the 53 bits of a place on a board. If they do not fit, they are refused
    with the number of bits needed. Not allowed with `sum`.
    """

    min: Annotated[int, Meta(ge=-EXACT, le=EXACT)]
    max: Annotated[int, Meta(ge=-EXACT, le=EXACT)]
    order: Annotated[Best, Meta(description="Which of two subscores is better.")] = Best.HIGHEST
    title: Annotated[
        str,
        Meta(
            pattern=PLAIN,
            min_length=1,
            max_length=MAX_SUBSCORE_TITLE,
            description="Its display name, such as Accuracy.",
        ),
    ] = "Subscore"


TakesMetadata = Annotated[
    bool,
    Meta(
        description=(
            "Whether scores may have `metadata`. If false, it is neither accepted nor shown."
        )
    ),
]
Hidden = Annotated[bool, Meta(description="In no public list, but readable at its address.")]
Private = Annotated[
    bool,
    Meta(
        description=(
            "Only the integrator's keys (`feed:read`) and its players' tokens read the boards."
        )
    ),
]
Archived = Annotated[bool, Meta(description="Accepts no scores; its boards stay readable.")]


class CustomWindow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A window that a mode declares, from `starts_at` to before `ends_at`: 1 minute to 366 days."""

    name: Annotated[
        str,
        Meta(
            pattern=OWN_NAME,
            max_length=40,
            description="1 to 40 lowercase letters, digits and dashes, other than `previous`; its "
            "`window_id` is `custom:` and this.",
            examples=["spring-finals"],
        ),
    ]
    starts_at: Annotated[datetime, Meta(tz=True, description="The first moment of it (RFC 3339).")]
    ends_at: Annotated[datetime, Meta(tz=True, description="The first moment after it.")]


CustomWindows = Annotated[
    list[CustomWindow],
    Meta(
        max_length=custom_windows.MOST,
        description=(
            "Windows of the mode's own, for its kind `custom`: none overlaps another, and there "
            "may be gaps."
        ),
    ),
]

ChangedWindows = Annotated[
    CustomWindows | UnsetType,
    Meta(
        description=(
            "All of them; after the first score, windows that have begun must stay unchanged."
        )
    ),
]


def stored_windows(windows: list[CustomWindow]) -> list[dict[str, str]]:
    """The windows in their stored form.

    Raises ProblemError 400 for a moment that does not exist in every time zone.
    """
    if not all(
        FIRST_YEAR <= at.year <= LAST_YEAR
        for window in windows
        for at in (window.starts_at, window.ends_at)
    ):
        text = f"custom_windows: each must be between {FIRST_YEAR} and {LAST_YEAR}."
        raise ProblemError(400, text, [Fault("body", "custom_windows", "refused", text)])
    return custom_windows.stored(
        [Interval(window.name, window.starts_at, window.ends_at) for window in windows]
    )


def shown_windows(rows: Sequence[Mapping[str, str]]) -> list[CustomWindow]:
    """The custom windows of a mode, by start."""
    return [
        CustomWindow(window.name, window.starts, window.ends)
        for window in custom_windows.loaded(rows)
    ]
