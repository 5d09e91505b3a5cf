"""One's own account: the password, where one is signed in, and signing out elsewhere."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select

from app.accounts import member_sessions, services
from app.accounts.models import Member, MemberSession
from app.audit.models import AuditEntry
from app.core import clock
from app.core.db import db
from tests.conftest import PASSWORD

NEW = "a window full of rain"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605 Mobile/15E148 "
    "Safari/604.1"
)


def signed_in(app: Flask, browser: str, address: str) -> FlaskClient:
    """A client of `a-member` with that browser at that address."""
    client = app.test_client()
    data = {"username": "a-member", "password": PASSWORD}
    answer = client.post(
        "/sign-in",
        data=data,
        headers={"User-Agent": browser},
        environ_base={"REMOTE_ADDR": address},
    )
    assert answer.status_code == 303
    return client


def acts() -> list[str]:
    return list(db.session.scalars(select(AuditEntry.act).order_by(AuditEntry.id)))


def bearer(client: FlaskClient) -> dict[str, str]:
    """The header of a player token that the session's member asks for."""
    answer = client.post("/v1/tokens/mine")
    assert answer.status_code == 200, answer.text
    return {"Authorization": f"Bearer {answer.json['access_token']}"}  # type: ignore[index]


def is_taken(app: Flask, header: dict[str, str]) -> bool:
    """Whether a player token is still known: the request is looked into, and its game is none."""
    status = (
        app.test_client()
        .post("/v1/games/none/modes/none/scores", headers=header, json={})
        .status_code
    )
    assert status in (400, 401)
    return status == 400


def test_the_page_lists_every_session_with_its_browser_and_address(
    app: Flask, member: Callable[..., Member]
) -> None:
    member("a-member")
    laptop = signed_in(app, FIREFOX, "192.0.2.1")
    signed_in(app, IPHONE, "198.51.100.7")
    page = laptop.get("/account").text
    assert "Firefox on Linux" in page
    assert "Safari on iPhone" in page
    assert "198.51.100.7" in page
    assert page.count("This device") == 1


def test_a_strange_session_is_ended_with_the_player_tokens_begun_in_it(
    app: Flask, member: Callable[..., Member]
) -> None:
    member("a-member")
    laptop, stranger = signed_in(app, FIREFOX, "192.0.2.1"), signed_in(app, IPHONE, "198.51.100.7")
    mine, other_token = bearer(laptop), bearer(stranger)
    assert is_taken(app, other_token)
    ends = re.findall(r'action="(/account/sessions/[0-9a-f]{32}/end)"', laptop.get("/account").text)
    assert len(ends) == 1, "one's own session is ended by signing out"
    assert laptop.post(ends[0]).status_code == 303
    assert stranger.get("/leagues").status_code == 302
    assert not is_taken(app, other_token)
    assert laptop.get("/leagues").status_code == 200
    assert is_taken(app, mine)
    assert laptop.post(ends[0]).status_code == 404, "there is none of that name any more"


def test_signing_out_ends_the_player_tokens_of_the_session(
    app: Flask, member: Callable[..., Member]
) -> None:
    member("a-member")
    client = signed_in(app, FIREFOX, "192.0.2.1")
    answer = client.post("/v1/tokens/mine").json
    assert answer is not None
    client.post("/sign-out")
    assert not is_taken(app, {"Authorization": f"Bearer {answer['access_token']}"})
    refreshed = app.test_client().post(
        "/v1/tokens/refresh", json={"refresh_token": answer["refresh_token"]}
    )
    assert refreshed.status_code == 401
    assert acts() == ["account.signed_in", "account.signed_out"]


def test_nobody_ends_the_session_of_somebody_else(
    app: Flask, member: Callable[..., Member], sign_in: Callable[..., FlaskClient]
) -> None:
    member("a-member")
    other_browser = signed_in(app, FIREFOX, "192.0.2.1")
    session = db.session.scalars(select(MemberSession)).one()
    other = sign_in(username="bob")
    assert other.post(f"/account/sessions/{session.id}/end").status_code == 404
    assert other_browser.get("/leagues").status_code == 200


