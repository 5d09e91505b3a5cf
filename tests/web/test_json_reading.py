"""Reading JSON that strangers send costs no more than its length."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from app.core.json_decoding import InvalidJsonError, first_repeated, plain_json, repeated_name


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


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"[" * 100_000, "it is nested too deep"),
        (b"1e999", "number out of range"),
        (b'{"a": [-1e400]}', "number out of range"),
        (b"9" * 5_000, "integer value out of range"),
        (b"NaN", "JSON is malformed"),
        (b'"\xff"', "a text is not UTF-8"),
    ],
)
def test_json_of_which_nothing_is_declared_is_read_or_refused(data: bytes, fault: str) -> None:
    """RFC 8259, 8.1 and 9: UTF-8 only; a reader may limit depth, and range of numbers."""
    with pytest.raises(InvalidJsonError, match=fault):
        plain_json(data)


def test_a_page_refuses_json_that_is_not_utf_8(sign_in: Callable[..., FlaskClient]) -> None:
    response = sign_in().post(
        "/account/second-factor/passkeys", data=b'{"a": "\xff"}', content_type="application/json"
    )
    assert response.status_code == 400
    assert "The text is not valid UTF-8" in response.text
