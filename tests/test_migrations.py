from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import flask_migrate
import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from click.testing import CliRunner
from flask import Flask
from sqlalchemy import NullPool, create_engine, text
from sqlalchemy.exc import IntegrityError

from app import cli, create_worker_app
from app.audit import log as audit
from app.audit.acts import Act
from app.audit.rights import rights
from app.audit.verification import verify
from app.core.db import db, migrations
from app.core.db.migrations import LAST_WITH_REPLACED, SchemaError
from app.core.postgres.timeouts import Use
from app.embedded.stack import Stack
from app.setting_values import for_sqlalchemy
from app.settings import Settings
from tests.migrations.schema import schema_lines
from tests.ports import kept_port

MIGRATIONS = Path(__file__).parent.parent / "migrations"
# Written once from a database that the fourteen migrations had made (`schema_lines` of it).
SCHEMA_0014 = Path(__file__).parent / "migrations" / "schema_0014.txt"


@pytest.mark.everyday("the schema's contract")
def test_models_and_migrations_agree(app: Flask) -> None:
    # exits with an error when a migration is missing
    flask_migrate.check(directory=str(MIGRATIONS))


def test_there_is_one_head() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    assert len(ScriptDirectory.from_config(config).get_heads()) == 1


def without_positions(lines: list[str]) -> list[str]:
    """A column that a downgrade brings back stands behind the others."""
    return sorted(re.sub(r"^(column \S+) \d+", r"\1", line) for line in lines)


def _of_database(name: str, url: str, user: str = "") -> str:
    """The same server's address (libpq's) for another database and another user."""
    parts = urlsplit(url)
    before, _, hosts = parts.netloc.rpartition("@")
    return parts._replace(
        netloc=f"{f'{user}:' if user else before}@{hosts}", path=f"/{name}"
    ).geturl()


@pytest.fixture
def empty(stack: Stack) -> Iterator[Flask]:
    """An application on an empty database of its own."""
    with create_engine(
        for_sqlalchemy(stack.settings.owner_url), isolation_level="AUTOCOMMIT"
    ).connect() as connection:
        connection.execute(text("DROP DATABASE IF EXISTS migrated WITH (FORCE)"))
        connection.execute(text("CREATE DATABASE migrated"))
    app = Flask("migrated")
    own_tables = _of_database("migrated", stack.settings.owner_url)
    app.config["SQLALCHEMY_DATABASE_URI"] = for_sqlalchemy(own_tables)
    application = _of_database("migrated", stack.settings.database_url)
    app.config["PRESSBOX"] = replace(
        stack.settings, database_url=application, database_owner_url=own_tables
    )
    db.init_app(app)
    flask_migrate.Migrate(app, db, directory=str(MIGRATIONS))
    with app.app_context():
        yield app
        db.session.remove()
        db.engine.dispose()


@pytest.fixture
def plain_owner(stack: Stack) -> Iterator[Settings]:
    """A database whose owner is no superuser, but may make roles.

    The application's role is not there yet.
    """
    owner = stack.settings.owner_url
    with create_engine(
        for_sqlalchemy(owner), isolation_level="AUTOCOMMIT", poolclass=NullPool
    ).connect() as connection:
        connection.execute(text("CREATE ROLE plain_owner LOGIN CREATEROLE"))
        connection.execute(text("CREATE DATABASE plain OWNER plain_owner"))
        urls = {
            name: _of_database("plain", owner, user=name) for name in ("plain_owner", "plain_app")
        }
        yield replace(
            stack.settings, database_url=urls["plain_app"], database_owner_url=urls["plain_owner"]
        )
        connection.execute(text("DROP DATABASE plain WITH (FORCE)"))
        connection.execute(text("DROP ROLE IF EXISTS plain_app"))
        connection.execute(text("DROP ROLE plain_owner"))


def test_an_owner_that_is_no_superuser_migrates_and_makes_the_applications_role(
    plain_owner: Settings,
) -> None:
    with create_worker_app(plain_owner, Use.UPKEEP).app_context():
        migrations.upgrade()
        migrations.upgrade()  # again changes nothing
        rows = rights()
        assert (rows.role, rows.by_role, rows.by_triggers) == ("plain_app", True, True)
        audit.record(Act.SIGNED_IN, actor_id=1)
        db.session.commit()
        assert verify().entries == 1
        db.session.remove()
        db.engine.dispose()


