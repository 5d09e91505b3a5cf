"""Backup and restore of PostgreSQL: a dump in the blob store with a manifest of its content.

Dump and manifest are of the same moment. A backup counts only after it was restored into a scratch
database on the server that would take it, and read back. A restore replaces the content of the
database in one transaction, and then compares every table with the manifest. Redis is rebuilt from
PostgreSQL and Kafka is published again from the outbox, so neither is included.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, LiteralString

import msgspec
import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from app.core import clock, json_decoding, restore_epoch
from app.core.blob_store import BlobNotFoundError, BlobStore
from app.core.errors import UserError
from app.core.json_decoding import InvalidJsonError
from app.core.postgres import roles
from app.core.postgres.connections import connect
from app.core.postgres.timeouts import Use
from app.ops import postgres_programs as programs
from app.settings import Settings

FOLDER = "backups"
DUMP, MANIFEST = "database.dump", "manifest.json"
RESTORE = ["--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction"]
PIECE = 1 << 20
MANIFEST_BYTES = 1 << 20
BEFORE = "before_restore"  # the schema that keeps the previous data during a restore
_MANIFEST_PATH = re.compile(rf"{FOLDER}/([^/]+)/{MANIFEST}")
_NAME = re.compile(r"\d{8}T\d{6}Z")

Say = Callable[[str], None]
Connection = psycopg.Connection[Any]


class BackupError(UserError):
    """The dump or the restore failed; the text has PostgreSQL's reason. Nothing was changed."""


@dataclass(frozen=True)
class Backup:
    """The manifest of a backup.

    Attributes:
        name: The UTC second at which it began.
        bytes: Size of the dump.
        sha256: Of the dump.
        server: PostgreSQL's version.
        revision: Of the schema.
        rows: Number of rows by table.
        feed: A digest of the changes and places of each integrator and webhook; empty in backups of
            earlier releases.
        is_tried: Whether it was restored into a scratch database.
    """

    name: str
    bytes: int
    sha256: str
    server: str
    revision: str
    rows: dict[str, int]
    feed: dict[str, str] = field(default_factory=dict)
    is_tried: bool = False


_manifest = msgspec.json.Decoder(Backup)


def backups(store: BlobStore) -> list[str]:
    """Return the names of complete backups, the oldest first.

    Raises:
        BlobStoreError: The blob store does not answer.
    """
    matches = (_MANIFEST_PATH.fullmatch(path) for path in store.names(FOLDER))
    return sorted(match[1] for match in matches if match)


def read(store: BlobStore, name: str) -> Backup:
    """Read the manifest.

    Raises:
        BackupError: There is no such backup, or its manifest is damaged.
        BlobStoreError: The blob store does not answer.
    """
    if not _NAME.fullmatch(name):
        raise BackupError(f"{name!r} is not a backup. `pressbox backup --list` shows all backups.")
    try:
        return json_decoding.decode(
            _manifest, store.get(f"{FOLDER}/{name}/{MANIFEST}"), most_bytes=MANIFEST_BYTES
        )
    except InvalidJsonError as error:
        raise BackupError(
            f"Backup {name} has a damaged {MANIFEST} ({error}). Use another one."
        ) from error
    except BlobNotFoundError as error:
        raise BackupError(
            f"There is no backup {name}. `pressbox backup --list` shows all backups."
        ) from error


def make(settings: Settings, store: BlobStore, now: datetime, say: Say = lambda _: None) -> Backup:
    """Dump the whole database, try a restore, and verify the copy.

    The manifest is stored last, so that an incomplete backup does not count. Without the right to
    create databases the restore is not tried (`is_tried`).

    Raises:
        BackupError: The dump failed, or cannot be restored.
        BlobStoreError: The blob store does not answer.
    """
    name = f"{now:%Y%m%dT%H%M%SZ}"
    database = settings.direct_database(Use.UPKEEP)
    with TemporaryDirectory(prefix="pressbox-backup-") as folder, connect(database) as connection:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        # for as long as the dump takes
        connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        snapshot = _value(connection, "SELECT pg_export_snapshot()")
        path = Path(folder) / DUMP
        say("Dumping")
        options = ["--format=custom", "--no-owner", "--no-privileges", "--schema=public"]
        _run(
            "pg_dump",
            [*options, f"--snapshot={snapshot}", f"--file={path}"],
            database.url,
            connection,
        )
        say("Counting rows")
        rows, revision = (
            _rows(connection),
            _value(connection, "SELECT version_num FROM alembic_version"),
        )
        sha256, feed = _sha256(path.open("rb")), _feed(connection)
        backup = Backup(
            name, path.stat().st_size, sha256, _server(connection), revision, rows, feed
        )
        connection.rollback()
        backup = replace(backup, is_tried=_try_out(settings, path, backup, say))
        say(f"Storing {backup.bytes} bytes")
        store.put_file(f"{FOLDER}/{name}/{DUMP}", str(path))
    say("Reading it back")
    if _sha256(store.open(f"{FOLDER}/{name}/{DUMP}")) != backup.sha256:
        raise BackupError(
            f"Backup {name} could not be read back correctly. Check the blob store and try again."
        )
    store.put(f"{FOLDER}/{name}/{MANIFEST}", json.dumps(asdict(backup), indent=1).encode())
    return backup


