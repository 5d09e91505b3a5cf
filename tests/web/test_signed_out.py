"""Signed out while a page is open.

Parts of pages and forms say so, and lead to the sign-in page and back.

RFC 9110 15.5.2: 401 is for a request without valid credentials, and has a challenge. The page's
script (static/js/requests/main.js) does the rest: stories in tests/e2e/test_failed_saves.py.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient

PART = {"HX-Request": "true", "HX-Current-URL": "http://localhost/friends"}


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_part_of_a_page_gets_401_and_no_other_page(client: FlaskClient, method: str) -> None:
    answer = getattr(client, method)(
        "/friends" if method == "get" else "/friends/ask", headers=PART
    )
    assert (answer.status_code, answer.mimetype) == (401, "text/plain")
    assert answer.headers["WWW-Authenticate"]
    assert answer.text == "You were signed out. Sign in to continue."


def test_a_form_leads_back_to_its_page_not_to_where_it_was_sent(client: FlaskClient) -> None:
    answer = client.post("/friends/ask", headers={"Referer": "http://localhost/friends?x=1"})
    assert (answer.status_code, answer.location) == (302, "/sign-in?next=/friends?x%3D1")
    elsewhere = client.post(
        "/friends/ask", headers={"Referer": "https://elsewhere.example/friends"}
    )
    assert elsewhere.location == "/sign-in?next=/"


def test_a_form_whose_token_went_with_the_session_leads_to_the_sign_in_page(
    app: Flask,
    client: FlaskClient,
    sign_in: Callable[..., FlaskClient],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    member = sign_in()
    monkeypatch.setitem(app.config, "WTF_CSRF_ENABLED", True)
    assert client.post("/friends/ask", headers=PART).status_code == 401
    assert client.post(
        "/friends/ask", headers={"Referer": "http://localhost/friends"}
    ).location == ("/sign-in?next=/friends")
    refused = member.post("/friends/ask", headers=PART)
    assert (refused.status_code, refused.mimetype) == (400, "text/plain")
    assert refused.text == "This form has expired. Reload the page and send it again."


def test_a_sign_in_form_of_another_tab_goes_on_when_its_member_is_signed_in_already(
    app: Flask, sign_in: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = sign_in(username="ann")
    monkeypatch.setitem(app.config, "WTF_CSRF_ENABLED", True)
    form = {"username": " Ann", "password": "x", "csrf_token": "of-the-old-session"}
    answer = ann.post("/sign-in?next=/friends", data=form)
    assert (answer.status_code, answer.location) == (303, "/friends")
    assert ann.post("/sign-in", data=form | {"username": "bob"}).status_code == 400


def test_the_session_tells_its_member_and_a_token_that_its_forms_are_taken_with(
    app: Flask,
    client: FlaskClient,
    sign_in: Callable[..., FlaskClient],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    member = sign_in()
    monkeypatch.setitem(app.config, "WTF_CSRF_ENABLED", True)
    assert client.get("/session").json["member"] == ""
    session = member.get("/session")
    assert session.json["member"].isdigit()
    assert session.cache_control.no_store
    sent = {"username": "nobody", "csrf_token": session.json["csrf_token"]}
    assert "no player with this name" in member.post("/friends/ask", data=sent, headers=PART).text


@pytest.mark.parametrize("code", [404, 405, 413])
def test_a_part_of_a_page_reads_a_refusal_as_a_sentence(client: FlaskClient, code: int) -> None:
    path = {404: "/none", 405: "/games", 413: "/register"}[code]
    data = {"username": "x" * 2_000_000} if code == 413 else {}
    answer = client.post(path, headers=PART, data=data)
    assert (answer.status_code, answer.mimetype) == (code, "text/plain")
    assert ". " in answer.text
