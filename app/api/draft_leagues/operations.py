"""What all operations of draft leagues have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from app.api.draft_leagues.shapes import READS, TAG, WRITES
from app.api.fantasy.shapes import MEMBERS
from app.api.operations import GET, Limits, View, operation


def draft_operation(
    method: str,
    path: str,
    *,
    answers: Mapping[int, type[msgspec.Struct] | None],
    problems: Mapping[int, str],
    limits: Limits | None = None,
) -> Callable[[View], View]:
    """Declare the view as an operation for members, and for players who are members.

    `limits`: None for those of most reads or writes.
    """
    usual = READS if method == GET else WRITES
    return operation(
        method,
        path,
        tag=TAG,
        security=MEMBERS,
        answers=answers,
        problems=problems,
        limits=limits or usual,
    )
