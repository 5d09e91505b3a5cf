from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.accounts.models import Member
from app.accounts.views import limiter
from tests.conftest import PASSWORD


def test_a_member_registers_and_is_signed_in(client: FlaskClient) -> None:
    answer = client.post(
        "/register", data={"username": "ann", "display_name": "Ann O.", "password": "four words in line"}
    )
    assert answer.status_code == 303
    assert "Ann O." in client.get("/").text


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("username", "a b", "Use 3 to 30 letters"),
        ("username", "Taken", "Somebody has this name already"),
        ("password", "short", "at least 10 characters"),
        ("display_name", "x" * 41, "1 to 40 characters"),
    ],
)
def test_a_refused_registration_says_what_to_change(
    client: FlaskClient, member: Callable[..., Member], field: str, value: str, sentence: str
) -> None:
    member("taken")
    data = {"username": "ann", "display_name": "Ann", "password": PASSWORD} | {field: value}
    answer = client.post("/register", data=data)
    assert answer.status_code == 422
    assert sentence in answer.text
    assert PASSWORD not in answer.text


def test_a_wrong_password_and_an_unknown_name_get_the_same_answer(
    client: FlaskClient, member: Callable[..., Member]
) -> None:
    member("ann")
    wrong = client.post("/sign-in", data={"username": "ann", "password": "not this one"})
    unknown = client.post("/sign-in", data={"username": "bob", "password": "not this one"})
    assert wrong.status_code == unknown.status_code == 422
    assert "Name or password is not right" in wrong.text
    assert wrong.text.replace("ann", "bob") == unknown.text


@pytest.mark.parametrize("target", ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)"])
def test_signing_in_never_leads_to_another_site(
    client: FlaskClient, member: Callable[..., Member], target: str
) -> None:
    member("ann")
    answer = client.post("/sign-in", query_string={"next": target}, data={"username": "ann", "password": PASSWORD})
    assert answer.headers["Location"] == "/"


def test_signing_in_leads_back_to_the_page_that_was_wanted(client: FlaskClient, member: Callable[..., Member]) -> None:
    member("ann")
    wanted = client.get("/leagues")
    assert wanted.status_code == 302
    answer = client.post(wanted.headers["Location"], data={"username": "ann", "password": PASSWORD})
    assert answer.headers["Location"] == "/leagues"


def test_signing_out_ends_the_session(sign_in: Callable[..., FlaskClient]) -> None:
    client = sign_in()
    assert client.get("/leagues").status_code == 200
    assert client.post("/sign-out").status_code == 303
    assert client.get("/leagues").status_code == 302


@pytest.mark.parametrize("role", ["member", "moderator", "operator"])
def test_a_page_nobody_may_see_is_404_and_logged(
    sign_in: Callable[..., FlaskClient], capsys: pytest.CaptureFixture[str], role: str
) -> None:
    answer = sign_in(role).get("/console/")
    assert answer.status_code == 404
    assert "There is no such page" in answer.text
    assert "refused" in "".join(capsys.readouterr())


def test_a_stranger_gets_404_on_staff_pages(client: FlaskClient) -> None:
    assert client.get("/console/").status_code == 404


def test_forms_without_their_token_are_refused(app: Flask, client: FlaskClient) -> None:
    app.config["WTF_CSRF_ENABLED"] = True
    answer = client.post("/sign-in", data={"username": "ann", "password": PASSWORD})
    assert answer.status_code == 400
    assert "Reload the page" in answer.text


def test_many_tries_are_slowed_down(client: FlaskClient) -> None:
    limiter.enabled = True
    answers = [client.post("/sign-in", data={"username": "ann", "password": "guess"}) for _ in range(12)]
    assert [answer.status_code for answer in answers[:10]] == [422] * 10
    assert answers[-1].status_code == 429
    assert "Retry-After" in answers[-1].headers


@pytest.mark.parametrize(
    ("headers", "brings_it"),
    [
        ({"Accept": "text/html,application/xhtml+xml"}, True),
        ({"Accept": "*/*"}, False),
        ({"Accept": "application/json"}, False),
        ({"Accept": "text/html, */*", "HX-Request": "true"}, False),
    ],
    ids=["a page", "a script", "a program", "a fragment"],
)
def test_the_answer_to_a_poll_never_brings_the_cookie(
    sign_in: Callable[..., FlaskClient], headers: dict[str, str], brings_it: bool
) -> None:
    """It may arrive after another tab has signed out, and would sign this browser in again."""
    client = sign_in("member")
    client.get("/leagues")  # the first page puts the token of its forms into the session
    answer = client.get("/leagues", headers=headers)
    assert answer.status_code == 200
    assert ("Set-Cookie" in answer.headers) == brings_it


def test_cookies_and_headers_are_strict(client: FlaskClient, member: Callable[..., Member]) -> None:
    member("ann")
    answer = client.post("/sign-in", data={"username": "ann", "password": PASSWORD})
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    policy = client.get("/").headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert client.get("/").headers["X-Content-Type-Options"] == "nosniff"
