"""Scores sent in by tests, each with a token of its own."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

from app.boards.models import Mode
from app.core import clock
from app.scores.submission import attempts, submit
from app.scores.submission.claims import Claim, Origin, Outcome, Refused


def claim(mode: Mode, player: UUID, score: int, **changes: Any) -> Claim:
    """A score with a token of its own."""
    cap = changes.pop("cap", 10_000)
    grant, token = attempts.issue(
        attempts.AttemptRequest(mode.id, player, cap, timedelta(hours=1)), clock.now()
    )
    return replace(Claim(mode, player, grant.attempt_id, token, score), **changes)


def send(*claims: Claim, wait: bool = True, **origin: Any) -> list[Outcome]:
    return submit.submit_all(claims, Origin(**origin), clock.now(), wait=wait)


def codes(outcome: Outcome) -> list[str]:
    assert isinstance(outcome, Refused), outcome
    return [reason.code for reason in outcome.reasons]
