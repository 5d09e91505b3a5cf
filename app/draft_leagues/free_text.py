"""What members write for each other to read: messages of offers, reasons and notes. Pure."""

from __future__ import annotations

from app.accounts.names import hidden_text_fault
from app.core.refusals import Refusal
from app.fantasy.leagues.rules import REASON_MAX


def text_refusals(text: str, field: str) -> list[Refusal]:
    r"""What is wrong with a text: characters that cannot be seen, or turn it around.

    >>> text_refusals("Fair? \u202eNo", "message")[0].text
    'Remove invisible or text-reversing characters (U+202E).'
    >>> text_refusals("Deal?\nYours, \U0001f468\u200d\U0001f33e", "message")
    []
    """
    fault = hidden_text_fault(text)
    return [Refusal("text", field, fault)] if fault else []


def reason_refusals(reason: str, missing: Refusal) -> list[Refusal]:
    r"""What is wrong with the reason of an act. `missing`: why it cannot be left out.

    >>> reason_refusals("x" * 301, Refusal("reason", "reason", "Say why."))[0].text
    'Use at most 300 characters. This has 301.'
    """
    text = reason.strip()
    if not text:
        return [missing]
    if len(text) > REASON_MAX:
        advice = f"Use at most {REASON_MAX} characters. This has {len(text)}."
        return [Refusal("reason", "reason", advice)]
    return text_refusals(text, "reason")