def test_an_app_is_signed_out_by_itself(app: Flask, member: Callable[..., Member]) -> None:
    member("a-member")
    client = signed_in(app, FIREFOX, "192.0.2.1")
    first, second = bearer(client), bearer(client)
    ends = re.findall(r'action="(/account/apps/[0-9a-f-]{36}/end)"', client.get("/account").text)
    assert len(ends) == 2
    assert client.post(ends[0]).status_code == 303
    assert sorted([is_taken(app, first), is_taken(app, second)]) == [False, True]
    assert client.post(ends[0]).status_code == 404


def test_signing_out_everywhere_else_leaves_this_session_and_its_apps(
    app: Flask, member: Callable[..., Member]
) -> None:
    member("a-member")
    here, there = signed_in(app, FIREFOX, "192.0.2.1"), signed_in(app, IPHONE, "198.51.100.7")
    mine, other_token = bearer(here), bearer(there)
    assert here.post("/account/sessions/end").status_code == 303
    assert here.get("/leagues").status_code == 200
    assert there.get("/leagues").status_code == 302
    assert is_taken(app, mine)
    assert not is_taken(app, other_token)
    assert acts()[-1] == "account.sessions_ended"


def test_a_new_password_ends_every_other_session_and_token(
    app: Flask, member: Callable[..., Member]
) -> None:
    member("a-member")
    here, there = signed_in(app, FIREFOX, "192.0.2.1"), signed_in(app, IPHONE, "198.51.100.7")
    other_token = bearer(there)
    answer = here.post("/account/password", data={"current": PASSWORD, "new": NEW})
    assert answer.status_code == 303
    assert "Password changed" in here.get(answer.headers["Location"]).text
    assert there.get("/leagues").status_code == 302
    assert not is_taken(app, other_token)
    assert services.check_password("a-member", NEW) is not None
    assert services.check_password("a-member", PASSWORD) is None
    assert acts()[-1] == "account.password_changed"


@pytest.mark.parametrize(
    ("current", "new", "sentence"),
    [
        ("not this one", NEW, "Wrong password"),
        (PASSWORD, "short", "at least 10 characters"),
        (PASSWORD, "password123", "This password is too common"),
        (PASSWORD, "A-Member 1999", "This password is too common"),
        (PASSWORD, "To be, or not to be", "This password is too common"),
        (PASSWORD, PASSWORD, "Choose a password that differs from your current one"),
        (PASSWORD, "", "Choose a new password"),
    ],
    ids=[
        "wrong",
        "short",
        "breached",
        "made of the name",
        "a saying of the list",
        "the same",
        "none",
    ],
)
def test_a_refused_password_says_what_to_change_and_changes_nothing(
    sign_in: Callable[..., FlaskClient], current: str, new: str, sentence: str
) -> None:
    client = sign_in()
    answer = client.post("/account/password", data={"current": current, "new": new})
    assert answer.status_code == 422
    assert sentence in answer.text
    assert PASSWORD not in answer.text
    assert services.check_password("a-member", PASSWORD) is not None


