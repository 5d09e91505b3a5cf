"""Text that is longer than any field takes is refused before anything works on it.

Normal forms of Unicode sort combining marks in a row in quadratic time (Unicode Standard Annex 15,
section 13, is the reason for its limit of 30): 300 kB of them stopped a process for 80 seconds.
"""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.accounts import names
from app.accounts.models import Member
from app.core import normal_forms
from app.core.db import db
from app.core.input_limits import FIELD_CHARACTERS, FORM_BYTES, FORM_FIELDS, NORMALIZED_CHARACTERS
from app.fantasy.leagues.rules import name_refusals
from app.fantasy.market.name_search import find_names
from app.talk import rules as talk_rules

ROOT = Path(__file__).parents[2]
MARKS = "\u0301\u0316" * (FORM_BYTES // 20)  # as much as a form may have, in bytes of a form
PASSWORD = "a long sentence about grass"


@pytest.fixture
def normalized(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lengths of the texts that are brought to a normal form."""
    lengths: list[int] = []
    normalize = unicodedata.normalize

    def count(form: str, text: str) -> str:
        lengths.append(len(text))
        return normalize(form, text)

    monkeypatch.setattr(normal_forms.unicodedata, "normalize", count)
    return lengths


def register(client: FlaskClient, display_name: str) -> TestResponse:
    fields = {"username": "ann", "display_name": display_name, "password": PASSWORD}
    return client.post("/register", data=fields)


def test_a_registration_with_a_megabyte_of_marks_costs_nothing(
    client: FlaskClient, normalized: list[int]
) -> None:
    response = register(client, MARKS)
    assert (response.status_code, max(normalized, default=0)) == (413, 0)
    assert f"shorten the text that starts with “{MARKS[:60]}”" in response.text
    assert f"at most {FIELD_CHARACTERS:,} characters" in response.text
    assert "display_name" not in response.text
    assert db.session.query(Member).count() == 0


def test_a_name_that_is_only_too_long_is_refused_at_its_field(client: FlaskClient) -> None:
    response = register(client, "a" * FIELD_CHARACTERS)
    assert response.status_code == 422
    assert f"Use 1 to {names.LONGEST} characters." in response.text


@pytest.mark.parametrize(
    "work",
    [
        names.normalised,
        names.cleaned,
        names.skeleton,
        names.hidden_fault,
        talk_rules.cleaned,
        name_refusals,
        lambda text: find_names(text, [("1", "Ann")]),
        lambda text: names.likeness_fault(text, ["Ann"], ["word"]),
    ],
)
def test_no_rule_brings_a_long_text_to_a_normal_form(
    work: Callable[[str], object], normalized: list[int]
) -> None:
    work("a" + MARKS)
    assert max(normalized, default=0) <= NORMALIZED_CHARACTERS


def test_a_long_post_is_refused_however_much_of_it_cannot_be_seen() -> None:
    text = talk_rules.cleaned("Go!" + "\u200b" * NORMALIZED_CHARACTERS)
    assert talk_rules.text_refusal(text, has_picture=False) == talk_rules.TOO_LONG


def test_normal_forms_are_asked_for_in_one_place() -> None:
    callers = {
        str(path.relative_to(ROOT))
        for package in ("app", "scorer_console", "workers")
        for path in (ROOT / package).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr == "normalize"
    }
    assert callers == {"app/core/normal_forms.py"}


def test_a_form_with_too_many_fields_is_refused_unread(client: FlaskClient) -> None:
    response = client.post(
        "/register", data="&" * FORM_FIELDS, content_type="application/x-www-form-urlencoded"
    )
    assert response.status_code == 413
    assert f"Send at most {FORM_FIELDS:,} at once." in response.text


def test_a_long_search_is_refused(client: FlaskClient, normalized: list[int]) -> None:
    response = client.get("/games", query_string={"q": MARKS[: FIELD_CHARACTERS + 1]})
    assert (response.status_code, normalized) == (414, [])
    assert "This text is too long" in response.text


@pytest.mark.parametrize("password", ["secret" * FIELD_CHARACTERS, "secret\x00"])
def test_a_password_is_not_quoted(client: FlaskClient, password: str) -> None:
    response = client.post("/register", data={"username": "ann", "password": password})
    assert "the password" in response.text
    assert "secret" not in response.text
