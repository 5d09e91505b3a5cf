"""Refusals are said in words.

Whatever the document bounds, an integrator never reads an expression.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from app.api import wording
from app.api.document import document
from tests.worlds.callers import Callers


def patterns(value: Any, described: bool = False) -> Iterator[str]:
    """Of the document, those of fields that nothing else describes."""
    if isinstance(value, list):
        for item in value:
            yield from patterns(item, described)
    elif isinstance(value, dict):
        described = described or ("description" in value and ("in" in value or "pattern" in value))
        if isinstance(value.get("pattern"), str) and not described:
            yield value["pattern"]
        for item in value.values():
            yield from patterns(item, described)


def test_every_pattern_of_the_document_is_said_in_words_or_described() -> None:
    missing = sorted({pattern for pattern in patterns(document()) if not wording.in_words(pattern)})
    assert missing == [], "say in app/api/wording.py what these ask for, or describe the field"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            {"slug": "Not a slug"},
            "slug must be lowercase letters, digits and dashes, with a letter or digit at both "
            "ends.",
        ),
        ({"title": ""}, "title must have at least 1 character."),
        (
            {"title": " x"},
            "title must be text on one line, without control characters and without a space at "
            "either",
        ),
        ({"title": "x" * 81}, "title must have at most 80 characters."),
        ({"aggregation": "best"}, "aggregation must be one of highest, lowest, sum or latest."),
        ({"windows": ["yearly"]}, "windows[0] must be one of"),
        ({"windows": []}, "windows must have at least 1 entry."),
        ({"decimals": -1}, "decimals must be at least 0."),
        ({"shards": "many"}, "shards must be a whole number, not text."),
        (
            {"time_zone": "Ber lin"},
            "time_zone must be the name of a time zone, like Europe/Berlin.",
        ),
        ({"keep_days": {"yearly": 1}}, "must be one of hourly, 2-hourly"),
    ],
)
def test_a_refusal_says_in_words_what_a_field_must_be(
    callers: Callers, body: dict[str, Any], words: str
) -> None:
    answer = callers.game_server.post(
        "/v1/games/dice/modes", json={"slug": "solo", "title": "Solo"} | body
    )
    assert answer.status_code == 400
    (fault,) = answer.json["errors"]  # type: ignore[index]
    assert words in fault["detail"]
    for sign in ("regex", "^[", "[a-z", "`int`", "`str`"):
        assert sign not in fault["detail"]