def test_wrong_current_passwords_are_slowed_down(
    sign_in: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = sign_in()
    later(monkeypatch, seconds=0)  # and no further: the first wait is two seconds
    data = {"current": "guess", "new": NEW}
    assert [client.post("/account/password", data=data).status_code for _ in range(7)] == [
        422
    ] * 5 + [429] * 2


def later(monkeypatch: pytest.MonkeyPatch, **passed: float) -> None:
    moment = clock.now() + timedelta(**passed)
    monkeypatch.setattr(clock, "now", lambda: moment)


def test_a_destructive_act_asks_for_the_password_again_and_loses_nothing(
    sign_in: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page that asks sends the same form again, with what was typed."""
    client, other = sign_in(), sign_in()
    later(monkeypatch, minutes=11)
    asked = client.post(
        "/account/sessions/end", data={"note": 'a "quoted" <reason>', "tick": ["1", "2"]}
    )
    assert asked.status_code == 403
    assert "Confirm it's you" in asked.text
    assert 'name="note" value="a &#34;quoted&#34; &lt;reason&gt;"' in asked.text
    assert asked.text.count('name="tick"') == 2
    assert other.get("/leagues").status_code == 200, "nothing was done yet"
    wrong = client.post("/account/sessions/end", data={"confirm_password": "guess"})
    assert wrong.status_code == 422
    assert "Wrong password" in wrong.text
    assert (
        client.post("/account/sessions/end", data={"confirm_password": PASSWORD}).status_code == 303
    )
    assert other.get("/leagues").status_code == 302
    assert client.post("/account/sessions/end").status_code == 303, "asked once in ten minutes"
    later(monkeypatch, minutes=10)
    assert client.post("/account/sessions/end").status_code == 403


def test_an_act_by_htmx_leads_to_the_page_that_asks_and_back(
    sign_in: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = sign_in()
    later(monkeypatch, minutes=11)
    headers = {"HX-Request": "true", "HX-Current-URL": "http://localhost/account"}
    asked = client.post("/account/sessions/end", headers=headers)
    assert (asked.status_code, asked.headers["HX-Redirect"]) == (
        204,
        "/account/confirm?next=/account",
    )
    page = asked.headers["HX-Redirect"]
    assert client.get(page).status_code == 200
    assert client.post(page, data={"password": "guess"}).status_code == 422
    answer = client.post(page, data={"password": PASSWORD})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/account")
    assert client.post("/account/sessions/end", headers=headers).status_code == 303


def test_the_session_goes_on_under_a_new_id_once_the_password_was_given_again(
    app: Flask, member: Callable[..., Member]
) -> None:
    """Whoever had a copy of its cookie is out, and what was begun in it is not lost."""
    member("a-member")
    client, other = signed_in(app, FIREFOX, "192.0.2.1"), signed_in(app, IPHONE, "198.51.100.7")
    mine = bearer(client)
    before = client.get_cookie("session")
    assert before is not None
    copy = app.test_client()
    copy.set_cookie("session", before.value)
    assert copy.get("/leagues").status_code == 200
    assert client.post("/account/confirm", data={"password": PASSWORD}).status_code == 303
    after = client.get_cookie("session")
    assert after is not None
    assert after.value != before.value
    assert copy.get("/leagues").status_code == 302
    assert [browser.get("/leagues").status_code for browser in (client, other)] == [200, 200]
    assert is_taken(app, mine)
    assert len(db.session.scalars(select(MemberSession)).all()) == 2
    client.post("/sign-out")
    assert not is_taken(app, mine), "its tokens are those of the session still"


def test_two_tabs_that_give_the_password_at_once_are_one_session(
    app: Flask, member: Callable[..., Member]
) -> None:
    owner = member("a-member")
    signed_in(app, FIREFOX, "192.0.2.1")
    session = db.session.scalars(
        select(MemberSession.id).where(MemberSession.member_id == owner.id)
    ).one()
    assert member_sessions.verify(session, "a" * 32, clock.now(), second_factor=False)
    assert not member_sessions.verify(session, "b" * 32, clock.now(), second_factor=False)
    assert db.session.scalars(select(MemberSession.id)).all() == ["a" * 32]


@pytest.mark.parametrize("target", ["https://evil.example", "//evil.example", "/\\evil.example"])
def test_the_page_that_asks_never_leads_to_another_site(
    sign_in: Callable[..., FlaskClient], target: str
) -> None:
    client = sign_in()
    answer = client.post(
        "/account/confirm", query_string={"next": target}, data={"password": PASSWORD}
    )
    assert answer.headers["Location"] == "/account"


def test_every_failed_sign_in_costs_one_hash(
    app: Flask, client: FlaskClient, member: Callable[..., Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Response times do not reveal unknown names, wrong passwords or missing passwords."""
    member("ann")
    member("imported").password_hash = "!"
    db.session.commit()
    hashed: list[str] = []
    hasher = services.hasher()

    class Counting:
        def hash(self, password: str) -> str:
            return hasher.hash(password)

        def verify(self, password_hash: str, password: str) -> bool:
            if password_hash.startswith("$argon2id$"):
                hashed.append(password_hash)
            return hasher.verify(password_hash, password)

    monkeypatch.setattr(services, "hasher", Counting)
    for username in ("ann", "nobody", "imported"):
        hashed.clear()
        assert (
            client.post("/sign-in", data={"username": username, "password": "guess"}).status_code
            == 422
        )
        assert len(hashed) == 1, username
        assert acts()[-1] == "account.sign_in_failed"
