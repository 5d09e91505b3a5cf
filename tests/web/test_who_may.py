"""Who may call which page.

Every route of the URL map against the table in who_may.csv, at the door of each request.

The banned and the suspended have every role, and were signed in before: the sanction outweighs
both.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from flask import Flask, g
from flask.testing import FlaskClient
from werkzeug.exceptions import NotFound
from werkzeug.routing import Rule

from app.accounts import players
from app.accounts.models import Member
from app.accounts.rules import ROLES
from app.core import clock
from app.core.db import db
from app.core.http.access import check_audience
from app.moderation import sanctions
from app.moderation.models import Sanction

TABLE = Path(__file__).parent / "who_may.csv"
# Words that a name in an address is not; the table does without them.
WORDS = re.compile(r"<other_than\([^)]*\):")
STAFF = ("scorer", "moderator", "operator")
SANCTIONED = {"banned": sanctions.BAN, "suspended": sanctions.SUSPENSION}
KINDS = ("anonymous", "member", *STAFF, *SANCTIONED)
YES, SIGN_IN, NO = "yes", "sign in", "no"


def held() -> dict[tuple[str, str], dict[str, str]]:
    with TABLE.open(newline="") as file:
        return {(row["method"], row["route"]): row for row in csv.DictReader(file)}


def routes(app: Flask) -> Iterator[tuple[str, Rule]]:
    for rule in app.url_map.iter_rules():
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            yield method, rule


def sanction(member: Member, kind: str) -> None:
    """Imposed on a plain member, who is given every role afterwards."""
    player_id = players.player_of(member).id
    until = clock.now() + timedelta(days=1) if kind == sanctions.SUSPENSION else None
    imposed = sanctions.impose(
        player_id, sanctions.Measure(kind, until), by=None, reason="a bot", now=clock.now()
    )
    assert isinstance(imposed, Sanction), imposed
    member.roles = list(ROLES)
    db.session.commit()


@pytest.fixture
def cookies(member: Callable[..., Member], sign_in: Callable[..., FlaskClient]) -> dict[str, str]:
    """The header of a session that each kind began; the sanctioned began theirs before."""
    headers = {"anonymous": ""}
    for kind in KINDS[1:]:
        who = member(f"a-{kind}", role=kind if kind in STAFF else "member")
        cookie = sign_in(username=f"a-{kind}").get_cookie("session")
        assert cookie is not None
        headers[kind] = f"session={cookie.value}"
        if kind in SANCTIONED:
            sanction(who, SANCTIONED[kind])
    return headers


@pytest.fixture
def answer(app: Flask, cookies: dict[str, str]) -> Callable[[str, Rule, str], str]:
    """What the door says to somebody of this kind."""

    def ask(method: str, rule: Rule, kind: str) -> str:
        with app.test_request_context(
            "/", method=method, headers={"Cookie": cookies[kind]}
        ) as context:
            context.request.url_rule, context.request.view_args = (
                rule,
                dict.fromkeys(rule.arguments, "1"),
            )
            # of the request before, which shares the test's application context
            g.pop("_login_user", None)
            try:
                passed = check_audience()
            except NotFound:
                return NO
            return YES if passed is None else SIGN_IN

    return ask


@pytest.mark.everyday("who may do what, for every route")
def test_every_route_lets_in_whom_the_table_says(
    app: Flask, answer: Callable[[str, Rule, str], str]
) -> None:
    table, wrong = held(), []
    for method, rule in routes(app):
        statuses = {kind: answer(method, rule, kind) for kind in KINDS}
        address = WORDS.sub("<", rule.rule)
        row = table.pop((method, address), None)
        if row is None or statuses != {kind: row[kind] for kind in KINDS}:
            wrong.append(",".join([method, address, *statuses.values()]))
    assert not wrong, "Not as who_may.csv has it; look at each, then write it there:\n" + "\n".join(
        wrong
    )
    assert not table, f"These routes are gone: {sorted(table)}"
