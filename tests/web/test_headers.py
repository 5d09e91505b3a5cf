"""Headers of every answer.

Https for good with secure cookies, and nothing personal kept by a browser.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
import structlog
from flask import Flask
from flask.testing import FlaskClient

from app.accounts.models import Member
from app.accounts.rules import LONGEST_SESSION
from app.core import clock
from app.core.http.rate_limits import limiter
from tests.conftest import PASSWORD

PAGES = [
    "/",
    "/leagues",
    "/account",
    "/account/second-factor",
    "/integrators",
    "/friends",
    "/boards",
    "/games",
]


@pytest.mark.parametrize("path", PAGES)
def test_no_browser_keeps_what_a_signed_in_person_sees(
    sign_in: Callable[..., FlaskClient], path: str
) -> None:
    client = sign_in()
    for headers in ({}, {"HX-Request": "true"}):
        answer = client.get(path, headers=headers)
        assert "no-store" in answer.headers["Cache-Control"], path
        assert "public" not in answer.headers["Cache-Control"]


@pytest.mark.parametrize(
    "path", ["/sign-in", "/register", "/reset?token=x", "/forgot", "/sign-in/second"]
)
def test_no_browser_keeps_the_pages_with_secrets(client: FlaskClient, path: str) -> None:
    assert "no-store" in client.get(path).headers["Cache-Control"]


def test_tokens_and_personal_json_are_not_kept(sign_in: Callable[..., FlaskClient]) -> None:
    answer = sign_in().post("/v1/tokens/mine")
    assert answer.status_code == 200
    assert "no-store" in answer.headers["Cache-Control"]


def test_browsers_ask_by_https_only_once_cookies_are_secure(
    app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Strict-Transport-Security" not in client.get("/").headers
    monkeypatch.setitem(app.config, "SESSION_COOKIE_SECURE", True)
    for path in ("/", "/static/css/base.css", "/v1/games", "/no-such-page"):
        header = client.get(path, base_url="https://localhost").headers["Strict-Transport-Security"]
        assert header == "max-age=31536000; includeSubDomains", path


def test_cookies_of_https_are_this_hosts_alone(
    app: Flask, client: FlaskClient, member: Callable[..., Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.config, "SESSION_COOKIE_SECURE", True)
    member("ann")
    fields = {"username": "ann", "password": PASSWORD}
    answer = client.post("/sign-in", data=fields, base_url="https://localhost")
    cookies = {cookie.partition("=")[0]: cookie for cookie in answer.headers.getlist("Set-Cookie")}
    assert cookies.keys() == {"__Host-session", "__Host-device"}
    for cookie in cookies.values():
        attributes = {part.strip() for part in cookie.split(";")}
        assert {"Secure", "HttpOnly", "Path=/", "SameSite=Lax"} <= attributes
        assert "Domain" not in cookie
    assert client.get("/account", base_url="https://localhost").status_code == 200


def test_signing_out_has_the_browser_forget_what_it_cached(
    sign_in: Callable[..., FlaskClient],
) -> None:
    answer = sign_in().post("/sign-out")
    assert answer.headers["Clear-Site-Data"] == '"cache"', (
        "not storage: the console keeps unsent entries there"
    )


@pytest.mark.parametrize(
    "path", ["/", "/sign-in", "/v1/games", "/healthz", "/static/css/base.css", "/no-such-page"]
)
def test_every_answer_has_the_headers_that_guard_browsers(client: FlaskClient, path: str) -> None:
    headers = client.get(path, headers={"Origin": "https://elsewhere.example"}).headers
    policy = headers["Content-Security-Policy"].split("; ")
    assert {
        "default-src 'none'",
        "object-src 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    } <= set(policy)
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert "Access-Control-Allow-Origin" not in headers
    if headers["Content-Type"].startswith("text/"):
        assert "charset=utf-8" in headers["Content-Type"]


@pytest.mark.parametrize("path", ["/", "/sign-in", "/v1/games", "/static/css/base.css"])
def test_trace_is_refused(client: FlaskClient, path: str) -> None:
    answer = client.open(path, method="TRACE", headers={"X-Secret": "echo of this"})
    assert answer.status_code == 405
    assert "echo of this" not in answer.text


def test_what_is_refused_is_logged_without_what_was_sent(
    app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.config, "WTF_CSRF_ENABLED", True)
    with structlog.testing.capture_logs() as lines:
        assert client.post("/register", data={"username": "ann-secret"}).status_code == 400
        assert client.get("/?next=secret%00").status_code == 400
        assert (
            client.post("/v1/tokens/refresh", json={"refresh_token": "secret"}).status_code == 401
        )
    refused = [line for line in lines if line["event"] == "refused_request"]
    assert [(line["reason"], line["endpoint"]) for line in refused] == [
        ("csrf", "accounts.register_now"),
        ("odd input", "home.show"),
        ("not allowed", "api.refresh_token"),
    ]
    assert "secret" not in str(lines)


def test_a_limit_that_was_reached_is_logged(app: Flask, client: FlaskClient) -> None:
    limiter.enabled = True
    with structlog.testing.capture_logs() as lines:
        answers = [client.post("/register", data={}).status_code for _ in range(21)]
    assert answers[-1] == 429
    assert {line["reason"] for line in lines if line["event"] == "refused_request"} == {
        "rate limit"
    }


def test_a_wait_to_sign_in_is_logged(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    moment = clock.now()
    monkeypatch.setattr(clock, "now", lambda: moment)  # the first wait is two seconds
    with structlog.testing.capture_logs() as lines:
        answers = [
            client.post("/sign-in", data={"username": "ann", "password": "a guess"})
            for _ in range(7)
        ]
    assert answers[-1].status_code == 429
    delayed = [line for line in lines if line["event"] == "sign_in_delayed"]
    assert delayed
    assert "ann" not in str(delayed)
    assert "a guess" not in str(lines)


@pytest.mark.parametrize("path", ["/static/", "/static/css/", "/static/css", "/assets/"])
def test_folders_are_not_listed(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_cookie_is_taken_no_longer_than_a_session_may_last(app: Flask) -> None:
    assert app.permanent_session_lifetime == LONGEST_SESSION