def test_a_role_that_may_not_migrate_is_told_what_to_set(plain_owner: Settings) -> None:
    with create_worker_app(plain_owner, Use.UPKEEP).app_context():
        migrations.upgrade()
        flask_migrate.downgrade(directory=str(MIGRATIONS), revision="0026")
        db.session.remove()
        db.engine.dispose()
    with create_worker_app(replace(plain_owner, database_owner_url=""), Use.UPKEEP).app_context():
        with pytest.raises(SchemaError, match="set DATABASE_OWNER_URL"):
            migrations.upgrade()
        assert db.session.scalar(text("SELECT version_num FROM alembic_version")) == "0026"
        db.session.remove()
        db.engine.dispose()


def _at_revision(revision: str) -> None:
    db.session.execute(text("CREATE TABLE alembic_version (version_num varchar(32) PRIMARY KEY)"))
    db.session.execute(
        text("INSERT INTO alembic_version VALUES (:revision)"), {"revision": revision}
    )
    db.session.commit()


def test_the_first_release_is_what_the_fourteen_migrations_before_it_made(empty: Flask) -> None:
    flask_migrate.upgrade(directory=str(MIGRATIONS), revision="0014")
    assert schema_lines(db.session.connection()) == SCHEMA_0014.read_text().splitlines()


def test_the_constraint_that_needed_postgresql_15_becomes_an_index(empty: Flask) -> None:
    flask_migrate.upgrade(directory=str(MIGRATIONS), revision="0014")
    if db.session.connection().dialect.server_version_info < (15,):
        pytest.skip("PostgreSQL 14 never had this constraint")
    columns = (
        "season_id, format, lock, time_zone, deadline, budget, club_limit, free_transfers, "
        "bank_limit"
    )
    db.session.execute(text("DROP INDEX uq_team_rules_all"))
    db.session.execute(
        text(
            "ALTER TABLE team_rules ADD CONSTRAINT uq_team_rules_all"
            f" UNIQUE NULLS NOT DISTINCT ({columns}, transfer_cost)"
        )
    )
    db.session.commit()
    flask_migrate.upgrade(directory=str(MIGRATIONS))
    differences = db.session.scalars(
        text("SELECT indexdef FROM pg_indexes WHERE indexname = 'uq_team_rules_all'")
    ).all()
    assert ["COALESCE(deadline" in definition for definition in differences] == [True]
    constraints = text("SELECT count(*) FROM pg_constraint WHERE conname = 'uq_team_rules_all'")
    assert db.session.scalar(constraints) == 0


def test_a_database_at_0014_keeps_its_rows_and_goes_on(empty: Flask) -> None:
    flask_migrate.upgrade(directory=str(MIGRATIONS), revision="0014")
    db.session.execute(
        text(
            "INSERT INTO clubs (id, name, nickname, colour) VALUES ('HRB', 'Harbor', '', '#224466')"
        )
    )
    db.session.commit()
    flask_migrate.upgrade(directory=str(MIGRATIONS))
    assert db.session.scalars(text("SELECT name FROM clubs")).all() == ["Harbor"]


