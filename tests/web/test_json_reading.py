"""Reading JSON that strangers send costs no more than its length."""

from __future__ import annotations

import json

from app.core.json_decoding import first_repeated, repeated_name


class CountedName(str):
    """A name that counts how often names are compared."""

    __slots__ = ()
    __hash__ = str.__hash__
    comparisons = 0

    def __eq__(self, other: object) -> bool:
        CountedName.comparisons += 1
        return str.__eq__(self, other)


def test_looking_for_a_repeated_name_takes_one_look_per_name() -> None:
    """A megabyte holds 100,000 names, which must not keep a thread busy (OWASP API4:2023)."""
    names = [CountedName(number) for number in range(2_000)]
    CountedName.comparisons = 0
    assert first_repeated([*names, CountedName(1_999)]) == "1999"
    assert CountedName.comparisons <= len(names)


def test_the_repeated_name_of_any_object_is_found() -> None:
    """RFC 8259, section 4: names within an object should be unique."""
    assert repeated_name(b'{"a": {"b": 1, "c": [{"d": 1, "e": 2, "d": 3}]}}') == "d"
    assert repeated_name(b'{"a": {"a": 1}, "b": [{"a": 1}, {"a": 1}]}') is None
    assert repeated_name(json.dumps({str(number): 0 for number in range(1_000)}).encode()) is None
