"""Backup and restore of PostgreSQL.

Everything comes back, row for row, and half a backup or a damaged one is none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path

import psycopg
import pytest
from flask import Flask
from psycopg import sql
from psycopg.conninfo import make_conninfo
from sqlalchemy import text

from app.accounts.models import Member
from app.audit import log as audit
from app.audit.acts import Act
from app.audit.rights import rights
from app.audit.verification import verify
from app.core.blob_store import BlobStore
from app.core.db import db
from app.ops import backup
from app.ops.backup import BackupError
from app.scores.feed import changes as feed
from app.scores.feed.places import TokenTooOldError
from tests.owner import let_truncate
from tests.waiting import until_nobody_is_at_work
from tests.worlds.boards import NOW
from tests.worlds.integrator_boards import ANN, board_of, integrator, put

Rows = dict[str, list[str]]


@pytest.fixture
def store(tmp_path: Path) -> BlobStore:
    return BlobStore(str(tmp_path / "blobs"))


@pytest.fixture
def url(app: Flask) -> str:
    url: str = app.config["PRESSBOX"].owner_url
    return url


@pytest.fixture(autouse=True)
def _nobody_else(app: Flask, url: str) -> Iterator[None]:
    """A restore is refused while a process, of a test before too, is at work."""
    db.session.remove()
    db.engine.dispose()
    until_nobody_is_at_work(url)
    yield
    db.session.remove()
    db.engine.dispose()
    let_truncate(url)  # a restore gives the application's role its own rights only


def everything(url: str) -> Rows:
    """Each row of each table as text, sorted; without the timeline, which a restore begins anew."""
    with psycopg.connect(url) as connection:
        tables = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        ).fetchall()
        contents: Rows = {}
        for (table,) in tables:
            if table in ("measure_counts", "timeline"):
                continue  # written by the clock, whatever else happens
            query = sql.SQL("SELECT t::text FROM {} t ORDER BY 1").format(sql.Identifier(table))
            contents[table] = [row for (row,) in connection.execute(query)]
    return contents


_SPELLING = re.compile(r"::(?:text|character varying)(?:\[\])?|[()]")


def things(url: str) -> list[tuple[str, ...]]:
    """Columns, constraints, indexes, triggers and functions of the schema.

    PostgreSQL spells the casts and brackets of a condition another way once it was dumped and read
    again.
    """
    with psycopg.connect(url) as connection:
        objects = connection.execute("""
            SELECT 'column', table_name, column_name,
              data_type || is_nullable || coalesce(column_default, '')
              FROM information_schema.columns WHERE table_schema = 'public'
            UNION ALL SELECT 'constraint', conrelid::regclass::text, conname,
              pg_get_constraintdef(oid)
              FROM pg_constraint WHERE connamespace = 'public'::regnamespace
            UNION ALL SELECT 'index', tablename, indexname, indexdef FROM pg_indexes
              WHERE schemaname = 'public'
            UNION ALL SELECT 'trigger', tgrelid::regclass::text, tgname, pg_get_triggerdef(oid)
              FROM pg_trigger WHERE NOT tgisinternal
            UNION ALL SELECT 'function', proname, '', prosrc FROM pg_proc
              WHERE pronamespace = 'public'::regnamespace
            ORDER BY 1, 2, 3""").fetchall()
    return [
        (kind, table, name, _SPELLING.sub("", definition))
        for kind, table, name, definition in objects
    ]


@pytest.mark.parametrize("manifest", [b"", b"[]", b'{"name": 1}', b"\xff", b"[" * 100_000])
def test_a_damaged_manifest_is_a_sentence(store: BlobStore, manifest: bytes) -> None:
    name = "20260913T180000Z"
    store.put(f"{backup.FOLDER}/{name}/{backup.MANIFEST}", manifest)
    with pytest.raises(BackupError, match="damaged"):
        backup.read(store, name)


def make(app: Flask, store: BlobStore) -> backup.Backup:
    return backup.make(app.config["PRESSBOX"], store, NOW)


def bring_back(app: Flask, store: BlobStore, name: str) -> None:
    db.session.remove()
    db.engine.dispose()
    # PostgreSQL ends a closed connection a moment later
    until_nobody_is_at_work(app.config["PRESSBOX"].owner_url)
    backup.restore(app.config["PRESSBOX"], store, name)


@pytest.mark.everyday("the backup's promise")
def test_what_was_destroyed_comes_back_row_for_row(
    app: Flask, store: BlobStore, url: str, member: Callable[..., Member]
) -> None:
    ann = member("ann", role="operator")
    audit.record(Act.SIGNED_IN, actor_id=ann.id)
    db.session.commit()
    before, shape = everything(url), things(url)
    manifest = make(app, store)
    assert backup.backups(store) == [manifest.name]
    assert manifest.rows.items() >= {table: len(rows) for table, rows in before.items()}.items()

    db.session.remove()
    db.engine.dispose()
    with psycopg.connect(url) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    bring_back(app, store, manifest.name)
    assert everything(url) == before
    assert things(url) == shape
    assert verify().faults == []
    assert rights().by_role, "the application owns nothing of what was restored"
    assert member("bob").id == ann.id + 1, "sequences go on"


def test_what_came_later_is_gone_after_a_restore(
    app: Flask, store: BlobStore, url: str, member: Callable[..., Member]
) -> None:
    before = everything(url)
    manifest = make(app, store)
    member("late")
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE later (id int)")
    bring_back(app, store, manifest.name)
    assert everything(url) == before


def test_the_feed_its_tokens_and_webhooks_go_on_after_a_restore(
    app: Flask, store: BlobStore, url: str
) -> None:
    """G3: one command brings it back.

    A token from before the backup goes on; one from after it is told so.
    """
    studio = integrator()
    board = board_of(studio)
    put(board, ANN, 1)
    token = feed.read(studio.id, None).token
    manifest = make(app, store)
    assert manifest.feed
    db.session.remove()
    put(board, ANN, 2)
    lost = feed.read(studio.id, None)
    bring_back(app, store, manifest.name)
    assert [change.event for change in feed.read(studio.id, token).changes] == ["timeline.changed"]
    with pytest.raises(TokenTooOldError, match="restored"):
        feed.read(studio.id, lost.token)
    put(board, ANN, 3)
    new = feed.read(studio.id, token).changes[-1]
    assert (new.score, new.sequence > lost.changes[-1].sequence) == (3, True)


def test_a_feed_that_did_not_come_back_whole_is_no_restore(
    app: Flask, store: BlobStore, url: str
) -> None:
    """The rows are as many as they were: only their places differ."""
    studio = integrator()
    put(board_of(studio), ANN, 1)
    feed.newest()
    manifest = make(app, store)
    other = manifest.feed | {"last place": "7"}
    path = f"{backup.FOLDER}/{manifest.name}/{backup.MANIFEST}"
    store.put(path, json.dumps(asdict(replace(manifest, feed=other))).encode())
    with pytest.raises(BackupError, match="The feed differs from the backup: last place"):
        bring_back(app, store, manifest.name)


def test_a_damaged_backup_changes_nothing(
    app: Flask, store: BlobStore, url: str, member: Callable[..., Member]
) -> None:
    manifest = make(app, store)
    member("late")
    before = everything(url)
    store.put(f"{backup.FOLDER}/{manifest.name}/{backup.DUMP}", b"PGDMP but not ours")
    with pytest.raises(BackupError, match="damaged"):
        bring_back(app, store, manifest.name)
    assert everything(url) == before


def test_a_restore_that_fails_or_was_killed_leaves_what_was_there(
    app: Flask,
    store: BlobStore,
    url: str,
    member: Callable[..., Member],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    manifest = make(app, store)
    member("late")
    before = everything(url)
    run = backup._run

    def fails(program: str, *arguments: object) -> None:
        run("pg_restore", ["--no-such-option"], *arguments[1:])  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(backup, "_run", fails)
        with pytest.raises(BackupError, match="pg_restore failed"):
            bring_back(app, store, manifest.name)
    assert everything(url) == before
    with psycopg.connect(url) as connection:  # as a kill in the middle leaves it
        connection.execute(f"ALTER SCHEMA public RENAME TO {backup.BEFORE}")
        connection.execute("CREATE SCHEMA public")
    with monkeypatch.context() as patch:
        patch.setattr(backup, "_run", fails)
        with pytest.raises(BackupError):
            bring_back(app, store, manifest.name)
    assert everything(url) == before


def test_a_dump_that_cannot_be_restored_is_no_backup(
    app: Flask, store: BlobStore, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is tried on the server that would take it, in a database that is gone afterwards."""
    monkeypatch.setattr(backup, "RESTORE", [*backup.RESTORE, "--no-such-option"])
    with pytest.raises(BackupError, match="pg_restore failed"):
        make(app, store)
    assert backup.backups(store) == []
    monkeypatch.undo()
    assert make(app, store).is_tried
    with psycopg.connect(url) as connection:
        names = connection.execute("SELECT datname FROM pg_database").fetchall()
    assert not [name for (name,) in names if name.endswith("_backup_trial")]