def test_boards_by_time_get_microseconds_and_are_read_from_postgresql_until_they_are_rebuilt(
    empty: Flask,
) -> None:
    flask_migrate.upgrade(directory=str(MIGRATIONS), revision="0038")
    flask_migrate.downgrade(directory=str(MIGRATIONS), revision="-1")
    db.session.execute(
        text("INSERT INTO score_games (id, slug, title) VALUES (gen_random_uuid(), 'dash', 'Dash')")
    )
    for ties in ("earliest", "shared"):
        mode = text(
            "INSERT INTO score_modes (id, game_id, slug, title, aggregation, ties, min_score, "
            "max_score, created_at)"
            " SELECT gen_random_uuid(), id, :ties, 'Solo', 'sum', :ties, 0, 9, now() FROM "
            "score_games RETURNING id"
        )
        board = text(
            "INSERT INTO boards (mode_id, window_id, layout, shards, origin) VALUES (:mode, "
            "'daily:2026-04-05', 'hash',"
            " 1, '2026-04-05T00:00:00Z') RETURNING id"
        )
        number = db.session.scalar(board, {"mode": db.session.scalar(mode, {"ties": ties})})
        row = (
            "INSERT INTO board_scores (board_id, player_id, score, tie_second, at, event_id)"
            " VALUES (:board, gen_random_uuid(), 7, :second, 1775347261500000, gen_random_uuid())"
        )
        db.session.execute(text(row), {"board": number, "second": 61 if ties == "earliest" else 0})
    db.session.commit()

    def held(column: str) -> dict[str, tuple[int, bool]]:
        stored_rows = db.session.execute(
            text(
                f"SELECT m.ties, s.{column}, b.stale_since IS NOT NULL FROM board_scores s"
                " JOIN boards b ON b.id = s.board_id JOIN score_modes m ON m.id = b.mode_id"
            )
        )
        rows = {ties: (tie, stale) for ties, tie, stale in stored_rows}
        db.session.rollback()
        return rows

    flask_migrate.upgrade(directory=str(MIGRATIONS), revision="0038")
    assert held("tie") == {"earliest": (1775347261500000, True), "shared": (0, False)}
    flask_migrate.downgrade(directory=str(MIGRATIONS), revision="-1")
    assert held("tie_second") == {"earliest": (61, True), "shared": (0, False)}


def test_the_ledger_is_partitioned_by_season_and_back_without_losing_a_line(empty: Flask) -> None:
    flask_migrate.upgrade(directory=str(MIGRATIONS), revision="0057")
    before = schema_lines(db.session.connection())
    line = (
        "INSERT INTO ledger (game_id, player_id, event_number, revision, play_number, stat, "
        "amount, opened_at)"
        " VALUES (:game, 'H1', 1, 0, 1, 'receptions', 1, now()) RETURNING id"
    )
    games = ("2026_05_DEN_NE", "20260913_a", "g1", "2019090500")
    numbers = {game: db.session.scalar(text(line), {"game": game}) for game in games}
    clubs = "INSERT INTO clubs (id, name, nickname, colour) VALUES (:id, :id, '', '#224466')"
    db.session.execute(text(clubs), [{"id": "DEN"}, {"id": "NE"}])
    db.session.execute(
        text(
            "INSERT INTO games (id, season, season_type, week, kickoff, home_id, away_id)"
            " VALUES ('2019090500', 2019, 'REG', 1, now(), 'DEN', 'NE')"
        )
    )
    db.session.commit()

    def held() -> dict[str, tuple[int, str]]:
        rows = db.session.execute(text("SELECT game_id, id, tableoid::regclass::text FROM ledger"))
        lines = {game: (number, table) for game, number, table in rows}
        db.session.rollback()
        return lines

    flask_migrate.upgrade(directory=str(MIGRATIONS))
    tables = ("ledger_2026", "ledger_2026", "ledger_default", "ledger_2019")
    assert held() == {
        game: (numbers[game], table) for game, table in zip(games, tables, strict=True)
    }
    assert db.session.scalar(text(line), {"game": "g2"}) == max(numbers.values()) + 1
    with pytest.raises(IntegrityError, match="already exists"):
        db.session.execute(text(line), {"game": "2026_05_DEN_NE"})
    db.session.rollback()
    flask_migrate.downgrade(directory=str(MIGRATIONS), revision="0057")
    assert held() == {game: (number, "ledger") for game, number in numbers.items()}
    assert without_positions(schema_lines(db.session.connection())) == without_positions(before)


