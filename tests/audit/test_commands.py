"""An operator's commands are in the audit, with the account on the server that ran them."""

from __future__ import annotations

import psutil
from flask import Flask
from sqlalchemy import select

from app.audit.acts import Act
from app.audit.models import AuditEntry
from app.core.db import db
from tests.dead_letters.conftest import Pressbox
from tests.dead_letters.conftest import pressbox as pressbox


def commands() -> list[tuple[str, dict[str, object]]]:
    db.session.rollback()
    query = select(AuditEntry).where(AuditEntry.act == Act.COMMAND).order_by(AuditEntry.id)
    return [(entry.reason, entry.details) for entry in db.session.scalars(query)]


def test_a_command_that_changes_something_is_audited_before_it_begins(
    app: Flask, pressbox: Pressbox
) -> None:
    assert pressbox("rebuild", "caches")[0] == 0
    assert pressbox("tournament", "end", "no-id")[0] == 1
    user = psutil.Process().username()
    assert commands() == [
        ("", {"command": "main rebuild caches", "arguments": {}, "user": user}),
        (
            "",
            {
                "command": "main tournament end",
                "arguments": {"tournament_id": "no-id"},
                "user": user,
            },
        ),
    ]


def test_a_dry_run_and_a_look_are_not(app: Flask, pressbox: Pressbox) -> None:
    assert pressbox("rebuild", "caches", "--dry-run")[0] == 0
    assert pressbox("tournament", "list")[0] == 0
    assert commands() == []


def test_an_option_that_may_hold_a_password_is_not_in_the_audit(
    app: Flask, pressbox: Pressbox
) -> None:
    address = "https://user:hunter2@127.0.0.1:1/none.json"
    assert (
        pressbox("tournament", "create", "Cup", "--provider", "http-json", "--address", address)[0]
        == 1
    )
    assert [details["arguments"] for _, details in commands()] == [{"name": "Cup"}]
