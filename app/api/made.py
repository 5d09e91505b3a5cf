"""Turns the result of a create or change into a response: the object, or what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from app.accounts import quotas
from app.boards.catalogue.rules import TAKEN
from app.core.http.problems import Fault, ProblemError
from app.core.refusals import Refusal

Made = TypeVar("Made")


def or_refused(made: Made | list[Refusal]) -> Made:
    """Raises ProblemError: 403 where a quota is full, 409 where a name is taken, else 400."""
    if not isinstance(made, list):
        return made
    if any(one.code == quotas.FULL for one in made):
        faults = [Fault("body", one.field, one.code, one.text) for one in made]
        raise ProblemError(403, " ".join(one.text for one in made), faults)
    faults = [Fault("body", one.field, "refused", f"{one.field}: {one.text}") for one in made]
    if all(one.code == TAKEN for one in made):
        raise conflict(faults)
    raise ProblemError(400, " ".join(fault.detail for fault in faults), faults)


def conflict(faults: Sequence[Fault]) -> ProblemError:
    """A 409 that says all of them."""
    return ProblemError(409, " ".join(fault.detail for fault in faults), list(faults))
