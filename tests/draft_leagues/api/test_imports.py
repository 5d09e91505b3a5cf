"""A league in progress is brought here over the API."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.core.db import db
from app.fantasy.rosters.queries import rosters_of, transactions_of
from app.fantasy.standings.models import League
from tests.draft_leagues.importing.test_pages import ann, sleeper_files

__all__ = ["ann"]

HERE = "/api/v1/draft-leagues/import"


@pytest.fixture
def files(ann: FlaskClient) -> dict[str, str]:
    """Sleeper's files, in which one footballer has another name."""
    documents = sleeper_files(HAR_RB1="Nobody Knows")
    return {name: json.dumps(document) for name, document in documents.items()}


def post(client: FlaskClient, path: str, body: object, status: int) -> Any:
    answer = client.post(path, json=body)
    assert answer.status_code == status, answer.text
    return answer.get_json()


def test_a_league_of_sleeper_is_previewed_and_brought_here_once(
    ann: FlaskClient, files: dict[str, str]
) -> None:
    preview = post(ann, f"{HERE}/preview", {"files": files}, 200)
    assert len(preview["teams"]) == 4
    assert preview["playedWeeks"] == [1, 2]
    [doubt] = preview["doubts"]
    assert doubt["name"] == "Nobody Knows"
    assert db.session.scalars(db.select(League)).all() == []

    new = {"files": files, "choices": {doubt["key"]: "HAR-RB1"}}
    assert post(ann, f"{HERE}/preview", new, 200)["doubts"] == []
    refused = post(ann, HERE, new, 422)
    assert [error["field"] for error in refused["errors"]] == ["team"]
    new["team"] = preview["teams"][1]["key"]
    slugs = {post(ann, HERE, new, 201)["league"] for _ in range(2)}
    assert len(slugs) == 1
    league = db.session.scalars(db.select(League)).one()
    rosters = rosters_of(league.id)
    assert "HAR-RB1" in rosters.places
    assert len(rosters.places) == sum(team["footballers"] for team in preview["teams"])
    assert transactions_of(league.id)


def test_files_that_hold_no_league_are_refused_at_their_field(ann: FlaskClient) -> None:
    for files in ({"a.json": "[]"}, {"a.csv": "no table"}, {}):
        refused = post(ann, f"{HERE}/preview", {"files": files}, 422)
        assert [error["field"] for error in refused["errors"]] == ["files"]
    assert post(ann, f"{HERE}/preview", {}, 400)["errors"][0]["field"] == "files"
