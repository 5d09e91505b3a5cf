"""Why a score is refused, as values: every reason at once. Plain values, no store."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Refusal:
    """One reason. `code` for programs, `field` of the request, `text` a sentence that says what to change."""

    code: str
    field: str
    text: str