def test_what_a_killed_trial_left_is_dropped(app: Flask, store: BlobStore, url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        name = f"{connection.info.dbname}_backup_trial"
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    assert make(app, store).is_tried


def test_without_the_right_to_create_databases_a_backup_is_made_and_says_so(
    app: Flask, store: BlobStore, url: str
) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE ROLE keeper LOGIN")
    try:
        settings = replace(
            app.config["PRESSBOX"], database_owner_url=make_conninfo(url, user="keeper")
        )
        assert not backup.make(settings, store, NOW).is_tried
    finally:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("DROP ROLE keeper")


def test_nothing_is_restored_under_a_running_pressbox(app: Flask, store: BlobStore) -> None:
    manifest = make(app, store)
    db.session.execute(text("SELECT 1"))
    with pytest.raises(BackupError, match="using this database"):
        backup.restore(app.config["PRESSBOX"], store, manifest.name)


def test_a_role_that_does_not_own_the_tables_is_told_so(app: Flask, store: BlobStore) -> None:
    manifest = make(app, store)
    db.session.remove()
    db.engine.dispose()
    until_nobody_is_at_work(app.config["PRESSBOX"].owner_url)
    settings = replace(app.config["PRESSBOX"], database_owner_url="")
    with pytest.raises(BackupError, match="DATABASE_OWNER_URL"):
        backup.restore(settings, store, manifest.name)


@pytest.mark.parametrize("name", ["", "../etc", "20260101T000000Z"])
def test_an_unknown_backup_is_named_with_the_next_step(
    app: Flask, store: BlobStore, name: str
) -> None:
    with pytest.raises(BackupError, match="--list"):
        backup.restore(app.config["PRESSBOX"], store, name)


def test_a_dump_without_its_manifest_is_no_backup(app: Flask, store: BlobStore) -> None:
    store.put(f"{backup.FOLDER}/20260101T000000Z/{backup.DUMP}", b"half")
    assert backup.backups(store) == []
