"""Turns the result of a create or change into a response: the object, or what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from app.accounts import quotas
from app.boards.catalogue.rules import TAKEN
from app.core.http.problems import Fault, ProblemError
from app.core.refusals import Refusal

Made = TypeVar("Made")


def or_refused(outcome: Made | list[Refusal]) -> Made:
    """The object. Raises ProblemError: 403 for a full quota, 409 for a taken name, else 400."""
    if not isinstance(outcome, list):
        return outcome
    if any(refusal.code == quotas.FULL for refusal in outcome):
        faults = [Fault("body", refusal.field, refusal.code, refusal.text) for refusal in outcome]
        raise ProblemError(403, " ".join(refusal.text for refusal in outcome), faults)
    faults = [
        Fault("body", refusal.field, "refused", f"{refusal.field}: {refusal.text}")
        for refusal in outcome
    ]
    if all(refusal.code == TAKEN for refusal in outcome):
        raise conflict(faults)
    raise ProblemError(400, " ".join(fault.detail for fault in faults), faults)


def conflict(faults: Sequence[Fault]) -> ProblemError:
    """A 409 with all of these faults."""
    return ProblemError(409, " ".join(fault.detail for fault in faults), list(faults))
