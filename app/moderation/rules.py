"""Rules for acts of moderation. Pure."""

from __future__ import annotations

from app.accounts.names import hidden_text_fault
from app.core.refusals import Refusal

LONGEST_REASON = 500


def reason_fault(reason: str) -> Refusal | None:
    """Return what to change about a reason, or None."""
    if 1 <= len(reason.strip()) <= LONGEST_REASON:
        fault = hidden_text_fault(reason)
        return Refusal("hidden", "reason", fault) if fault else None
    return Refusal(
        "no_reason",
        "reason",
        f"Give a reason of 1 to {LONGEST_REASON} characters. It is kept with your name.",
    )
