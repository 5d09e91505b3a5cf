"""Why something was refused, as a value: callers get every reason at once."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Refusal:
    """One reason. `code`: for programs; `text`: a sentence that says what to change.

    `field`: of the form or request, '' where it is about none; `place`: from 1, where the field is
    a list and the reason is about one of its entries. `is_overridable`: whether a commissioner may
    decide against it.
    """

    code: str
    field: str
    text: str
    place: int | None = None
    is_overridable: bool = False
