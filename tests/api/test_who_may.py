"""Who may call which operation.

Every one that is declared against the table in who_may.csv, where requests are authenticated.
Somebody else's object is held by the tests of each subject, who is signed in on pages by
tests/web/test_who_may.py.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from flask import Flask, g
from flask.testing import FlaskClient

from app.accounts import api_keys, players, tokens
from app.accounts.models import Member
from app.api.declared import OPERATIONS
from app.api.operations import Operation
from app.api.security import Key, authenticate
from app.core import clock
from app.core.http.problems import ProblemError
from app.moderation import sanctions
from app.moderation.models import Sanction
from tests.worlds.callers import Callers, make_callers, new_key

TABLE = Path(__file__).parent / "who_may.csv"
SIGNED = ("player", "banned player", "suspended player", "key", "key of a banned owner")
SESSIONS = ("member", "banned member", "suspended member")
OTHER_SCOPE = "key of another scope"
KINDS = ("anonymous", *SESSIONS, *SIGNED, OTHER_SCOPE)


def impose(player_id: UUID, kind: str) -> None:
    until = clock.now() + timedelta(days=1) if kind == sanctions.SUSPENSION else None
    imposed = sanctions.impose(
        player_id, sanctions.Measure(kind, until), by=None, reason="a bot", now=clock.now()
    )
    assert isinstance(imposed, Sanction), imposed


@pytest.fixture
def signed(app: Flask, callers: Callers, member: Callable[..., Member]) -> dict[str, str]:
    """What each kind sends as its header Authorization; the sanctioned were given theirs before."""
    rogue = member("rogue")
    secrets_by_kind = {"player": callers.token, "key": callers.key}
    secrets_by_kind["key of a banned owner"] = make_callers(app, rogue, "Rogues", "rogues").key
    for name, kind in (
        ("banned player", sanctions.BAN),
        ("suspended player", sanctions.SUSPENSION),
    ):
        player_id = callers.register(name, name.title())
        secrets_by_kind[name] = tokens.issue(player_id, clock.now()).access
        impose(player_id, kind)
    impose(players.player_of(rogue).id, sanctions.BAN)
    return {kind: f"Bearer {secret}" for kind, secret in secrets_by_kind.items()}


@pytest.fixture
def cookies(member: Callable[..., Member], sign_in: Callable[..., FlaskClient]) -> dict[str, str]:
    """A session that each kind of member began; the sanctioned began theirs before."""
    cookies_by_kind, names = {}, {kind: f"a-{kind.split()[0]}" for kind in SESSIONS}
    for kind, name in names.items():
        who = member(name)
        cookie = sign_in(username=name).get_cookie("session")
        assert cookie is not None
        cookies_by_kind[kind] = f"session={cookie.value}"
        if kind != "member":
            impose(
                players.player_of(who).id,
                {"banned member": sanctions.BAN, "suspended member": sanctions.SUSPENSION}[kind],
            )
    return cookies_by_kind


@pytest.fixture
def answer(
    app: Flask, callers: Callers, signed: dict[str, str], cookies: dict[str, str]
) -> Callable[..., str]:
    """Whether an operation takes a request of this kind: yes, or the status that refuses it."""
    keys = {
        scope: new_key(callers.integrator, callers.owner, scope)
        for scope in api_keys.scopes_for(callers.owner)
    }

    def headers(op: Operation, kind: str) -> dict[str, str]:
        if kind == OTHER_SCOPE:
            taken = {key.scope for key in op.security if isinstance(key, Key)}
            return {
                "Authorization": (
                    f"Bearer {next(keys[scope] for scope in sorted(keys) if scope not in taken)}"
                )
            }
        if kind in SESSIONS:
            return {"Cookie": cookies[kind]}
        return {"Authorization": signed[kind]} if kind in SIGNED else {}

    def ask(op: Operation, kind: str) -> str:
        with app.test_request_context("/", method=op.method, headers=headers(op, kind)):
            # of the request before, which shares the test's application context
            g.pop("_login_user", None)
            try:
                authenticate(op.security)
            except ProblemError as refused:
                return str(refused.status)
            return "yes"

    return ask


@pytest.mark.everyday("who may do what, for every operation")
def test_every_operation_takes_whom_the_table_says(answer: Callable[..., str]) -> None:
    with TABLE.open(newline="") as file:
        table = {(row["method"], row["path"]): row for row in csv.DictReader(file)}
    wrong = []
    for op in OPERATIONS:
        statuses = {kind: answer(op, kind) for kind in KINDS}
        row = table.pop((op.method, op.path), None)
        if row is None or statuses != {kind: row[kind] for kind in KINDS}:
            wrong.append(",".join([op.method, op.path, *statuses.values()]))
    assert not wrong, "Not as who_may.csv has it; look at each, then write it there:\n" + "\n".join(
        wrong
    )
    assert not table, f"These operations are gone: {sorted(table)}"
