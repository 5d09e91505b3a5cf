"""The console without JavaScript: one event by a plain form."""

from __future__ import annotations

import re
from html import unescape
from uuid import uuid4

import pytest
from flask.testing import FlaskClient

from tests.console.test_views import log_states


def test_one_event_can_be_entered_without_javascript(scorer: FlaskClient, game: str) -> None:
    key = re.search(r'name="key"[^>]*value="([^"]+)"', scorer.get("/console/g1").text)
    assert key is not None
    data = {"key": key[1], "type": "period", "body": '{"period": 1, "phase": "start"}'}
    for _ in range(2):  # the browser's own "send again" enters nothing twice
        assert scorer.post("/console/g1/form", data=data).status_code == 303
    assert log_states(scorer.get("/console/g1").text) == [("1", "waiting")]


@pytest.mark.parametrize(
    ("kind", "body", "sentence"),
    [
        ("period", "{", "This is not JSON"),
        ("period", "[" * 3_000, "This is not JSON"),
        ("period", "[1]", "This must be an object"),
        ("period", '{"period": 11, "phase": "start"}', "period: expected `int` <= 10"),
        ("timeout", '{"team": "NYG"}', "NYG does not play in this game"),
    ],
)
def test_the_plain_form_keeps_the_text_and_says_what_to_change(
    scorer: FlaskClient, game: str, kind: str, body: str, sentence: str
) -> None:
    answer = scorer.post("/console/g1/form", data={"key": str(uuid4()), "type": kind, "body": body})
    assert answer.status_code == 422
    assert sentence in unescape(answer.text)
    assert body in unescape(answer.text)


def test_a_key_that_is_no_uuid_is_refused_so_that_none_poses_as_another_door(
    scorer: FlaskClient, game: str
) -> None:
    data = {"key": "script:1", "type": "period", "body": '{"period": 1, "phase": "start"}'}
    refused = scorer.post("/console/g1/form", data=data)
    assert refused.status_code == 422
    assert "Reload it" in unescape(refused.text)
    assert log_states(scorer.get("/console/g1").text) == []
