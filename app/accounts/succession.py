"""Who becomes the head of a group: of a league, or of a pool."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement
from sqlalchemy.orm import InstrumentedAttribute


def heir_order(
    *,
    is_active: ColumnElement[bool],
    is_shadow_banned: ColumnElement[bool],
    joined_at: InstrumentedAttribute[Any],
    member_id: InstrumentedAttribute[Any],
) -> tuple[Any, ...]:
    """Return the order of a group's members in which the first one is the heir.

    It is the active member who has been in the group longest, then by id. Members with a shadow ban
    come after all others, and inactive members last.
    """
    return (~is_active, is_shadow_banned, joined_at, member_id)
