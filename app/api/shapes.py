"""Fields that operations share: names, ids, texts. Bounds are said once, here, and so checked and documented."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta

NAME = r"^([a-z0-9]([a-z0-9-]{0,58}[a-z0-9])?|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$"
SLUG = r"^[a-z0-9]([a-z0-9-]{0,58}[a-z0-9])?$"
PLAIN = r"^[^\s\x00-\x1f\x7f]([^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f])?$"  # no control characters, no space at the ends
WINDOW = r"^(all-time|daily:[0-9]{4}-[0-9]{2}-[0-9]{2}|weekly:[0-9]{4}-W[0-9]{2}|monthly:[0-9]{4}-[0-9]{2})$"
EXACT = 2**53 - 1

GameName = Annotated[str, Meta(pattern=NAME, description="Slug or UUID of the game.", examples=["dice-duel"])]
ModeName = Annotated[str, Meta(pattern=NAME, description="Slug or UUID of the mode.", examples=["ranked"])]
Slug = Annotated[
    str,
    Meta(
        pattern=SLUG,
        max_length=60,
        description="1 to 60 small letters, digits and dashes, a letter or digit at both ends; no UUID.",
        examples=["dice-duel"],
    ),
]
Title = Annotated[str, Meta(pattern=PLAIN, min_length=1, max_length=80, description="1 to 80 characters.")]
DisplayName = Annotated[
    str, Meta(pattern=PLAIN, min_length=1, max_length=32, description="As boards show the player, 1 to 32 characters.")
]
PlayerId = Annotated[UUID, Meta(description="The player's UUID.")]
WindowId = Annotated[
    str,
    Meta(
        pattern=WINDOW,
        description="`daily:2026-04-05`, `weekly:2026-W14`, `monthly:2026-04` or `all-time`, of the mode's calendar.",
        examples=["daily:2026-04-05"],
    ),
]
# As text: a number would pass for a moment otherwise.
Moment = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})$",
        description="A moment by RFC 3339, from 1970 to now; `+` is written `%2B` in an address.",
        examples=["2026-04-05T20:00:00Z"],
        extra_json_schema={"format": "date-time"},
    ),
]
Units = Annotated[int, Meta(ge=-EXACT, le=EXACT)]
# Exact, and a number in JSON: a double would lose the last digits of a large score with decimals.
Points = Decimal


def points(score: int, decimals: int) -> Decimal:
    """A score in points.

    >>> points(984200, 0), points(-5, 2)
    (Decimal('984200'), Decimal('-0.05'))
    """
    return Decimal(score).scaleb(-decimals)


class GamePath(msgspec.Struct, frozen=True):
    game: GameName


class ModePath(msgspec.Struct, frozen=True):
    game: GameName
    mode: ModeName


class BoardPath(msgspec.Struct, frozen=True):
    game: GameName
    mode: ModeName
    window: WindowId


class PlayerPath(msgspec.Struct, frozen=True):
    game: GameName
    mode: ModeName
    window: WindowId
    player_id: PlayerId
