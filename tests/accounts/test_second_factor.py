"""Authenticator apps and recovery codes.

Signing in asks for them, each code is good once, staff need one in production.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pyotp
import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select
from werkzeug.test import TestResponse

from app.accounts import second_factors, services, staff
from app.accounts.models import Authenticator, Member
from app.audit.acts import Act
from app.audit.models import AuditEntry
from app.core import clock
from app.core.db import db
from tests.conftest import PASSWORD


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], datetime]:
    """Moves the clock on by so many seconds."""
    moment = [clock.now()]
    monkeypatch.setattr(clock, "now", lambda: moment[0])

    def move(seconds: float) -> datetime:
        moment[0] += timedelta(seconds=seconds)
        return moment[0]

    return move


def code_at(secret: str, moment: datetime) -> str:
    return pyotp.TOTP(secret).at(int(moment.timestamp()))


def set_up(client: FlaskClient) -> tuple[str, list[str]]:
    """The authenticator secret that the client sets up on the page, and the recovery codes."""
    assert client.post("/account/second-factor/app").status_code == 303
    page = client.get("/account/second-factor").text
    secret = re.search(r'class="secret">([A-Z2-7]{32})<', page)
    assert secret is not None
    assert "<svg" in page
    answer = client.post(
        "/account/second-factor/app/confirm", data={"code": code_at(secret[1], clock.now())}
    )
    assert answer.status_code == 200, answer.text
    codes = re.findall(r"<li><code>((?:[a-z0-9]{6}-){3}[a-z0-9]{6})</code></li>", answer.text)
    assert len(codes) == 10
    assert codes[0] not in client.get("/account/second-factor").text, "shown once"
    return secret[1], codes


def begin(app: Flask, username: str = "a-member") -> FlaskClient:
    """A new browser that has given the right password."""
    client = app.test_client()
    answer = client.post(
        "/sign-in?next=/leagues", data={"username": username, "password": PASSWORD}
    )
    assert (answer.status_code, answer.headers["Location"]) == (
        303,
        "/sign-in/second?next=/leagues",
    )
    return client


def give(client: FlaskClient, code: str) -> TestResponse:
    return client.post("/sign-in/second?next=/leagues", data={"code": code})


def test_signing_in_asks_for_the_code_and_nothing_opens_before(
    app: Flask, sign_in: Callable[..., FlaskClient], later: Callable[[float], datetime]
) -> None:
    secret, _ = set_up(sign_in())
    client = begin(app)
    assert client.get("/leagues").status_code == 302, "the password alone signs nobody in"
    assert client.get("/sign-in/second").status_code == 200
    wrong = give(client, "000000")
    assert wrong.status_code == 422
    assert "This code is wrong" in wrong.text
    answer = give(client, code_at(secret, later(30)))
    assert (answer.status_code, answer.headers["Location"]) == (303, "/leagues")
    assert client.get("/leagues").status_code == 200


def test_a_code_is_good_once_and_for_a_step_of_drift(
    app: Flask, sign_in: Callable[..., FlaskClient], later: Callable[[float], datetime]
) -> None:
    secret, _ = set_up(sign_in())
    moment = later(300)
    assert give(begin(app), code_at(secret, moment)).status_code == 303
    assert give(begin(app), code_at(secret, moment)).status_code == 422, "used"
    assert give(begin(app), code_at(secret, moment - timedelta(seconds=30))).status_code == 422, (
        "before a used one"
    )
    moment = later(300)
    assert give(begin(app), code_at(secret, moment - timedelta(seconds=60))).status_code == 422
    assert give(begin(app), code_at(secret, moment + timedelta(seconds=60))).status_code == 422
    assert give(begin(app), code_at(secret, moment - timedelta(seconds=30))).status_code == 303
    assert give(begin(app), code_at(secret, moment + timedelta(seconds=30))).status_code == 303


def test_a_recovery_code_signs_in_once(app: Flask, sign_in: Callable[..., FlaskClient]) -> None:
    client = sign_in()
    _, codes = set_up(client)
    assert give(begin(app), codes[3].upper().replace("-", " ")).status_code == 303
    assert give(begin(app), codes[3]).status_code == 422
    assert "9 left" in client.get("/account/second-factor").text
    renewed = re.findall(
        r"<code>((?:[a-z0-9]{6}-){3}[a-z0-9]{6})</code>",
        client.post("/account/second-factor/recovery-codes").text,
    )
    assert len(renewed) == 10
    assert give(begin(app), codes[4]).status_code == 422, "the old ones have ended"
    assert give(begin(app), renewed[4]).status_code == 303


def test_guessing_codes_is_slowed_down(
    app: Flask, sign_in: Callable[..., FlaskClient], later: Callable[[float], datetime]
) -> None:
    set_up(sign_in())
    client = begin(app)
    assert [give(client, f"{n:06}").status_code for n in range(7)] == [422] * 5 + [429] * 2
    assert give(begin(app), "000000").status_code == 429, "giving the password again frees no tries"


def test_the_step_between_ends_by_itself_and_with_the_password(
    app: Flask, sign_in: Callable[..., FlaskClient], later: Callable[[float], datetime]
) -> None:
    client = sign_in()
    secret, _ = set_up(client)
    slow, changed = begin(app), begin(app)
    data = {"current": PASSWORD, "new": "a window full of rain"}
    assert client.post("/account/password", data=data).status_code == 303
    refused = give(changed, code_at(secret, later(60)))
    assert refused.headers["Location"] == "/sign-in?next=/leagues", "it was another password"
    refused = give(slow, code_at(secret, later(601)))
    assert refused.headers["Location"] == "/sign-in?next=/leagues"
    assert give(app.test_client(), code_at(secret, clock.now())).status_code == 303
    assert app.test_client().get("/sign-in/second").status_code == 302


def test_an_app_that_was_not_confirmed_does_not_count(
    app: Flask, sign_in: Callable[..., FlaskClient]
) -> None:
    client = sign_in()
    client.post("/account/second-factor/app")
    assert (
        client.post("/account/second-factor/app/confirm", data={"code": "000000"}).status_code
        == 422
    )
    again = app.test_client().post("/sign-in", data={"username": "a-member", "password": PASSWORD})
    assert again.headers["Location"] == "/"


def test_an_app_is_removed_after_the_password_and_the_recovery_codes_go_with_it(
    app: Flask, sign_in: Callable[..., FlaskClient], later: Callable[[float], datetime]
) -> None:
    client = sign_in()
    set_up(client)
    later(601)
    assert client.post("/account/second-factor/app/remove").status_code == 403
    assert (
        client.post(
            "/account/second-factor/app/remove", data={"confirm_password": PASSWORD}
        ).status_code
        == 303
    )
    member = services.find_member("a-member")
    assert member is not None
    assert second_factors.of(member.id) == second_factors.Factors(False, (), 0)
    acts = (
        select(AuditEntry.act).where(AuditEntry.act.like("%second_factor%")).order_by(AuditEntry.id)
    )
    assert db.session.scalars(acts).all() == [
        "account.second_factor_added",
        "account.second_factor_removed",
    ]


def test_the_secret_is_kept_encrypted_and_lost_with_the_key(
    app: Flask, sign_in: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, codes = set_up(sign_in())
    authenticator = db.session.scalars(select(Authenticator)).one()
    assert secret not in authenticator.secret
    monkeypatch.setitem(app.config, "SECRET_KEY", "another one of more than 32 characters")
    moment = clock.now() + timedelta(minutes=5)
    assert not second_factors.check_code(authenticator.member_id, code_at(secret, moment), moment)
    assert second_factors.check_code(authenticator.member_id, codes[0], moment), (
        "recovery codes need no key"
    )


@pytest.fixture
def production(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(app.config, "PRESSBOX", replace(app.config["PRESSBOX"], production=True))


@pytest.mark.usefixtures("production")
@pytest.mark.parametrize(
    ("role", "page"),
    [("scorer", "/console/"), ("moderator", "/moderation"), ("operator", "/ops/accounts")],
)
def test_in_production_staff_work_only_with_a_second_factor(
    app: Flask, sign_in: Callable[..., FlaskClient], role: str, page: str
) -> None:
    client = sign_in(role)
    answer = client.get(page)
    assert (answer.status_code, answer.headers["Location"]) == (
        302,
        "/account/second-factor?needed=1",
    )
    after = client.get(answer.headers["Location"]).text
    assert "Set up one of these" in after
    assert page not in after, "nor do the pages of everybody show what staff may do"
    set_up(client)
    assert client.get(page).status_code == 200
    client.post("/account/second-factor/app/remove")
    assert client.get(page).status_code == 302


@pytest.mark.usefixtures("production")
def test_in_production_a_plain_member_needs_no_second_factor(
    sign_in: Callable[..., FlaskClient],
) -> None:
    client = sign_in()
    assert client.get("/leagues").status_code == 200
    assert client.get("/console/").status_code == 404


def test_an_operator_takes_lost_factors_away_and_every_session_ends(
    app: Flask, sign_in: Callable[..., FlaskClient], member: Callable[..., Member]
) -> None:
    client = sign_in()
    set_up(client)
    lost = services.find_member("a-member")
    assert lost is not None
    reset = staff.reset(
        lost, clock.now(), actor_id=None, reason="lost their phone", second_factor=True
    )
    assert isinstance(reset, str)
    assert client.get("/leagues").status_code == 302
    assert not second_factors.of(lost.id).any


def test_the_audit_says_with_what_somebody_signed_in_or_failed(
    app: Flask, sign_in: Callable[..., FlaskClient]
) -> None:
    _, codes = set_up(sign_in())
    app.test_client().post("/sign-in", data={"username": "a-member", "password": "not this one"})
    client = begin(app)
    give(client, "000000")
    give(client, codes[0])
    query = (
        select(AuditEntry)
        .where(AuditEntry.act.in_([Act.SIGNED_IN, Act.SIGN_IN_FAILED]))
        .order_by(AuditEntry.id)
    )
    assert [(entry.act, entry.details["with"]) for entry in db.session.scalars(query)] == [
        (Act.SIGNED_IN, "password"),
        (Act.SIGN_IN_FAILED, "password"),
        (Act.SIGN_IN_FAILED, "code"),
        (Act.SIGNED_IN, "password, code"),
    ]
