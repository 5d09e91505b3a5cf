"""A scorer's own keys: checked, kept, taken along and brought back."""

from __future__ import annotations

import io
import re

import pytest
from flask.testing import FlaskClient

from scorer_console.keys.rules import RESERVED, STANDARD, key_faults, keys_with
from tests.console.test_views import block


@pytest.mark.parametrize(
    ("chosen", "fault"),
    [
        ({"run": "5"}, None),
        ({"run": "p", "pass": "r"}, None),
        ({"run": "p"}, ("run", "p is already used for pass")),
        ({"pass": "s"}, ("pass", "s is already used for snap")),
        ({"run": "a"}, ("run", "a resumes the entry set aside")),
        ({"run": "R"}, ("run", "one lowercase letter or digit")),
        ({"run": "rr"}, ("run", "one lowercase letter or digit")),
        ({"punt": "5"}, ("punt", "There is no action punt")),
    ],
)
def test_keys_are_single_and_never_shared(
    chosen: dict[str, str], fault: tuple[str, str] | None
) -> None:
    faults = key_faults(chosen)
    if fault is None:
        assert faults == {}
        assert sorted(keys_with(chosen)) == sorted(STANDARD)
        assert len(set(keys_with(chosen).values())) == len(STANDARD)
    else:
        assert list(faults) == [fault[0]]
        assert fault[1] in faults[fault[0]]


def test_the_usual_keys_are_without_fault() -> None:
    assert key_faults(STANDARD) == {}


def test_chosen_keys_reach_the_console_and_can_be_taken_along(
    scorer: FlaskClient, game: str
) -> None:
    form = dict(STANDARD) | {"run": "5"}
    assert scorer.post("/console/keys/", data=form).status_code == 303
    assert block(scorer.get("/console/g1").text, "own")["keys"]["run"] == "5"
    saved = scorer.get("/console/keys/pressbox-keys.json")
    assert "attachment" in saved.headers["Content-Disposition"]
    assert scorer.post("/console/keys/usual").status_code == 303
    assert block(scorer.get("/console/g1").text, "own")["keys"]["run"] == "r"
    upload = {"file": (io.BytesIO(saved.data), "pressbox-keys.json")}
    assert scorer.post("/console/keys/import", data=upload).status_code == 303
    assert block(scorer.get("/console/g1").text, "own")["keys"] == saved.json


def test_a_clash_is_said_at_its_field_and_nothing_is_saved(scorer: FlaskClient, game: str) -> None:
    answer = scorer.post("/console/keys/", data=dict(STANDARD) | {"run": "p"})
    assert answer.status_code == 422
    assert re.search(r'id="run-fault">p is already used for pass', answer.text)
    assert block(scorer.get("/console/g1").text, "own")["keys"] == dict(STANDARD)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"{", "not a keys file"),
        (b'{"run": "\xff"}', "not UTF-8"),
        (b"[" * 9_999, "not a keys file"),
        (b'{"run": "p"}', "run: p is already used for pass"),
    ],
)
def test_a_file_that_is_no_key_map_is_refused(
    scorer: FlaskClient, game: str, content: bytes, sentence: str
) -> None:
    answer = scorer.post("/console/keys/import", data={"file": (io.BytesIO(content), "keys.json")})
    assert answer.status_code == 422
    assert sentence in answer.text


def test_a_key_that_was_chosen_before_an_action_came_stays_with_its_action() -> None:
    keys = keys_with({"run": STANDARD["roster"]})
    assert keys["run"] == STANDARD["roster"]
    assert len(set(keys.values())) == len(STANDARD)
    assert not set(keys.values()) & set(RESERVED)
    assert list(keys) == list(STANDARD)
