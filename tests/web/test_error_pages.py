"""Errors in a browser: the site's menu and a way on; for programs a problem in JSON."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from markupsafe import escape
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from structlog.testing import capture_logs
from werkzeug.exceptions import NotFound

from app.core.http import responses
from app.core.http.access import PUBLIC, audience
from app.fantasy.pages.notices import views as notice_views
from tests.statements import count_statements

MENU = 'aria-label="Main"'
public = audience(PUBLIC)


@pytest.mark.parametrize("path", ["/no-such-page", "/console/", "/games/none", "/footballers/"])
def test_a_stranger_who_is_lost_sees_the_menu_and_ways_on(client: FlaskClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert "Page not found" in answer.text
    assert MENU in answer.text
    for link in ('href="/games"', 'href="/sign-in"', 'href="/"'):
        assert link in answer.text


@pytest.mark.parametrize(
    ("asked", "page"),
    [
        ("/ops/", "/ops"),
        ("/moderation/", "/moderation"),
        ("/moderation/limits/", "/moderation/limits"),
        ("/games/?week=2&q=a%26b", "/games?week=2&q=a%26b"),
        ("/leagues/the-row/", "/leagues/the-row"),
    ],
)
def test_a_slash_at_the_end_of_an_address_leads_to_the_page(
    client: FlaskClient, asked: str, page: str
) -> None:
    answer = client.get(asked)
    assert (answer.status_code, answer.headers.get("Location")) == (308, page)


@pytest.mark.parametrize("asked", ["/none/", "/v1/games/", "/static/", "/games//"])
def test_a_slash_leads_nowhere_else(client: FlaskClient, asked: str) -> None:
    answer = client.get(asked)
    assert answer.status_code == 404 or answer.headers["Location"].endswith("/games")


def test_a_slash_never_leads_to_another_site(app: Flask) -> None:
    with app.test_request_context("/", environ_overrides={"PATH_INFO": "//evil.example/"}):
        answer = responses.http_error(NotFound())
    assert "Location" not in answer.headers


def test_a_form_that_is_sent_to_an_address_with_a_slash_is_refused(client: FlaskClient) -> None:
    assert client.post("/sign-in/").status_code in (400, 404)


def test_a_member_who_is_lost_sees_their_own_menu(sign_in: Callable[..., FlaskClient]) -> None:
    text = sign_in("member").get("/leagues/not-mine").text
    assert MENU in text
    for words in (
        "A-Member",
        'href="/team"',
        'href="/friends"',
        'href="/notices"',
        "only visible to their members",
    ):
        assert words in text
    assert 'href="/ops' not in text


@pytest.mark.parametrize("code", [403, 410])
def test_what_is_refused_or_gone_says_so_under_the_menu(app: Flask, code: int) -> None:
    with app.test_request_context("/leagues"):
        answer = responses.error_response(code)
    assert answer.status_code == code
    assert escape(responses.ERROR_TEXTS[code][0]) in answer.get_data(as_text=True)
    assert MENU in answer.get_data(as_text=True)
    assert 'href="/"' in answer.get_data(as_text=True)


def test_a_wrong_method_names_the_right_ones_and_opens_the_page(client: FlaskClient) -> None:
    answer = client.post("/games")
    assert answer.status_code == 405
    assert "GET" in answer.headers["Allow"]
    assert MENU in answer.text
    assert '<a class="button" href="/games">Open this page</a>' in answer.text
    assert "Open this page" not in client.get("/sign-out").text, "it can be sent only"


def test_programs_get_a_problem(client: FlaskClient) -> None:
    for path in ("/api/v1/none", "/v1/none"):
        answer = client.get(path)
        assert (answer.status_code, answer.mimetype) == (404, "application/problem+json")


def test_a_poll_of_a_page_that_is_gone_is_answered_without_the_members_menu(
    sign_in: Callable[..., FlaskClient],
) -> None:
    answer = sign_in("member").get("/leagues/none", headers={"HX-Request": "true"})
    assert answer.status_code == 404
    assert "A-Member" not in answer.text


def test_without_the_database_the_error_is_told_under_everybodys_menu(
    app: Flask, sign_in: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(member_id: int) -> int:
        raise OperationalError("SELECT 1", {}, Exception("connection refused"))

    client = sign_in("member")
    monkeypatch.setattr(notice_views.notices, "calling", away)
    answer = client.get("/no-such-page")
    assert answer.status_code == 404
    assert "Page not found" in answer.text
    assert MENU in answer.text


@pytest.mark.parametrize(
    "error",
    [
        OperationalError("SELECT 1", {}, psycopg.OperationalError("connection refused")),
        OperationalError("SELECT 1", {}, psycopg.errors.AdminShutdown("terminating connection")),
        InterfaceError("SELECT 1", {}, psycopg.InterfaceError("the connection is closed")),
        PoolTimeoutError("QueuePool limit reached"),
        redis.ConnectionError("Connection refused"),
        redis.exceptions.OutOfMemoryError("command not allowed when used memory > 'maxmemory'"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_page_whose_store_is_away_answers_503_as_the_api_does(
    app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """RFC 9110, 15.6.4: the server cannot handle it now, and says when to come again.

    500 is a fault of ours.
    """

    def away(*_args: object, **_values: object) -> None:
        raise error

    monkeypatch.setitem(app.view_functions, "accounts.sign_in", public(away))
    answer = client.get("/sign-in")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "30")
    assert responses.ERROR_TEXTS[503][0] in answer.text


def test_a_wrong_command_to_redis_is_a_fault_of_ours_with_a_number_and_a_traceback(
    app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RFC 9110, 15.6.1: no later try helps, so it must not pass for a store that is away."""

    def wrong(*_args: object, **_values: object) -> None:
        raise redis.ResponseError(
            "WRONGTYPE Operation against a key holding the wrong kind of value"
        )

    monkeypatch.setitem(app.view_functions, "accounts.sign_in", public(wrong))
    monkeypatch.setitem(app.config, "PROPAGATE_EXCEPTIONS", False)
    with capture_logs() as lines:
        answer = client.get("/sign-in")
    assert answer.status_code == 500
    assert [
        (line["event"], line.get("exc_info")) for line in lines if line["log_level"] == "error"
    ] == [("unhandled", True)]


def test_a_page_that_breaks_keeps_the_members_menu_and_leads_back(
    app: Flask, sign_in: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = sign_in("member")

    def broken() -> str:
        raise ZeroDivisionError

    broken.audience = app.view_functions["leagues.index"].audience  # type: ignore[attr-defined]
    monkeypatch.setitem(app.view_functions, "leagues.index", broken)
    monkeypatch.setitem(app.config, "PROPAGATE_EXCEPTIONS", False)
    answer = client.get("/leagues")
    assert answer.status_code == 500
    for words in (
        "Something broke on our side",
        "A-Member",
        'href="/notices"',
        '<a class="button" href="/leagues">',
    ):
        assert words in answer.text, words


def test_faults_of_ours_and_limits_ask_no_store(app: Flask) -> None:
    with app.test_request_context("/leagues"), count_statements() as asked:
        for code in (429, 500, 503):
            text = responses.error_response(code).get_data(as_text=True)
            assert MENU in text, code
    assert asked() == 0