def restore(settings: Settings, store: BlobStore, name: str, say: Say = lambda _: None) -> Backup:
    """Replace everything in the database with the backup, and compare rows with the manifest.

    No process of Pressbox may run. The old content is kept until the copy is complete. It comes
    back if the restore fails or, if the restore is killed, at the start of the next one.

    Raises:
        BackupError: The restore failed.
        BlobStoreError: The blob store does not answer.
    """
    manifest = read(store, name)
    with (
        TemporaryDirectory(prefix="pressbox-restore-") as folder,
        connect(settings.owner_database()) as connection,
    ):
        connection.autocommit = True
        if others := _others(connection):
            hint = ""
            if settings.database_direct_url:
                hint = " A pooler keeps connections of ended processes open. Send it RECONNECT."
            raise BackupError(
                f"Pressbox is using this database ({', '.join(others)}). Stop it, then "
                f"restore.{hint} "
                "Nothing was changed."
            )
        _check_owner(connection)
        path = Path(folder) / DUMP
        say(f"Fetching {manifest.bytes} bytes")
        with store.open(f"{FOLDER}/{name}/{DUMP}") as stored, path.open("wb") as file:
            shutil.copyfileobj(stored, file, PIECE)
        if _sha256(path.open("rb")) != manifest.sha256:
            raise BackupError(
                f"Backup {name} is damaged: its checksum does not match. Nothing was changed."
            )
        with _aside(connection):
            say("Restoring")
            _run("pg_restore", [*RESTORE, str(path)], settings.owner_url, connection)
            if settings.database_owner_url:
                with connection.transaction():
                    roles.grant(connection, settings.psycopg_url)
            say("Comparing")
            _compare(connection, manifest)
            with connection.transaction():
                restore_epoch.begin(connection, clock.now())
                if settings.database_owner_url:
                    roles.grant(connection, settings.psycopg_url)
    return manifest


@contextmanager
def _scratch_database(settings: Settings) -> Iterator[str | None]:
    """Give the address of an empty database on the same server; None without the right to one.

    One that a killed backup left is dropped.
    """
    with connect(settings.owner_database()) as connection:
        connection.autocommit = True
        may_create = "SELECT rolsuper OR rolcreatedb FROM pg_roles WHERE rolname = current_user"
        if not _value(connection, may_create):
            yield None
            return
        name = f"{_value(connection, 'SELECT current_database()')}_backup_trial"
        drop = sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name))
        encoding, collate, ctype = connection.execute(
            "SELECT pg_encoding_to_char(encoding), datcollate, datctype FROM pg_database"
            " WHERE datname = current_database()"
        ).fetchall()[0]
        try:
            connection.execute(drop)
            connection.execute(
                sql.SQL(
                    "CREATE DATABASE {} TEMPLATE template0 ENCODING {} LC_COLLATE {} LC_CTYPE {}"
                ).format(sql.Identifier(name), *map(sql.Literal, (encoding, collate, ctype)))
            )
        except psycopg.errors.ObjectInUse as error:
            raise BackupError(
                "Another backup is running. Wait until it has finished. Nothing was changed."
            ) from error
        try:
            yield make_conninfo(settings.owner_url, dbname=name)
        finally:
            connection.execute(drop)


def _try_out(settings: Settings, path: Path, backup: Backup, say: Say) -> bool:
    """Restore the dump into a scratch database and compare it; False if there is no right to one.

    Raises:
        BackupError: It cannot be restored, or comes back otherwise than it was.
    """
    with _scratch_database(settings) as scratch:
        if scratch is None:
            return False
        say("Trying a restore")
        with connect(settings.owner_database()._replace(url=scratch)) as connection:
            connection.autocommit = True
            connection.execute("DROP SCHEMA public CASCADE")  # the dump creates it
            _run("pg_restore", [*RESTORE, str(path)], scratch, connection)
            _compare(connection, backup)
    return True


