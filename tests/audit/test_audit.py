"""The audit: nobody changes it, and whoever does is found out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from html import unescape

import pytest
from click.testing import CliRunner, Result
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select, text
from sqlalchemy.exc import ProgrammingError

from app import create_worker_app
from app.audit import log as audit
from app.audit import queries
from app.audit.acts import Act
from app.audit.models import AuditEntry
from app.audit.queries import Wanted
from app.audit.rights import rights
from app.audit.verification import verify
from app.cli import audit as commands
from app.cli import main
from app.core.db import db
from app.core.errors import UserError
from app.core.postgres import roles
from app.core.postgres.timeouts import Use
from app.embedded.postgres import EMBEDDED_ROLE
from app.embedded.stack import Stack
from app.ops.health import check_all
from tests.commands import use_here
from tests.owner import owner, without_triggers

BY_RIGHTS = (
    "Append-only by rights: the application's role can only add entries. Triggers refuse changes "
    "by others."
)


@pytest.fixture
def entries(app: Flask) -> list[AuditEntry]:
    """Five, the third with an address."""
    for number in range(1, 6):
        with app.test_request_context(
            headers={"User-Agent": "Firefox"}, environ_base={"REMOTE_ADDR": "192.0.2.7"}
        ):
            audit.record(
                Act.SIGNED_IN,
                actor_id=number,
                subject=f"member:{number}",
                reason="why",
                details={"n": number},
            )
            db.session.commit()
    return list(db.session.scalars(select(AuditEntry).order_by(AuditEntry.id)))


@pytest.fixture
def tamper(app: Flask) -> Callable[..., None]:
    """Runs statements as somebody who can switch the triggers off."""

    def run(*statements: str) -> None:
        db.session.rollback()
        without_triggers(*statements)

    return run


@pytest.fixture
def pressbox(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    use_here(monkeypatch, commands, app)
    return lambda *arguments: CliRunner().invoke(main, ["audit", *arguments])


def test_entries_say_who_what_why_and_from_where(entries: list[AuditEntry]) -> None:
    entry = entries[2]
    assert (entry.id, entry.act, entry.actor_id, entry.subject, entry.reason) == (
        3,
        "account.signed_in",
        3,
        "member:3",
        "why",
    )
    assert entry.personal == {"address": "192.0.2.7", "browser": "Firefox"}
    assert entry.details == {"n": 3}
    assert [entry.id for entry in entries] == [1, 2, 3, 4, 5]


def test_a_whole_chain_is_verified(
    entries: list[AuditEntry], pressbox: Callable[..., Result]
) -> None:
    result = verify()
    assert (result.entries, result.hash, result.faults) == (5, entries[-1].hash, [])
    command = pressbox("verify", "--head", entries[1].hash)
    assert (command.exit_code, command.output) == (
        0,
        f"The audit is whole: 5 entries. Its head is {entries[-1].hash}.\n{BY_RIGHTS}\n",
    )
    assert pressbox("verify", "--head", "0" * 64).exit_code == 1


CHANGES = [
    "UPDATE audit_entries SET reason = 'another' WHERE id = 3",
    "UPDATE audit_entries SET personal = '{}' WHERE id = 3",
    "DELETE FROM audit_entries WHERE id = 5",
    "TRUNCATE audit_entries",
    "UPDATE audit_head SET entries = 4",
    "UPDATE audit_head SET hash = ''",
    "DELETE FROM audit_head",
    "TRUNCATE audit_head",
]
MAY_NOT = "permission denied|must be owner|append-only"


@pytest.mark.parametrize("statement", CHANGES)
def test_the_database_refuses_to_change_it(entries: list[AuditEntry], statement: str) -> None:
    """The owner of the tables, and so the application where there is one role only."""
    db.session.rollback()
    with (
        pytest.raises(ProgrammingError, match="the audit is append-only"),
        owner().begin() as connection,
    ):
        connection.execute(text(statement))
    assert verify().faults == []


@pytest.mark.parametrize(
    "statement",
    [
        *CHANGES,
        "UPDATE audit_entries SET personal = NULL, salt = NULL WHERE id = 3",
        "UPDATE audit_entries SET id = id",
        "SELECT 1 FROM audit_entries FOR UPDATE",
        "MERGE INTO audit_entries a USING (SELECT 3 AS id) b ON a.id = b.id WHEN MATCHED THEN "
        "DELETE",
        "ALTER TABLE audit_entries DISABLE TRIGGER audit_guard",
        "ALTER TABLE audit_entries DISABLE TRIGGER ALL",
        "ALTER TABLE audit_head DISABLE TRIGGER ALL",
        "ALTER TABLE audit_entries OWNER TO pressbox_app",
        "ALTER TABLE audit_entries RENAME TO old_entries",
        "DROP TABLE audit_entries",
        "DROP TRIGGER audit_guard ON audit_entries",
        "CREATE RULE quiet AS ON INSERT TO audit_entries DO INSTEAD NOTHING",
        "CREATE TRIGGER quiet BEFORE INSERT ON audit_entries EXECUTE FUNCTION "
        "suppress_redundant_updates_trigger()",
        "CREATE OR REPLACE FUNCTION guard_audit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN "
        "RETURN NEW; END'",
        "CREATE FUNCTION public.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE TABLE public.mine (id int)",
        "DROP SCHEMA public CASCADE",
        "SET session_replication_role = replica",
        "SET LOCAL session_replication_role = replica",
        "SET ROLE postgres",
        "GRANT postgres TO pressbox_app",
        "ALTER ROLE pressbox_app SUPERUSER",
        "UPDATE alembic_version SET version_num = '0014'",
    ],
)
def test_the_applications_role_may_only_add_entries(
    entries: list[AuditEntry], statement: str
) -> None:
    assert db.session.scalar(text("SELECT current_user::text")) == EMBEDDED_ROLE
    if statement.startswith("MERGE") and db.session.connection().dialect.server_version_info < (
        15,
    ):
        pytest.skip("PostgreSQL 14 has no MERGE")
    with pytest.raises(ProgrammingError, match=MAY_NOT):
        db.session.execute(text(statement))
    db.session.rollback()
    assert verify().faults == []
    assert (rights().by_role, rights().by_triggers) == (True, True)


def test_the_applications_role_cannot_grant_itself_more(app: Flask) -> None:
    # PostgreSQL warns and grants nothing
    db.session.execute(text("GRANT ALL ON audit_entries TO pressbox_app"))
    db.session.commit()
    assert rights().by_role


def test_what_keeps_it_is_said_to_the_operator_and_the_moderator(
    app: Flask, sign_in: Callable[..., FlaskClient], pressbox: Callable[..., Result]
) -> None:
    assert rights().sentence == BY_RIGHTS
    assert BY_RIGHTS in unescape(sign_in("moderator").get("/moderation/audit").text)
    parts = {part.name: part for part in check_all(app.config["PRESSBOX"])}
    assert (parts["audit"].up, parts["audit"].detail) == (True, BY_RIGHTS)


@pytest.fixture
def as_owner(stack: Stack) -> Iterator[Flask]:
    """The application of an installation with one role at PostgreSQL."""
    app = create_worker_app(
        replace(stack.settings, database_url=stack.settings.owner_url, database_owner_url=""),
        Use.UPKEEP,
    )
    with app.app_context():
        yield app
        db.session.remove()
        db.engine.dispose()


def test_with_one_role_the_triggers_hold_and_the_doctor_says_so(
    app: Flask, as_owner: Flask
) -> None:
    granted = rights()
    assert (granted.by_role, granted.by_triggers) == (False, True)
    parts = {part.name: part for part in check_all(as_owner.config["PRESSBOX"])}
    assert parts["audit"].up
    assert re.search("triggers alone.*DATABASE_OWNER_URL", parts["audit"].detail)


def test_triggers_that_were_switched_off_are_a_fault(
    app: Flask, pressbox: Callable[..., Result], client: FlaskClient
) -> None:
    with owner().begin() as connection:
        connection.execute(text("ALTER TABLE audit_entries DISABLE TRIGGER audit_guard"))
    try:
        assert (rights().by_role, rights().by_triggers) == (True, False)
        command = pressbox("verify")
        assert (command.exit_code, "ENABLE TRIGGER ALL" in command.output) == (1, True)
        assert "audit" in client.get("/healthz").json["down"]  # type: ignore[index]
    finally:
        db.session.rollback()
        with owner().begin() as connection:
            connection.execute(text("ALTER TABLE audit_entries ENABLE TRIGGER ALL"))
    assert rights().by_triggers


def test_a_role_that_is_missing_is_made_with_its_password_and_no_more_rights(app: Flask) -> None:
    url = "postgresql://pressbox_new:a-long-password@nowhere/db"
    with owner().connect() as connection:
        driver = connection.connection.driver_connection
        assert driver is not None
        roles.grant(driver, url)
        roles.grant(driver, url)  # again changes nothing
        look = (
            "SELECT rolsuper, rolcreaterole, rolcreatedb, rolpassword FROM pg_authid WHERE rolname "
            "= 'pressbox_new'"
        )
        *powers, password = driver.execute(look).fetchone()
        assert powers == [False, False, False]
        assert password.startswith("SCRAM-SHA-256$")
        may = "SELECT has_table_privilege('pressbox_new', %s, %s)"
        assert [
            driver.execute(may, ["members", right]).fetchone() for right in ("UPDATE", "TRUNCATE")
        ] == [
            (True,),
            (False,),
        ]
        driver.execute("SET LOCAL ROLE pressbox_app")
        with pytest.raises(UserError, match="CREATE ROLE pressbox_other"):
            roles.grant(driver, "postgresql://pressbox_other:x@nowhere/db")
        driver.rollback()


def test_every_table_and_sequence_can_be_used_by_the_application(app: Flask) -> None:
    """A table that a migration adds needs no grant of its own."""
    fewer = text("""
        SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND NOT CASE
          WHEN relkind = 'S' THEN has_sequence_privilege(oid, 'USAGE')
          WHEN relkind IN ('r', 'p') THEN has_table_privilege(oid, 'SELECT')
            AND has_table_privilege(oid, 'INSERT')
            AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE')
          ELSE true END
        """)
    assert sorted(db.session.scalars(fewer)) == ["alembic_version", "audit_entries", "audit_head"]


@pytest.mark.parametrize(
    ("statements", "sentences"),
    [
        (
            ["UPDATE audit_entries SET reason = 'another' WHERE id = 3"],
            ["Entry 3 .* was changed or inserted"],
        ),
        (
            ["UPDATE audit_entries SET at = at + interval '1 second' WHERE id = 1"],
            ["Entry 1 .* was changed"],
        ),
        (
            ['UPDATE audit_entries SET personal = \'{"address": "x"}\' WHERE id = 4'],
            ["Entry 4 .*address or browser"],
        ),
        (["DELETE FROM audit_entries WHERE id = 2"], ["Entries 2 to 2 were removed", "Entry 3 "]),
        (["DELETE FROM audit_entries WHERE id = 1"], ["Entries 1 to 1 were removed", "Entry 2 "]),
        (
            ["DELETE FROM audit_entries WHERE id = 5"],
            ["The chain ends at entry 4, but its head says 5"],
        ),
        (["DELETE FROM audit_head"], ["The head of the chain was removed"]),
        (
            [
                "UPDATE audit_entries SET id = id + 10 WHERE id > 2",
                "INSERT INTO audit_entries SELECT 3, at, act, 9, subject, reason, details, "
                "personal, salt, seal, hash"
                " FROM audit_entries WHERE id = 2",
                "UPDATE audit_entries SET id = id - 9 WHERE id > 10",
                "UPDATE audit_head SET entries = 6",
            ],
            ["Entry 3 ", "Entry 4 "],
        ),
    ],
)
def test_what_was_changed_removed_or_inserted_is_found(
    entries: list[AuditEntry],
    tamper: Callable[..., None],
    pressbox: Callable[..., Result],
    statements: list[str],
    sentences: list[str],
) -> None:
    tamper(*statements)
    faults = verify().faults
    for sentence in sentences:
        assert any(re.search(sentence, fault) for fault in faults), (sentence, faults)
    command = pressbox("verify")
    assert command.exit_code == 1
    assert faults[0] in command.output


def test_a_person_is_forgotten_and_the_chain_holds(entries: list[AuditEntry]) -> None:
    assert audit.forget(3) == 1
    db.session.commit()
    assert verify().faults == []
    db.session.expire_all()
    assert [
        entry.personal is None
        for entry in db.session.scalars(select(AuditEntry).order_by(AuditEntry.id))
    ] == [
        False,
        False,
        True,
        False,
        False,
    ]


def test_what_was_tried_at_a_persons_account_is_forgotten_with_them(app: Flask) -> None:
    for actor, subject in ((None, "member:3"), (None, "member:33"), (9, "member:3")):
        with app.test_request_context(environ_base={"REMOTE_ADDR": "192.0.2.7"}):
            audit.record(Act.SIGN_IN_FAILED, actor_id=actor, subject=subject)
            db.session.commit()
    assert audit.forget(3) == 1
    db.session.commit()
    assert verify().faults == []
    db.session.expire_all()
    remaining = db.session.scalars(select(AuditEntry).order_by(AuditEntry.id))
    assert [entry.personal is None for entry in remaining] == [True, False, False]


def test_many_at_once_make_one_chain(app: Flask) -> None:
    def add(number: int) -> None:
        with app.app_context():
            audit.record(Act.SIGNED_OUT, actor_id=number)
            db.session.commit()

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(add, range(40)))
    result = verify()
    assert (result.entries, result.faults) == (40, [])


def test_what_is_rolled_back_leaves_no_gap(app: Flask) -> None:
    audit.record(Act.SIGNED_IN, actor_id=1)
    db.session.rollback()
    audit.record(Act.SIGNED_IN, actor_id=2)
    db.session.commit()
    assert (verify().entries, verify().faults) == (1, [])


def test_entries_are_filtered_newest_first(
    entries: list[AuditEntry], pressbox: Callable[..., Result]
) -> None:
    page, total = queries.page(Wanted(acts=[Act.SIGNED_IN]), 1, 2)
    assert ([entry.id for entry in page], total) == ([5, 4], 5)
    assert [entry.id for entry in queries.page(Wanted(subject="member:2"), 1, 9)[0]] == [2]
    assert queries.page(Wanted(actor_id=9), 1, 9) == ([], 0)
    since = Wanted(since=entries[1].at, until=entries[3].at)
    assert [entry.id for entry in queries.every(since)] == [2, 3]
    listed = pressbox("list", "--csv", "--limit", "1").output.splitlines()
    assert listed[0] == "entry,at,act,member,subject,address,reason"
    assert listed[1].endswith(",account.signed_in,5,member:5,192.0.2.7,why")
