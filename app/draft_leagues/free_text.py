"""What members write for each other to read: messages of offers, reasons and notes. Pure."""

from __future__ import annotations

from app.accounts.names import hidden_fault
from app.core.refusals import Refusal

_JOINER = "\u200d"  # of emoji


def text_refusals(text: str, field: str) -> list[Refusal]:
    r"""What is wrong with a text: characters that cannot be seen, or turn it around.

    >>> text_refusals("Fair? \u202eNo", "message")[0].text
    'Leave out characters that cannot be seen or turn the text around (U+202E).'
    >>> text_refusals("Deal?\nYours, \U0001f468\u200d\U0001f33e", "message")
    []
    """
    fault = hidden_fault(" ".join(text.replace(_JOINER, "").split()))
    return [Refusal("text", field, fault)] if fault else []
