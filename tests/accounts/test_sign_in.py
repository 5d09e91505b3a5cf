from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select
from zxcvbn.frequency_lists import FREQUENCY_LISTS

from app.accounts import rules
from app.accounts.models import Member, MemberSession
from app.core import clock
from app.core.db import db
from tests.conftest import FULL_COST_HASHER, PASSWORD
from tests.pages import without_tokens


def test_a_member_registers_and_is_signed_in(client: FlaskClient) -> None:
    answer = client.post(
        "/register",
        data={"username": "ann", "display_name": "Ann O.", "password": "four words in line"},
    )
    assert answer.status_code == 303
    assert "Ann O." in client.get("/").text


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("username", "a b", "Use 3 to 30 letters"),
        ("username", "Taken", "This username is taken"),
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


def test_outside_of_tests_a_password_is_hashed_at_the_cost_of_rfc_9106() -> None:
    """Tests use a cheap hasher.

    The application's own has the second recommended option, 64 MiB and three passes.
    """
    hasher = FULL_COST_HASHER()
    assert (hasher.memory_cost, hasher.time_cost, hasher.parallelism) == (64 * 1024, 3, 4)


def test_every_breached_password_that_is_long_enough_is_refused() -> None:
    """Of the 30,000 most used ones that ship with zxcvbn."""
    long = [
        password for password in FREQUENCY_LISTS["passwords"] if len(password) >= rules.PASSWORD_MIN
    ]
    assert len(long) > 1_000
    assert [password for password in long if rules.password_fault(password, "ann") is None] == []


def test_a_wrong_password_and_an_unknown_name_get_the_same_answer(
    client: FlaskClient, member: Callable[..., Member]
) -> None:
    member("ann")
    wrong = client.post("/sign-in", data={"username": "ann", "password": "not this one"})
    unknown = client.post("/sign-in", data={"username": "bob", "password": "not this one"})
    assert wrong.status_code == unknown.status_code == 422
    assert "Wrong username or password" in wrong.text
    assert without_tokens(wrong.text).replace("ann", "bob") == without_tokens(unknown.text)


@pytest.mark.parametrize(
    "target", ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)"]
)
def test_signing_in_never_leads_to_another_site(
    client: FlaskClient, member: Callable[..., Member], target: str
) -> None:
    member("ann")
    answer = client.post(
        "/sign-in", query_string={"next": target}, data={"username": "ann", "password": PASSWORD}
    )
    assert answer.headers["Location"] == "/"


def test_signing_in_leads_back_to_the_page_that_was_wanted(
    client: FlaskClient, member: Callable[..., Member]
) -> None:
    member("ann")
    refused = client.get("/leagues")
    assert refused.status_code == 302
    answer = client.post(
        refused.headers["Location"], data={"username": "ann", "password": PASSWORD}
    )
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
    assert "Page not found" in answer.text
    assert "refused" in "".join(capsys.readouterr())


def test_a_stranger_gets_404_on_staff_pages(client: FlaskClient) -> None:
    assert client.get("/console/").status_code == 404


def test_forms_without_their_token_are_refused(app: Flask, client: FlaskClient) -> None:
    app.config["WTF_CSRF_ENABLED"] = True
    answer = client.post("/sign-in", data={"username": "ann", "password": PASSWORD})
    assert answer.status_code == 400
    assert "Reload the page" in answer.text


