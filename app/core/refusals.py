"""Why something was refused, as a value: callers get every reason at once."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Refusal:
    """One reason. `code` is for programs; `text` is a sentence that says what to change.

    `field` names the field of the form or request, and is '' if the reason concerns none. If the
    field is a list, `place` is the number of the entry, from 1. `is_overridable` says whether a
    commissioner may override the refusal.
    """

    code: str
    field: str
    text: str
    place: int | None = None
    is_overridable: bool = False