def test_measured_durations_keep_their_buckets_when_there_are_new_ones(empty: Flask) -> None:
    flask_migrate.upgrade(directory=str(MIGRATIONS), revision="0120")
    line = (
        "INSERT INTO measure_counts (span, at, field, count) VALUES ('day', '2026-11-01', :field,"
        " :count)"
    )
    fields = {"read:5": 7, "read:6": 2, "read:15": 1, "score_api:good": 3}
    db.session.execute(
        text(line), [{"field": field, "count": count} for field, count in fields.items()]
    )
    db.session.commit()

    def counts() -> dict[str, int]:
        rows = db.session.execute(text("SELECT field, count FROM measure_counts")).all()
        db.session.rollback()
        return {row.field: row[1] for row in rows}

    flask_migrate.upgrade(directory=str(MIGRATIONS), revision="0122")
    assert counts() == {"read:0.04": 7, "read:0.1": 2, "read:inf": 1, "score_api:good": 3}
    db.session.execute(text(line), {"field": "read:0.05", "count": 4})
    db.session.commit()
    flask_migrate.downgrade(directory=str(MIGRATIONS), revision="0120")
    assert counts() == fields | {"read:6": 6}


def test_the_posts_of_a_week_become_one(empty: Flask) -> None:
    flask_migrate.upgrade(directory=str(MIGRATIONS), revision="0129")
    db.session.execute(text("SET session_replication_role = replica"))  # a league of no season
    db.session.execute(
        text(
            "INSERT INTO leagues (id, season_id, team_rules_id, slug, name, invite_code, rules,"
            " is_overall) VALUES (1, 1, 1, 'row', 'Row', 'ROW', 'ppr', true)"
        )
    )
    for kind, data in (
        ("result", '{"gameweek": 3, "best": [[1, 9000]]}'),
        ("recap", '{"gameweek": 3, "recap_week": 3, "second": [[2, 8000]]}'),
        ("swing", '{"gameweek": 3, "recap_week": 3, "game_id": "g1", "play_number": 7}'),
        ("record", '{"gameweek": 2, "recap_week": 2}'),  # its result is not posted
        ("joined", "{}"),
    ):
        db.session.execute(
            text(
                "INSERT INTO posts (league_id, kind, key, data, created_at)"
                " VALUES (1, :kind, :kind, CAST(:data AS jsonb), now())"
            ),
            {"kind": kind, "data": data},
        )
    db.session.commit()
    flask_migrate.upgrade(directory=str(MIGRATIONS))
    posts = dict(db.session.execute(text("SELECT kind, data FROM posts")).all())
    assert posts.keys() == {"result", "joined"}
    assert posts["result"] == {
        "gameweek": 3,
        "best": [[1, 9000]],
        "recap_week": 3,
        "second": [[2, 8000]],
        "game_id": "g1",
        "play_number": 7,
    }
    db.session.rollback()
    flask_migrate.downgrade(directory=str(MIGRATIONS), revision="0129")


