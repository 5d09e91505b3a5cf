"""The page on which an integrator lets browser games in."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from app.accounts import services as accounts
from app.accounts.models import Integrator
from app.audit.acts import Act
from app.audit.models import AuditEntry
from app.boards.catalogue.services import create_game
from app.boards.models import ScoreGame
from app.core.db import db
from tests.worlds.score_games import make_integrator

PLAY = "https://play.example.com"


@pytest.fixture
def owner(sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    return sign_in("member")


@pytest.fixture
def studio(owner: FlaskClient) -> Integrator:
    member = accounts.find_member("a-member")
    assert member is not None
    return make_integrator("Dice House", member.id)


def origins_of(slug: str) -> list[str]:
    db.session.rollback()
    return db.session.scalars(select(ScoreGame.allowed_origins).where(ScoreGame.slug == slug)).one()


def test_sites_are_saved_one_a_line_and_the_audit_has_it(
    owner: FlaskClient, studio: Integrator
) -> None:
    path = f"/integrators/{studio.id}/origins"
    assert "No games yet" in owner.get(path).text
    create_game("dice", "Dice", studio.id)
    answer = owner.post(
        f"{path}/dice", data={"origins": f" http://localhost:5173 \r\n\r\n{PLAY}\r\n{PLAY}"}
    )
    assert answer.status_code == 303
    assert "Saved: Dice is allowed on 2 sites." in owner.get(answer.location).text
    assert origins_of("dice") == ["http://localhost:5173", PLAY]
    entry = db.session.scalars(
        select(AuditEntry).where(AuditEntry.act == Act.GAME_CHANGED.value)
    ).one()
    assert entry.subject == "game:dice"
    assert entry.details == {"allowed_origins": [[], ["http://localhost:5173", PLAY]]}
    assert owner.post(f"{path}/dice", data={"origins": ""}).status_code == 303
    assert origins_of("dice") == []


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("play.example.com", "play.example.com is not an origin"),
        (f"{PLAY}\nhttps://Play.example.com/", "https://Play.example.com/ is not an origin"),
        ("https://" + "a" * 250, "is longer than 200 characters"),
        (
            "\n".join(f"https://{number}.example.com" for number in range(21)),
            "A game can have up to 20.",
        ),
    ],
    ids=["no scheme", "capitals", "long", "many"],
)
def test_what_is_wrong_is_said_at_its_game_and_stays_typed(
    owner: FlaskClient, studio: Integrator, typed: str, text: str
) -> None:
    create_game("dice", "Dice", studio.id)
    answer = owner.post(f"/integrators/{studio.id}/origins/dice", data={"origins": typed})
    assert answer.status_code == 422
    assert text in answer.text
    assert typed in answer.text
    assert origins_of("dice") == []


def test_anothers_games_are_not_there(
    owner: FlaskClient, studio: Integrator, sign_in: Callable[..., FlaskClient]
) -> None:
    create_game("dice", "Dice", studio.id)
    stranger = sign_in("operator")
    assert stranger.get(f"/integrators/{studio.id}/origins").status_code == 404
    assert (
        stranger.post(f"/integrators/{studio.id}/origins/dice", data={"origins": PLAY}).status_code
        == 404
    )
    create_game("chess", "Chess", None)
    assert (
        owner.post(f"/integrators/{studio.id}/origins/chess", data={"origins": PLAY}).status_code
        == 404
    )
    assert origins_of("dice") == origins_of("chess") == []
