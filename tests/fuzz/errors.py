"""What the text of a refusal must be, whoever refuses."""

from __future__ import annotations

LONGEST = 2_000  # characters: what was sent is not said again whole
LONGEST_OF_ALL = 40_000  # where every fault of a document is listed


def assert_says_what(message: str, most: int = LONGEST) -> None:
    assert message.strip(), "an error without a text"
    assert len(message) <= most, f"an error of {len(message):,} characters: {message[:200]!r}"
