"""A scorer who is bound to games finds no other one at the console."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from sqlalchemy import update

from app.accounts import services, staff
from app.accounts.models import ScorerGame
from app.core.db import db
from app.record.models import Game
from tests.console.conftest import KICKOFF


@pytest.fixture
def client(game: str, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    """Of a scorer who may score g1; there is a game g2 too."""
    client = sign_in("scorer", username="sal")
    db.session.add(
        Game(
            id="g2",
            season=2026,
            season_type="REG",
            week=11,
            kickoff=KICKOFF,
            home_id="DAL",
            away_id="SF",
        )
    )
    db.session.commit()
    sal = services.find_member("sal")
    assert sal is not None
    assert staff.set_roles(sal, ["scorer"], ["g1"], actor_id=None, reason="home games only") == {}
    return client


def test_every_address_of_another_game_is_404(client: FlaskClient) -> None:
    assert client.get("/console/g1").status_code == 200
    for method, path in (
        ("GET", "/console/g2"),
        ("GET", "/console/g2/log"),
        ("GET", "/console/g2/events/1"),
        ("GET", "/console/g2/footballers?name=joe"),
        ("GET", "/console/g2/footballers/sf-25/events"),
        ("POST", "/console/g2/events"),
        ("POST", "/console/g2/lease"),
        ("POST", "/console/g2/form"),
        ("POST", "/console/g2/throw-away"),
    ):
        json = {"key": "x"} if method == "POST" and path.endswith(("events", "lease")) else None
        assert client.open(path, method=method, json=json).status_code == 404, path


def test_the_list_has_only_their_games_and_no_new_one_is_registered(client: FlaskClient) -> None:
    page = client.get("/console/").text
    assert "/console/g1" in page
    assert "/console/g2" not in page
    data = {
        "game_id": "g3",
        "home": "SF",
        "away": "DAL",
        "kickoff": "2026-11-29T18:00",
        "zone": "America/New_York",
    }
    refused = client.post("/console/", data=data | {"week": "12", "season_type": "REG"})
    assert refused.status_code == 422
    assert "You can only score g1." in refused.text
    assert db.session.get(Game, "g3") is None


def test_they_practise_and_unbound_they_score_every_game(client: FlaskClient) -> None:
    begun = client.post("/console/practice", data={"home": "SF", "away": "DAL"})
    assert begun.status_code == 303
    assert client.get(begun.headers["Location"]).status_code == 200
    sal = services.find_member("sal")
    assert sal is not None
    staff.set_roles(sal, ["scorer"], [], actor_id=None, reason="all games")
    assert client.get("/console/g2").status_code == 200


def test_another_game_counts_from_the_next_request_on(client: FlaskClient) -> None:
    for _ in range(2):
        assert client.get("/console/g1").status_code == 200
        assert "/console/g2" not in client.get("/console/").text
    sal = services.find_member("sal")
    assert sal is not None
    staff.set_roles(sal, ["scorer"], ["g2"], actor_id=None, reason="away games only")
    assert client.get("/console/g1").status_code == 404
    assert client.get("/console/g2").status_code == 200
    page = client.get("/console/").text
    assert "/console/g2" in page
    assert "/console/g1" not in page


def test_a_game_that_is_taken_away_by_a_statement_counts_at_once(client: FlaskClient) -> None:
    assert client.get("/console/g2").status_code == 404
    db.session.execute(update(ScorerGame).values(game_id="g2"))
    db.session.commit()
    assert client.get("/console/g2").status_code == 200
    assert client.get("/console/g1").status_code == 404


def test_whoever_is_no_scorer_any_more_sees_nothing(client: FlaskClient) -> None:
    assert client.get("/console/g1").status_code == 200
    sal = services.find_member("sal")
    assert sal is not None
    staff.set_roles(sal, [], [], actor_id=None, reason="has left")
    assert client.get("/console/g1").status_code == 404
    assert client.get("/console/").status_code == 404
