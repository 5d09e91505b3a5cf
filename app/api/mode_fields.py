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
FIXED = "Can be changed only until the first score arrives."
TimeZone = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9_+/-]+$",
        max_length=60,
        description="The time zone in which windows begin at midnight, such as Europe/Berlin.",
    ),
]
Decimals = Annotated[
    int,
    Meta(
        ge=0,
        le=MAX_DECIMALS,
        description="The number of decimals of a point. One unit is 10^-`decimals` points.",
    ),
]
Kinds = Annotated[
    Sequence[Kind],
    Meta(
        min_length=1,
        max_length=len(KINDS),
        description=(
            "The kinds of windows that have boards. `custom` stands for those in `custom_windows`."
        ),
    ),
]
KeepDays = Annotated[
    Mapping[
        Annotated[str, Meta(pattern=f"^({'|'.join(KEEP_DAYS)})$")],
        Annotated[int, Meta(ge=1, le=36500)],
    ],
    Meta(description="How many days closed windows stay before they are archived, by kind."),
]
Shards = Annotated[
    int,
    Meta(
        ge=1,
        le=MAX_SHARDS,
        description="The number of shards per board. 1 is enough for up to a million players.",
    ),
]
LateHours = Annotated[
    int,
    Meta(
        ge=0,
        le=MOST_LATE_HOURS,
        description=("How old, in hours, a score from a trusted server (`submit_bulk`) may be."),
    ),
]
UpdateSeconds = Annotated[
    int,
    Meta(
        ge=0,
        le=MOST_UPDATE_SECONDS,
        description=(
            "The number of seconds between updates of the boards, for games that "
            "send many partial scores. 0 updates them with every score. Scores are "
            "stored right away in either case."
        ),
    ),
]
OrderField = Annotated[
    Best, Meta(description="Which scores are better. Use `lowest` for race times.")
]


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
    """A second whole number per score, from `min` to `max`, that ranks equal scores.

    Score and subscore together have 53 bits. Ranges that do not fit are refused, with the number of
    bits they need. Not allowed with `sum`.
    """

    min: Annotated[int, Meta(ge=-EXACT, le=EXACT)]
    max: Annotated[int, Meta(ge=-EXACT, le=EXACT)]
    order: Annotated[Best, Meta(description="Which subscores are better.")] = Best.HIGHEST
    title: Annotated[
        str,
        Meta(
            pattern=PLAIN,
            min_length=1,
            max_length=MAX_SUBSCORE_TITLE,
            description="The subscore's display name, such as Accuracy.",
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
Hidden = Annotated[
    bool,
    Meta(description="Whether it is hidden from public lists. It can still be read at its URL."),
]
Private = Annotated[
    bool,
    Meta(
        description=(
            "Whether only the integrator's keys (with `feed:read`) and its players' "
            "tokens can read the boards."
        )
    ),
]
Archived = Annotated[
    bool, Meta(description="Whether it no longer accepts scores. Its boards stay readable.")
]


class CustomWindow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mode's custom window, from `starts_at` up to `ends_at`. It lasts 1 minute to 366 days."""

    name: Annotated[
        str,
        Meta(
            pattern=OWN_NAME,
            max_length=40,
            description="1 to 40 lowercase letters, digits and dashes, but not `previous`. The "
            "`window_id` is `custom:` followed by this name.",
            examples=["spring-finals"],
        ),
    ]
    starts_at: Annotated[datetime, Meta(tz=True, description="When the window starts (RFC 3339).")]
    ends_at: Annotated[
        datetime,
        Meta(tz=True, description="When the window ends. This moment is no longer part of it."),
    ]


CustomWindows = Annotated[
    list[CustomWindow],
    Meta(
        max_length=custom_windows.MOST,
        description=(
            "The mode's own windows, for the kind `custom`. They must not overlap, "
            "but there can be gaps between them."
        ),
    ),
]

ChangedWindows = Annotated[
    CustomWindows | UnsetType,
    Meta(
        description=(
            "The complete list of custom windows. After the first score, windows "
            "that have begun must stay unchanged."
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