def test_many_tries_are_slowed_down(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    moment = clock.now()
    monkeypatch.setattr(clock, "now", lambda: moment)  # the first wait is two seconds
    answers = [
        client.post("/sign-in", data={"username": "ann", "password": "guess"}) for _ in range(12)
    ]
    assert [answer.status_code for answer in answers[:5]] == [422] * 5
    assert answers[-1].status_code == 429
    assert "Retry-After" in answers[-1].headers


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


def cookie_of(client: FlaskClient) -> str:
    cookie = client.get_cookie("session")
    assert cookie is not None
    return cookie.value


@pytest.mark.parametrize("path", ["/", "/leagues", "/console/", "/console/sw.js", "/clubs.css"])
def test_no_answer_sets_the_cookie_of_a_session_anew(
    sign_in: Callable[..., FlaskClient], path: str
) -> None:
    """Else one that was under way while the session's cookie went away would bring it back."""
    client = sign_in("scorer")
    for headers in ({}, {"HX-Request": "true"}, {"User-Agent": "another"}):
        answer = client.get(path, headers=headers)
        assert answer.status_code == 200
        assert "Set-Cookie" not in answer.headers


def test_a_late_answer_does_not_sign_in_again(sign_in: Callable[..., FlaskClient]) -> None:
    client = sign_in()
    before = cookie_of(client)
    client.post("/sign-out")
    client.set_cookie("session", before)
    assert client.get("/leagues").status_code == 302
    assert client.get("/sign-in").status_code == 200, "the form, not the way back to the front page"
    client.post("/sign-in", data={"username": "a-member", "password": PASSWORD})
    assert client.get("/leagues").status_code == 200


def test_signing_out_leaves_the_other_browsers_of_the_member_signed_in(
    sign_in: Callable[..., FlaskClient],
) -> None:
    phone, laptop = sign_in(), sign_in()
    phone.post("/sign-out")
    assert phone.get("/leagues").status_code == 302
    assert laptop.get("/leagues").status_code == 200


def test_signing_in_over_a_session_ends_it(
    sign_in: Callable[..., FlaskClient], member: Callable[..., Member]
) -> None:
    client = sign_in()
    before = cookie_of(client)
    member("bob")
    client.post("/sign-in", data={"username": "bob", "password": PASSWORD})
    assert "Bob" in client.get("/").text
    client.set_cookie("session", before)
    assert client.get("/leagues").status_code == 302


def test_a_session_in_use_is_renewed_once_an_hour(
    sign_in: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = sign_in()
    began = clock.now()
    renewed = []
    for minutes in (30, 59, 61, 90, 119, 122):
        monkeypatch.setattr(
            clock, "now", lambda minutes=minutes: began + timedelta(minutes=minutes)
        )
        if "Set-Cookie" in client.get("/leagues").headers:
            renewed.append(minutes)
    assert renewed == [61, 122]


def test_what_is_known_of_ended_sessions_goes_after_thirty_days(
    sign_in: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    sign_in().post("/sign-out")
    later = clock.now() + timedelta(days=30, hours=2)
    monkeypatch.setattr(clock, "now", lambda: later)
    sign_in().post("/sign-out")
    assert [row.ended_at for row in db.session.scalars(select(MemberSession))] == [later]


def uses(client: FlaskClient, monkeypatch: pytest.MonkeyPatch, hours: list[float]) -> list[bool]:
    """Whether the client is still signed in, when it comes so many hours after now."""
    began, waits = clock.now(), []
    for hour in hours:
        monkeypatch.setattr(clock, "now", lambda hour=hour: began + timedelta(hours=hour))
        waits.append(client.get("/leagues").status_code == 200)
    return waits


def entered(app: Flask, role: str, **more: str) -> tuple[FlaskClient, datetime]:
    """A client that signed in with the form, and when its cookie ends."""
    client = app.test_client()
    client.post("/sign-in", data={"username": f"a-{role}", "password": PASSWORD} | more)
    cookie = client.get_cookie("session")
    assert cookie is not None
    assert cookie.expires is not None
    return client, cookie.expires


def test_a_member_stays_signed_in_for_twelve_hours_after_the_last_use(
    app: Flask, member: Callable[..., Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    member("a-member")
    client, ends = entered(app, "member")
    assert timedelta(hours=11) < ends - clock.now() < timedelta(hours=13)
    assert uses(client, monkeypatch, [10, 20, 30, 43]) == [True, True, True, False]


def test_a_member_who_wishes_stays_signed_in_for_thirty_days_of_use(
    app: Flask, member: Callable[..., Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    member("a-member")
    client, ends = entered(app, "member", stay="y")
    assert timedelta(days=29) < ends - clock.now() < timedelta(days=31)
    days = [29, 58, 89]
    assert uses(client, monkeypatch, [day * 24 for day in days]) == [True, True, False]


def test_a_session_in_use_ends_on_its_ninetieth_day(
    app: Flask, member: Callable[..., Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    member("a-member")
    client, _ = entered(app, "member", stay="y")
    days = [25, 50, 75, 89.9, 90.1]
    assert uses(client, monkeypatch, [day * 24 for day in days]) == [True, True, True, True, False]


@pytest.mark.parametrize("role", ["scorer", "moderator", "operator"])
def test_staff_are_signed_in_for_a_shift(
    app: Flask, member: Callable[..., Member], monkeypatch: pytest.MonkeyPatch, role: str
) -> None:
    """However often the page is used, and whatever was ticked: the next shift signs in."""
    member(f"a-{role}", role=role)
    client, ends = entered(app, role, stay="y")
    assert timedelta(hours=11) < ends - clock.now() < timedelta(hours=13)
    assert uses(client, monkeypatch, [4, 8, 11.9, 12.1]) == [True, True, True, False]


def test_a_shift_is_as_long_as_the_setting_says(
    app: Flask, member: Callable[..., Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        app.config, "PRESSBOX", replace(app.config["PRESSBOX"], staff_session_hours=6)
    )
    member("a-scorer", role="scorer")
    client, _ = entered(app, "scorer")
    assert uses(client, monkeypatch, [5.9, 6.1]) == [True, False]


@pytest.mark.parametrize("target", ["/\r\nSet-Cookie: x=y", "/\x00", "//[", "/[::1", "/a\tb"])
def test_a_page_that_is_none_leads_to_the_front_page(
    client: FlaskClient, member: Callable[..., Member], target: str
) -> None:
    member("ann")
    data = {"username": "ann", "password": PASSWORD}
    answer = client.post("/sign-in", query_string={"next": target}, data=data)
    assert answer.status_code in (303, 400)
    assert answer.headers.get("Location", "/") in ("/", "/%5B::1")
