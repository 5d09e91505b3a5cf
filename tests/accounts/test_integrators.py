"""Members make integrators and keys on pages; keys work until they are revoked."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from app.accounts import api_keys
from app.accounts.models import ApiKey, Integrator, Member
from app.core.clock import now
from app.core.db import db


def made(client: FlaskClient, name: str = "Nova Games") -> str:
    """The page of a new integrator."""
    answer = client.post("/integrators", data={"name": name})
    assert answer.status_code == 303, answer.text
    return str(answer.headers["Location"])


def test_a_key_is_shown_once_works_and_is_kept_as_its_hash(
    sign_in: Callable[..., FlaskClient],
) -> None:
    client = sign_in()
    page = made(client)
    assert "No keys yet" in client.get(page).text
    answer = client.post(
        f"{page}/keys", data={"name": "eu-west", "scopes": ["boards:manage", "players:token"]}
    )
    secret = re.search(r"pbk_[\w-]{40,}", answer.text)
    assert secret is not None
    row = db.session.scalars(select(ApiKey)).one()
    assert row.digest != secret[0]
    assert row.scopes == ["boards:manage", "players:token"]
    text = client.get(page).text
    assert secret[0] not in text
    assert "Never used" in text
    assert (
        client.get("/v1/games", headers={"Authorization": f"Bearer {secret[0]}"}).status_code == 200
    )
    db.session.expire_all()  # noted in a session of its own
    assert "Last used" in client.get(page).text


def test_a_revoked_key_is_taken_nowhere(sign_in: Callable[..., FlaskClient]) -> None:
    client = sign_in()
    page = made(client)
    answer = client.post(f"{page}/keys", data={"name": "old", "scopes": ["boards:manage"]})
    match = re.search(r"pbk_[\w-]{40,}", answer.text)
    assert match is not None
    key = db.session.scalars(select(ApiKey)).one()
    answer = client.post(f"{page}/keys/{key.id}/revoke")
    assert "is revoked" in client.get(answer.headers["Location"]).text
    refused = client.get("/v1/games", headers={"Authorization": f"Bearer {match[0]}"})
    assert refused.status_code == 401
    assert "revoked" in refused.text


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"name": "", "scopes": ["boards:manage"]}, "Use 1 to 60 characters"),
        ({"name": "x"}, "Choose at least one"),
        ({"name": "x", "scopes": ["scores:write"]}, "Choose at least one"),
        ({"name": "x", "scopes": ["everything"]}, "Choose at least one"),
    ],
    ids=["no name", "no scope", "Pressbox's own", "unknown"],
)
def test_a_key_that_cannot_be_made_says_why(
    sign_in: Callable[..., FlaskClient], data: dict[str, object], sentence: str
) -> None:
    client = sign_in()
    answer = client.post(f"{made(client)}/keys", data=data)
    assert answer.status_code == 422
    assert sentence in answer.text
    assert db.session.scalars(select(ApiKey)).all() == []


def test_only_an_operator_may_give_the_right_to_the_houses_board(
    sign_in: Callable[..., FlaskClient],
) -> None:
    client = sign_in("operator")
    page = made(client)
    assert (
        client.post(f"{page}/keys", data={"name": "site", "scopes": ["scores:write"]}).status_code
        == 200
    )
    assert db.session.scalars(select(ApiKey)).one().scopes == ["scores:write"]


def test_another_members_integrator_is_not_there(sign_in: Callable[..., FlaskClient]) -> None:
    page = made(sign_in(username="ann"))
    other = sign_in(username="bob")
    assert other.get(page).status_code == 404
    assert (
        other.post(f"{page}/keys", data={"name": "x", "scopes": ["boards:manage"]}).status_code
        == 404
    )
    assert other.post(f"{page}/keys/1/revoke").status_code == 404
    assert "No integrators yet" in other.get("/integrators").text
    taken = other.post("/integrators", data={"name": "Nova Games"})
    assert taken.status_code == 422
    assert "This name is taken" in taken.text


def test_a_key_ends_only_through_its_own_integrator(sign_in: Callable[..., FlaskClient]) -> None:
    client = sign_in()
    first, second = made(client), made(client, "Second")
    client.post(f"{first}/keys", data={"name": "x", "scopes": ["boards:manage"]})
    key = db.session.scalars(select(ApiKey)).one()
    client.post(f"{second}/keys/{key.id}/revoke")
    db.session.refresh(key)
    assert key.revoked_at is None


def test_the_use_of_a_key_is_noted_to_the_minute(sign_in: Callable[..., FlaskClient]) -> None:
    client = sign_in()
    made(client)
    integrator = db.session.scalars(select(Integrator)).one()
    owner = integrator.owner_id
    member = db.session.get(Member, owner)
    assert member is not None
    key = api_keys.create_key(integrator, "x", ["boards:manage"], member)
    assert isinstance(key, api_keys.NewKey)
    moment = now()
    for seconds, noted in ((0, 0), (59, 0), (60, 60)):
        assert api_keys.find(key.secret, moment + timedelta(seconds=seconds)) is not None
        db.session.refresh(key.row)
        assert key.row.last_used_at == moment + timedelta(seconds=noted)