def _compare(connection: Connection, manifest: Backup) -> None:
    """Compare the rows of each table and the feed with the manifest.

    Raises:
        BackupError: They differ.
    """
    rows = _rows(connection)
    if differ := [
        table
        for table in sorted(rows | manifest.rows)
        if rows.get(table) != manifest.rows.get(table)
    ]:
        raise BackupError(
            f"These tables differ from the backup: {', '.join(differ)}. Nothing was changed."
        )
    feed = _feed(connection) if manifest.feed else {}
    if differ := [
        part for part in sorted(feed | manifest.feed) if feed.get(part) != manifest.feed.get(part)
    ]:
        raise BackupError(
            f"The feed differs from the backup: {', '.join(differ)}. Nothing was changed."
        )


# Sums of hashes, because string_agg is limited to 1 GB, which is 40 million changes.
_FEED = """
    SELECT 'changes of integrator ' || integrator_id,
      concat_ws(':', count(*), sum(('x' || left(md5(concat_ws(':', id, place)),
        15))::bit(60)::bigint))
    FROM board_changes GROUP BY integrator_id
    UNION ALL SELECT 'floor of integrator ' || integrator_id, place::text FROM feed_floors
    UNION ALL SELECT 'webhook ' || w.id, concat_ws(':', w.place, count(d.id),
      sum(('x' || left(md5(concat_ws(':', d.number, d.state)), 15))::bit(60)::bigint)
        FILTER (WHERE d.id IS NOT NULL))
    FROM webhooks w LEFT JOIN webhook_deliveries d ON d.webhook_id = w.id GROUP BY w.id
    UNION ALL SELECT 'last place', last_place::text FROM feed_state
"""


def _feed(connection: Connection) -> dict[str, str]:
    """Digest what readers' tokens and webhooks depend on; empty before revision 0060."""
    if _value(connection, "SELECT to_regclass('public.feed_state')") is None:
        return {}
    return dict(connection.execute(_FEED).fetchall())


@contextmanager
def _aside(connection: Connection) -> Iterator[None]:
    """Move the content to another schema; an error brings it back."""
    if _value(connection, "SELECT count(*) FROM pg_namespace WHERE nspname = %s", BEFORE):
        _back(connection)  # a restore was killed
    with connection.transaction():
        connection.execute(
            sql.SQL("ALTER SCHEMA public RENAME TO {}").format(sql.Identifier(BEFORE))
        )
        # The dump creates the schema.
    try:
        yield
    except BaseException:
        _back(connection)
        raise
    connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(BEFORE)))


def _back(connection: Connection) -> None:
    with connection.transaction():
        connection.execute("DROP SCHEMA IF EXISTS public CASCADE")
        connection.execute(
            sql.SQL("ALTER SCHEMA {} RENAME TO public").format(sql.Identifier(BEFORE))
        )


def _check_owner(connection: Connection) -> None:
    """Check that the role can replace the tables.

    Raises:
        BackupError: It does not own them.
    """
    query = (
        "SELECT bool_and(pg_has_role(relowner, 'MEMBER')) FROM pg_class WHERE relnamespace = "
        "to_regnamespace('public')"
    )
    if _value(connection, query) is False:
        raise BackupError(
            "This role does not own the tables that a restore replaces. Set DATABASE_OWNER_URL "
            "to the owner. Nothing was changed."
        )


def _others(connection: Connection) -> list[str]:
    """Return which other parts of Pressbox are connected to the database."""
    rows = connection.execute(
        "SELECT DISTINCT application_name FROM pg_stat_activity WHERE application_name LIKE "
        "'pressbox%%'"
        " AND datname = current_database() AND pid <> pg_backend_pid() ORDER BY 1"
    )
    return [name for (name,) in rows]


def _rows(connection: Connection) -> dict[str, int]:
    """Count the rows of each table."""
    tables = connection.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
    ).fetchall()
    counts = {}
    for (table,) in tables:
        row = connection.execute(
            sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier("public", table))
        ).fetchone()
        assert row is not None
        counts[table] = int(row[0])
    return counts


def _value(connection: Connection, statement: LiteralString, *values: object) -> Any:
    row = connection.execute(statement, values).fetchone()
    return row[0] if row else None


def _server(connection: Connection) -> str:
    return str(_value(connection, "SHOW server_version")).split()[0]


def _run(program: str, options: list[str], url: str, connection: Connection) -> None:
    try:
        programs.run(program, options, url, int(_server(connection).split(".")[0]))
    except programs.ProgramError as error:
        raise BackupError(f"{error} Nothing was changed.") from error


def _sha256(stored: IO[bytes]) -> str:
    with stored:
        return hashlib.file_digest(stored, "sha256").hexdigest()  # type: ignore[arg-type]
