"""The read contracts of tournaments.

Their bytes are the same with Redis up, empty and down, and fit the document.
"""

from __future__ import annotations

import re
from uuid import uuid4

import jsonschema
import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.api.document import document
from app.core.redis.clients import jobs_redis
from app.embedded.valkey import Valkey
from app.predictions.projections import bodies
from app.predictions.projections import store as projections
from tests.statements import count_statements
from tests.worlds.tournament import BEFORE, World

PATHS = ("matches/week-1", "standings", "leaderboard")


@pytest.fixture
def world(app: Flask) -> World:
    """Two matches ended, one is postponed; three members, two of them level."""
    here = World()
    here.match("m1")
    here.match("m2", "liv", "mun")
    here.match("m3", "che", "liv", kickoff=None, status="postponed")
    here.poll(BEFORE)
    for name, home, away in (("Zoe", 2, 0), ("Ann", 3, 1), ("Bob", 0, 1)):
        here.guess(name, "m1", home, away)
        here.guess(name, "m2", 1, 1)
    here.ended("m1", 2, 1)
    here.ended("m2", 0, 2)
    here.poll()
    here.settle()
    return here


def read_all(client: FlaskClient, world: World) -> list[bytes]:
    answers = [client.get(f"/api/v2/tournaments/{world.id}/{path}") for path in PATHS]
    assert [(answer.status_code, answer.mimetype) for answer in answers] == [
        (200, "application/json")
    ] * len(PATHS)
    return [answer.data for answer in answers]


def test_the_bodies_are_those_of_the_design(client: FlaskClient, world: World) -> None:
    base = f"/api/v2/tournaments/{world.id}"
    matches = client.get(f"{base}/matches/week-1").json
    assert matches is not None
    assert [
        (row["date"], row["status"], row["home"]["name"], row["home"]["score"])
        for row in matches["data"]
    ] == [
        ("2026-09-13T17:00:00Z", "ended", "Ars", 2),
        ("2026-09-13T17:00:00Z", "ended", "Liv", 0),
        (None, "not-defined", "Che", None),
    ]
    assert list(matches["data"][0]) == ["id", "date", "status", "home", "away"]
    assert list(matches["data"][0]["away"]) == ["id", "name", "score"]
    standings = client.get(f"{base}/standings").json
    assert standings is not None
    assert [
        (row["position"], row["team"], row["points"], row["played"]) for row in standings["data"]
    ] == [
        (1, "Mun", 3, 1),
        (2, "Ars", 3, 1),
        (3, "Che", 0, 1),
        (4, "Liv", 0, 1),
    ]
    assert list(standings["data"][0]) == ["position", "teamId", "team", "points", "played"]
    leaderboard = client.get(f"{base}/leaderboard").json
    assert leaderboard == {
        "data": [
            {"rank": 1, "memberId": str(world.players["Ann"]), "nickName": "Ann", "points": 1},
            {"rank": 1, "memberId": str(world.players["Zoe"]), "nickName": "Zoe", "points": 1},
            {"rank": 2, "memberId": str(world.players["Bob"]), "nickName": "Bob", "points": 0},
        ],
        "meta": {"ranking": "dense"},
    }


def test_the_bytes_are_the_same_with_redis_up_empty_and_down(
    client: FlaskClient, world: World, own_valkey: Valkey
) -> None:
    def kept() -> int:
        return len(jobs_redis().keys(f"tournament:{world.id}:*"))

    assert kept() == 0
    empty = read_all(client, world)
    assert kept() == len(PATHS)
    assert read_all(client, world) == empty, "from Redis"
    projections.hydrate(world.id)
    assert read_all(client, world) == empty, "after a projection"
    own_valkey.stop()
    assert read_all(client, world) == empty, "Redis is down"


def test_what_redis_has_is_read_from_redis_alone(client: FlaskClient, world: World) -> None:
    read_all(client, world)
    with count_statements() as counted:
        read_all(client, world)
    assert counted() == 0


def test_the_bodies_fit_the_document(client: FlaskClient, world: World) -> None:
    components = document()["components"]
    for path in PATHS:
        declared = document()["paths"][
            "/api/v2/tournaments/{tournamentId}/" + path.replace("week-1", "{roundSlug}")
        ]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        answer = client.get(f"/api/v2/tournaments/{world.id}/{path}").json
        jsonschema.validate(answer, declared | {"components": components})


def test_what_is_not_there_is_not_found(client: FlaskClient, world: World) -> None:
    for path in (f"{uuid4()}/standings", f"{uuid4()}/leaderboard", f"{world.id}/matches/week-9"):
        answer = client.get(f"/api/v2/tournaments/{path}")
        assert (answer.status_code, answer.mimetype) == (404, "application/problem+json"), path
    assert client.get("/api/v2/tournaments/seven/standings").status_code == 400


def test_tournaments_are_listed_with_their_rounds(client: FlaskClient, world: World) -> None:
    World(name="A Cup")
    listed = client.get("/api/v2/tournaments").json
    assert listed is not None
    assert [(row["name"], row["active"], row["rounds"]) for row in listed["data"]] == [
        ("A Cup", True, []),
        ("The Cup", True, ["week-1", "week-2"]),
    ]


def test_a_long_leaderboard_is_read_whole_answer_by_answer(
    client: FlaskClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Section 7.4 of the source design has every member in it.

    A Link header leads on as RFC 8288 says.
    """
    whole = client.get(f"/api/v2/tournaments/{world.id}/leaderboard").json
    monkeypatch.setattr(bodies, "MOST_ROWS", 1)
    projections.hydrate(world.id)
    address: str | None = f"/api/v2/tournaments/{world.id}/leaderboard"
    rows = []
    while address:
        answer = client.get(address)
        assert answer.json is not None
        rows += answer.json["data"]
        address = next(
            iter(re.findall(r'<([^>]+)>; rel="next"', answer.headers.get("Link", ""))), None
        )
    assert whole is not None
    assert rows == whole["data"]
    assert [row["rank"] for row in rows] == [1, 1, 2]
    assert client.get(f"/api/v2/tournaments/{uuid4()}/leaderboard?offset=1").status_code == 404
