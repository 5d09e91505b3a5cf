"""Operators make accounts and staff, on their page and by command.

Every act needs a reason and is audited.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from click.testing import CliRunner, Result
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select

from app.accounts import services, staff
from app.accounts.models import Member
from app.audit.models import AuditEntry
from app.cli import accounts as commands
from app.cli import main
from app.core import clock
from app.core.db import db
from tests.commands import use_here
from tests.conftest import PASSWORD

NEW = "a window full of rain"
WHY = "keeps the book of the home games"


@pytest.fixture
def pressbox(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    use_here(monkeypatch, commands, app)
    return lambda *arguments: CliRunner().invoke(main, ["accounts", *arguments])


def found(username: str) -> Member:
    member = services.find_member(username)
    assert member is not None
    db.session.refresh(member)
    return member


def last_entry() -> AuditEntry:
    return db.session.scalars(select(AuditEntry).order_by(AuditEntry.id.desc()).limit(1)).one()


def test_the_first_operator_is_made_by_a_command_that_prints_a_link(
    client: FlaskClient, pressbox: Callable[..., Result]
) -> None:
    result = pressbox("create", "olive", "--role", "operator")
    assert result.exit_code == 0, result.output
    link = re.search(
        r"^http://127\.0\.0\.1:8000(/reset\?token=([\w-]{43}))$", result.stdout, re.MULTILINE
    )
    assert link is not None, result.stdout
    assert client.post("/sign-in", data={"username": "olive", "password": "!"}).status_code == 422
    assert client.post("/reset", data={"token": link[2], "new": NEW}).status_code == 303
    assert client.post("/sign-in", data={"username": "olive", "password": NEW}).status_code == 303
    assert client.get("/ops/accounts").status_code == 200
    entry = db.session.scalars(select(AuditEntry).order_by(AuditEntry.id)).first()
    assert entry is not None
    assert (entry.act, entry.actor_id, entry.reason) == (
        "account.made",
        None,
        "by a command on the server",
    )
    assert entry.details == {"roles": ["operator"]}


def test_a_command_that_cannot_be_done_says_why(
    pressbox: Callable[..., Result], member: Callable[..., Member]
) -> None:
    member("olive", role="operator")
    member("ann")
    for arguments, sentence in (
        (("create", "ann"), "This username is taken"),
        (("create", "o"), "Use 3 to 30 letters"),
        (("create", "otto", "--reason", "x"), "Give a reason"),
        (("role", "nobody", "scorer"), "There is no account 'nobody'"),
        (("role", "olive", "scorer"), "olive is the only operator"),
        (("reset", "nobody"), "There is no account"),
    ):
        result = pressbox(*arguments)
        assert result.exit_code == 1, arguments
        assert sentence in result.output
    assert pressbox("role", "olive").exit_code == 2
    assert found("olive").roles == ["operator"]
    assert services.find_member("otto") is None


def test_roles_are_combined_and_taken_by_command(
    pressbox: Callable[..., Result], member: Callable[..., Member]
) -> None:
    member("sue")
    assert pressbox("role", "sue", "scorer", "moderator", "--game", "demo-1").exit_code == 0
    assert found("sue").roles == ["moderator", "scorer"]
    listed = pressbox("list", "--csv").stdout.splitlines()
    assert listed == ["username,roles,games,second_factor", "sue,moderator scorer,demo-1,none"]
    assert pressbox("role", "sue", "--none").exit_code == 0
    assert found("sue").roles == []
    assert staff.games_of(found("sue").id) == []


def test_an_operator_makes_a_scorer_on_the_page(
    app: Flask, sign_in: Callable[..., FlaskClient]
) -> None:
    operator, later_scorer = sign_in("operator"), sign_in(username="sue")
    assert later_scorer.get("/console/").status_code == 404
    page = f"/ops/accounts/{found('sue').id}"
    assert operator.post(f"{page}/roles", data={"roles": ["scorer"]}).status_code == 422, (
        "without a reason"
    )
    answer = operator.post(f"{page}/roles", data={"roles": ["scorer"], "reason": WHY})
    assert "Roles saved" in answer.text
    assert later_scorer.get("/console/").status_code == 200, "from that person's next click"
    entry = last_entry()
    assert (entry.act, entry.subject, entry.reason) == (
        "account.roles_changed",
        f"member:{found('sue').id}",
        WHY,
    )
    assert entry.details == {"before": {"roles": [], "games": []}, "roles": ["scorer"], "games": []}
    assert "scorer" in operator.get("/ops/accounts?q=su").text
    operator.post(f"{page}/roles", data={"reason": "has left"})
    assert later_scorer.get("/console/").status_code == 404


def test_the_only_operator_stays_one(sign_in: Callable[..., FlaskClient]) -> None:
    operator = sign_in("operator")
    page = f"/ops/accounts/{found('a-operator').id}"
    refused = operator.post(f"{page}/roles", data={"roles": ["scorer"], "reason": WHY})
    assert refused.status_code == 422
    assert "the only operator" in refused.text
    assert found("a-operator").roles == ["operator"]
    sign_in("operator", username="otto")
    otto = found("otto")
    otto.banned_at = clock.now()
    db.session.commit()
    assert (
        "the only operator"
        in operator.post(f"{page}/roles", data={"roles": ["scorer"], "reason": WHY}).text
    )
    otto.banned_at = None
    db.session.commit()
    assert (
        operator.post(f"{page}/roles", data={"roles": ["scorer"], "reason": WHY}).status_code == 200
    )


def test_an_operator_hands_out_a_link_for_a_new_password(
    client: FlaskClient, sign_in: Callable[..., FlaskClient]
) -> None:
    operator = sign_in("operator")
    sign_in(username="ann")
    page = f"/ops/accounts/{found('ann').id}"
    answer = operator.post(f"{page}/reset", data={"reason": "forgot it, identified by phone"})
    link = re.search(r"http://localhost(/reset\?token=([\w-]{43}))<", answer.text)
    assert link is not None, answer.text
    assert link[2] not in operator.get(page).text, "shown once"
    assert "link valid until" in operator.get(page).text
    assert services.check_password("ann", PASSWORD) is not None, "the old one holds until then"
    assert client.post("/reset", data={"token": link[2], "new": NEW}).status_code == 303
    assert services.check_password("ann", NEW) is not None


def test_an_operator_makes_an_account(sign_in: Callable[..., FlaskClient]) -> None:
    operator = sign_in("operator")
    data = {
        "username": "mona",
        "display_name": "Mona",
        "roles": ["moderator"],
        "reason": "new in the office",
    }
    assert "/reset?token=" in operator.post("/ops/accounts", data=data).text
    assert found("mona").roles == ["moderator"]
    again = operator.post("/ops/accounts", data=data)
    assert again.status_code == 422
    assert "This username is taken" in again.text
    assert (
        operator.post(
            "/ops/accounts", data=data | {"username": "nick", "roles": ["king"]}
        ).status_code
        == 422
    )
    assert services.find_member("nick") is None


def test_an_operator_ends_every_session_of_a_member(
    app: Flask, sign_in: Callable[..., FlaskClient]
) -> None:
    operator, phone = sign_in("operator"), sign_in(username="ann")
    laptop = sign_in(username="ann")
    token = phone.post("/v1/tokens/mine").json["refresh_token"]  # type: ignore[index]
    page = f"/ops/accounts/{found('ann').id}"
    refused = operator.post(f"{page}/sessions/end", data={"reason": " "})
    assert refused.status_code == 422
    assert phone.get("/account").status_code == 200
    answer = operator.post(f"{page}/sessions/end", data={"reason": "lost their phone"})
    assert "2 sessions and all connected apps ended." in answer.text
    assert "End all sessions" not in answer.text, "there is none"
    assert [client.get("/account").status_code for client in (phone, laptop)] == [302, 302]
    assert (
        app.test_client().post("/v1/tokens/refresh", json={"refresh_token": token}).status_code
        == 401
    )
    assert services.check_password("ann", PASSWORD) is not None
    entry = last_entry()
    assert (entry.act, entry.reason, entry.subject) == (
        "account.sessions_ended",
        "lost their phone",
        f"member:{found('ann').id}",
    )
    assert operator.get("/ops/accounts").status_code == 200, "the operator's own go on"


@pytest.mark.parametrize(
    "path",
    [
        "/ops/accounts/1/roles",
        "/ops/accounts/1/reset",
        "/ops/accounts/1/sessions/end",
        "/ops/accounts",
    ],
)
def test_acts_on_accounts_ask_for_the_password_again(
    sign_in: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    operator = sign_in("operator")
    late = clock.now() + timedelta(minutes=11)
    monkeypatch.setattr(clock, "now", lambda: late)
    assert operator.post(path, data={"reason": WHY}).status_code == 403


@pytest.mark.parametrize("role", ["member", "scorer", "moderator"])
def test_only_operators_see_accounts(sign_in: Callable[..., FlaskClient], role: str) -> None:
    client = sign_in(role)
    assert client.get("/ops/accounts").status_code == 404
    assert (
        client.post(
            f"/ops/accounts/{found(f'a-{role}').id}/roles", data={"roles": ["operator"]}
        ).status_code
        == 404
    )
    assert "operator" not in found(f"a-{role}").roles


def test_a_suspension_by_command_holds_from_the_next_click_and_is_lifted(
    pressbox: Callable[..., Result],
    sign_in: Callable[..., FlaskClient],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client = sign_in(username="ann")
    assert pressbox("suspend", "ann").exit_code == 2
    tomorrow = clock.now() + timedelta(days=1)
    result = pressbox(
        "suspend", "ann", "--until", f"{tomorrow:%Y-%m-%dT%H:%M}", "--reason", "threats in a name"
    )
    assert result.exit_code == 0, result.output
    assert client.get("/leagues").status_code == 302
    assert pressbox("suspend", "ann", "--lift").exit_code == 0
    assert client.get("/leagues").status_code == 200
    assert pressbox("suspend", "nobody", "--lift").exit_code == 1
