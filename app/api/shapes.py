"""Fields that operations share: names, ids, texts. Their bounds are defined here only."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import Meta

from app.boards.windows.rules import HOURS
from app.scores.anticheat.submission import Limits

NAME = r"^([a-z0-9]([a-z0-9-]{0,58}[a-z0-9])?|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$"
SLUG = r"^[a-z0-9]([a-z0-9-]{0,58}[a-z0-9])?$"
# No control characters, no space at the ends. U+0085 is a space in Python's regular expressions,
# but not in JavaScript's.
PLAIN = r"^[^\s\x00-\x1f\x7f\x85]([^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f\x85])?$"
_HOURS = "|".join(HOURS)
_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_WINDOWS = (
    rf"all-time|({_HOURS}):{_DAY}T[0-9]{{2}}|daily:{_DAY}|weekly:[0-9]{{4}}-W[0-9]{{2}}|monthly:[0-9]{{4}}-[0-9]{{2}}"
    r"|custom:[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?"
)
WINDOW = rf"^({_WINDOWS})$"
WINDOW_OR_ALIAS = rf"^({_WINDOWS}|({_HOURS}|daily|weekly|monthly|custom)(:previous)?)$"
EXACT = 2**53 - 1

GameName = Annotated[
    str, Meta(pattern=NAME, description="The game's slug or UUID.", examples=["dice-duel"])
]
ModeName = Annotated[
    str, Meta(pattern=NAME, description="The mode's slug or UUID.", examples=["ranked"])
]
Slug = Annotated[
    str,
    Meta(
        pattern=SLUG,
        max_length=60,
        description=(
            "1 to 60 lowercase letters, digits and dashes, with a letter or digit at both "
            "ends. UUIDs are not allowed."
        ),
        examples=["dice-duel"],
    ),
]
Title = Annotated[
    str,
    Meta(
        pattern=PLAIN,
        min_length=1,
        max_length=80,
        description=(
            "1 to 80 visible characters, with at least one letter or digit. It must not "
            "look like a staff name."
        ),
    ),
]
DisplayName = Annotated[
    str,
    Meta(
        pattern=PLAIN,
        min_length=1,
        max_length=32,
        description="Shown on boards: 1 to 32 visible characters, with at least one letter or "
        "digit. Names that could be mistaken for a staff member's are refused.",
    ),
]
PlayerId = Annotated[UUID, Meta(description="The player's UUID.")]
WindowId = Annotated[
    str,
    Meta(
        pattern=WINDOW,
        description="The window in the mode's calendar: `daily:2026-04-05`, "
        "`weekly:2026-W14`, `monthly:2026-04`, `6-hourly:2026-04-05T12`, "
        "`custom:spring-finals` or `all-time`.",
        examples=["daily:2026-04-05"],
    ),
]
WindowName = Annotated[
    str,
    Meta(
        pattern=WINDOW_OR_ALIAS,
        description="A `window_id`, or an alias for the current window (`hourly`, `daily`, "
        "`weekly`, `custom`) or the previous one (`daily:previous`). Responses "
        "contain the actual `window_id`.",
        examples=["daily"],
    ),
]
# As text, because a number would be accepted as a moment otherwise.
Moment = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})$",
        description=("A time in RFC 3339 format, from 1970 to now. In a URL, write `+` as `%2B`."),
        examples=["2026-04-05T20:00:00Z"],
        extra_json_schema={"format": "date-time"},
    ),
]
Units = Annotated[int, Meta(ge=-EXACT, le=EXACT)]
# Exact, and a number in JSON; a double would lose the last digits of a large score with decimals.
Points = Decimal


def points(score: int, decimals: int) -> Decimal:
    """A score in points.

    >>> points(984200, 0), points(-5, 2)
    (Decimal('984200'), Decimal('-0.05'))
    """
    return Decimal(score).scaleb(-decimals)


Metadata = Annotated[
    dict[str, Any],
    Meta(
        description="The game's own JSON object about the score, at most 1,024 bytes and "
        "four levels deep. It is returned with the score that counts and not "
        "used otherwise. Anyone who can read the board can see it, so it must "
        "not contain personal data."
    ),
]


class LimitsBody(msgspec.Struct, frozen=True):
    """A mode's limits for a player's scores within a minute and an hour.

    Scores above them are held for review. `reach` says how far above the median a score is held, as
    a multiple of the distance from the median to the 95th percentile.
    """

    per_minute: int
    per_hour: int
    reach: int


def limits_body(limits: Limits) -> LimitsBody:
    """Build the response for a mode's limits."""
    return LimitsBody(limits.per_minute, limits.per_hour, limits.reach)


class GamePath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a game."""

    game: GameName


class ModePath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a mode."""

    game: GameName
    mode: ModeName


class BoardPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a board."""

    game: GameName
    mode: ModeName
    window: WindowName


class PlayerPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a player."""

    game: GameName
    mode: ModeName
    window: WindowName
    player_id: PlayerId
