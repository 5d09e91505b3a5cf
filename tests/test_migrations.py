from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import flask_migrate
import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from click.testing import CliRunner
from flask import Flask
from sqlalchemy import create_engine, make_url, text

from app import cli
from app.core.db import db
from app.core.schema import LAST_WITH_REPLACED, SchemaError
from app.embedded.stack import Stack
from app.settings import Settings
from tests.migrations.schema import schema_lines

MIGRATIONS = Path(__file__).parent.parent / "migrations"
# Written once from a database that the fourteen migrations had made (`schema_lines` of it).
SCHEMA_0014 = Path(__file__).parent / "migrations" / "schema_0014.txt"


def test_models_and_migrations_agree(app: Flask) -> None:
    flask_migrate.check(directory=str(MIGRATIONS))  # exits with an error when a migration is missing


def test_there_is_one_head() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    assert len(ScriptDirectory.from_config(config).get_heads()) == 1


@pytest.fixture
def empty(stack: Stack) -> Iterator[Flask]:
    """An application on an empty database of its own."""
    url = make_url(stack.settings.sqlalchemy_url)
    with create_engine(url, isolation_level="AUTOCOMMIT").connect() as connection:
        connection.execute(text("DROP DATABASE IF EXISTS migrated WITH (FORCE)"))
        connection.execute(text("CREATE DATABASE migrated"))
    app = Flask("migrated")
    app.config["SQLALCHEMY_DATABASE_URI"] = url.set(database="migrated").render_as_string(hide_password=False)
    db.init_app(app)
    flask_migrate.Migrate(app, db, directory=str(MIGRATIONS))
    with app.app_context():
        yield app
        db.session.remove()
        db.engine.dispose()


def _at_revision(revision: str) -> None:
    db.session.execute(text("CREATE TABLE alembic_version (version_num varchar(32) PRIMARY KEY)"))
    db.session.execute(text("INSERT INTO alembic_version VALUES (:revision)"), {"revision": revision})
    db.session.commit()


def test_the_first_release_is_what_the_fourteen_migrations_before_it_made(empty: Flask) -> None:
    flask_migrate.upgrade(directory=str(MIGRATIONS), revision="0014")
    assert schema_lines(db.session.connection()) == SCHEMA_0014.read_text().splitlines()


def test_the_constraint_that_needed_postgresql_15_becomes_an_index(empty: Flask) -> None:
    flask_migrate.upgrade(directory=str(MIGRATIONS), revision="0014")
    if db.session.connection().dialect.server_version_info < (15,):
        pytest.skip("PostgreSQL 14 never had this constraint")
    columns = "season_id, format, lock, time_zone, deadline, budget, club_limit, free_transfers, bank_limit"
    db.session.execute(text("DROP INDEX uq_team_rules_all"))
    db.session.execute(
        text(
            "ALTER TABLE team_rules ADD CONSTRAINT uq_team_rules_all"
            f" UNIQUE NULLS NOT DISTINCT ({columns}, transfer_cost)"
        )
    )
    db.session.commit()
    flask_migrate.upgrade(directory=str(MIGRATIONS))
    found = db.session.scalars(text("SELECT indexdef FROM pg_indexes WHERE indexname = 'uq_team_rules_all'")).all()
    assert ["COALESCE(deadline" in definition for definition in found] == [True]
    constraints = text("SELECT count(*) FROM pg_constraint WHERE conname = 'uq_team_rules_all'")
    assert db.session.scalar(constraints) == 0


def test_a_database_at_0014_keeps_its_rows_and_goes_on(empty: Flask) -> None:
    flask_migrate.upgrade(directory=str(MIGRATIONS), revision="0014")
    db.session.execute(text("INSERT INTO clubs (id, name, nickname, colour) VALUES ('HRB', 'Harbor', '', '#224466')"))
    db.session.commit()
    flask_migrate.upgrade(directory=str(MIGRATIONS))
    assert db.session.scalars(text("SELECT name FROM clubs")).all() == ["Harbor"]


@pytest.mark.parametrize(
    ("revision", "words"),
    [
        ("0001", f"older than this version can upgrade from (0014): start it once with {LAST_WITH_REPLACED}"),
        ("0013", f"older than this version can upgrade from (0014): start it once with {LAST_WITH_REPLACED}"),
        ("9999", "a newer Pressbox made it, so use that version or a newer one"),
    ],
)
def test_a_database_of_another_version_is_left_alone_with_a_sentence(empty: Flask, revision: str, words: str) -> None:
    _at_revision(revision)
    with pytest.raises(SchemaError) as refused:
        flask_migrate.upgrade(directory=str(MIGRATIONS))
    assert f"The database is at revision {revision}" in str(refused.value)
    assert words in str(refused.value)
    tables = text("SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'")
    assert db.session.scalars(tables).all() == ["alembic_version"]
    assert db.session.scalars(text("SELECT version_num FROM alembic_version")).all() == [revision]


@pytest.mark.parametrize("command", ["migrate", "up"])
def test_commands_print_the_sentence_and_no_traceback(
    empty: Flask,
    stack: Stack,
    command: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    _at_revision("0011")
    settings = replace(stack.settings, var=tmp_path, database_url=empty.config["SQLALCHEMY_DATABASE_URI"], port=8450)
    monkeypatch.setattr(Settings, "from_env", lambda: settings)
    result = CliRunner().invoke(cli.main, [command])
    said = result.output + "".join(capfd.readouterr())  # under `up` a process of its own says it
    assert result.exit_code == 1
    assert "The database is at revision 0011, older than this version can upgrade from (0014)" in said
    assert "Traceback" not in said