def test_scores_are_partitioned_by_month_and_back_without_losing_one(empty: Flask) -> None:
    flask_migrate.upgrade(directory=str(MIGRATIONS), revision="0124")
    before = schema_lines(db.session.connection())
    game, mode, player = (str(uuid4()) for _ in range(3))
    for statement in (
        f"INSERT INTO score_games (id, slug, title) VALUES ('{game}', 'dash', 'Dash')",
        "INSERT INTO score_modes (id, game_id, slug, title, aggregation, ties, min_score,"
        " max_score, created_at)"
        f" VALUES ('{mode}', '{game}', 'solo', 'Solo', 'sum', 'shared', 0, 9, now())",
        "INSERT INTO members (id, username, display_name, password_hash)"
        " VALUES (1, 'ann', 'Ann', '-')",
        f"INSERT INTO players (id, display_name, member_id) VALUES ('{player}', 'Ann', 1)",
    ):
        db.session.execute(text(statement))
    times = ("2025-12-31T23:59:59Z", "2026-01-01T00:00:00Z", "2026-03-31T22:00:00-04:00")
    attempt = (
        "INSERT INTO score_attempts (event_id, attempt_id, player_id, mode_id, score, achieved_at,"
        f" score_metadata) VALUES (:event, gen_random_uuid(), '{player}', '{mode}', 7, :at,"
        " '{\"n\": 1e99}')"
    )
    events = [uuid4() for _ in times]
    for event, at in zip(events, times, strict=True):
        db.session.execute(text(attempt), {"event": event, "at": at})
        correction = (
            "INSERT INTO score_corrections (event_id, action, before, reason, created_at)"
            " VALUES (:event, 'flag', 'clean', 'odd', now())"
        )
        db.session.execute(text(correction), {"event": event})
    db.session.commit()
    query = (
        "SELECT event_id, CAST(ROW(attempt_id, player_id, mode_id, score, achieved_at, fraud_state,"
        " score_metadata, ingested_at) AS text) AS attempt, tableoid::regclass::text AS place"
        " FROM score_attempts"
    )

    def rows() -> dict[UUID, tuple[str, str]]:
        stored = db.session.execute(text(query)).all()
        db.session.rollback()
        return {row.event_id: (row.attempt, row.place) for row in stored}

    old = rows()
    flask_migrate.upgrade(directory=str(MIGRATIONS))
    places = [f"score_attempts_{month}" for month in ("2025_12", "2026_01", "2026_04")]
    assert rows() == {
        event: (old[event][0], place) for event, place in zip(events, places, strict=True)
    }
    assert set(db.session.scalars(text("SELECT event_id FROM score_attempt_keys"))) == set(events)
    assert db.session.scalar(text("SELECT count(*) FROM score_corrections")) == 3
    with pytest.raises(IntegrityError, match="pk_score_attempt_keys"):  # in another month
        db.session.execute(text(attempt), {"event": events[0], "at": "2026-02-01T00:00:00Z"})
    db.session.rollback()
    # This month and the next three have partitions; another time waits until the next migration.
    now = datetime.now(UTC)
    for ahead in range(4):
        years, index = divmod(now.month - 1 + ahead, 12)
        month = f"{now.year + years}_{index + 1:02}"
        assert db.session.scalar(text(f"SELECT to_regclass('score_attempts_{month}')")), month
    db.session.execute(text(attempt), {"event": uuid4(), "at": "2077-01-01T00:00:00Z"})
    db.session.commit()
    assert {place for _, place in rows().values()} == {*places, "score_attempts_default"}
    flask_migrate.upgrade(directory=str(MIGRATIONS))
    assert {place for _, place in rows().values()} == {*places, "score_attempts_2077_01"}
    db.session.execute(text("DELETE FROM score_attempts WHERE achieved_at >= '2077-01-01'"))
    db.session.commit()
    flask_migrate.downgrade(directory=str(MIGRATIONS), revision="0124")
    assert rows() == {event: (old[event][0], "score_attempts") for event in events}
    assert without_positions(schema_lines(db.session.connection())) == without_positions(before)


@pytest.mark.parametrize(
    ("revision", "words"),
    [
        (
            "0001",
            "older than this version can upgrade from (0014): start it once with "
            f"{LAST_WITH_REPLACED}",
        ),
        (
            "0013",
            "older than this version can upgrade from (0014): start it once with "
            f"{LAST_WITH_REPLACED}",
        ),
        ("9999", "a newer Pressbox made it, so use that version or a newer one"),
    ],
)
def test_a_database_of_another_version_is_left_alone_with_a_sentence(
    empty: Flask, revision: str, words: str
) -> None:
    _at_revision(revision)
    with pytest.raises(SchemaError) as refused:
        flask_migrate.upgrade(directory=str(MIGRATIONS))
    assert f"The database is at revision {revision}" in str(refused.value)
    assert words in str(refused.value)
    tables = text("SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'")
    assert db.session.scalars(tables).all() == ["alembic_version"]
    assert db.session.scalars(text("SELECT version_num FROM alembic_version")).all() == [revision]


@pytest.fixture
def process_as_before() -> Iterator[None]:
    """`up` closes files to others and takes signals, for the whole process that it runs in."""
    umask = os.umask(0o022)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    os.umask(umask)
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("process_as_before")
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
    settings = replace(empty.config["PRESSBOX"], var=tmp_path, port=kept_port())
    for module in ("app.cli.operations", "app.cli.shared"):
        monkeypatch.setattr(f"{module}.settings_from_env", lambda: settings)
    result = CliRunner().invoke(cli.main, [command])
    message = result.output + "".join(capfd.readouterr())  # under `up` a process of its own says it
    assert result.exit_code == 1
    assert (
        "The database is at revision 0011, older than this version can upgrade from (0014)"
        in message
    )
    assert "Traceback" not in message
