"""Behind PgBouncer in transaction mode.

Limits hold, nothing is left in a session, and what needs one goes past it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from app.core.db import db, only_run
from app.core.errors import UserError
from app.core.postgres.advisory_locks import Lock
from app.embedded.stack import Stack
from app.ops import versions
from app.settings import Settings
from tests.cluster.postgres.pooler import pooler, program
from tests.conftest import AnotherApp, folder_for_stores
from tests.waiting import patient

POOL = 1  # connections of the pooler: fewer than clients


@pytest.fixture(scope="module")
def pooled() -> Iterator[Settings]:
    program()  # skips before anything is started
    with (
        folder_for_stores() as folder,
        Stack(patient(Settings(var=folder, kafka="127.0.0.1:1"))) as stack,
    ):
        folder.chmod(0o755)
        pooler_folder = folder / "pooler"
        pooler_folder.mkdir()
        with pooler(pooler_folder, stack.settings.psycopg_url, POOL) as url:
            yield replace(
                stack.settings, database_url=url, database_direct_url=stack.settings.database_url
            )


def test_nothing_of_a_session_is_left_to_who_comes_next(
    pooled: Settings, another_app: AnotherApp
) -> None:
    with another_app(pooled).app_context():
        query = text("SELECT setting::int FROM pg_settings WHERE name = 'statement_timeout'")
        for _ in range(2):
            assert db.session.scalar(query) == pooled.timeouts_web.statement * 1000
            db.session.rollback()
        db.session.execute(text("SET LOCAL statement_timeout = 50"))
        with pytest.raises(OperationalError, match="canceling statement due to statement timeout"):
            db.session.execute(text("SELECT pg_sleep(20)"))
        db.session.rollback()
        for _ in range(12):  # psycopg prepares what it has sent five times
            assert db.session.scalar(text("SELECT CAST(:one AS int)"), {"one": 1}) == 1
            db.session.rollback()
    with psycopg.connect(pooled.psycopg_url, autocommit=True) as connection:
        left = connection.execute("SELECT name FROM pg_prepared_statements").fetchall()
        limit = connection.execute("SHOW statement_timeout").fetchone()
    assert (left, limit) == ([], ("0",))


def test_a_run_alone_keeps_no_connection_of_the_pooler(
    pooled: Settings, another_app: AnotherApp
) -> None:
    with another_app(pooled).app_context(), only_run(Lock.BOARD_ARCHIVE, UserError("busy")):
        assert db.session.scalar(text("SELECT 1")) == 1
        db.session.rollback()
        with (
            pytest.raises(UserError, match="busy"),
            only_run(Lock.BOARD_ARCHIVE, UserError("busy")),
        ):
            pass


def test_a_pooler_that_no_setting_names_is_found(pooled: Settings, another_app: AnotherApp) -> None:
    with another_app(pooled).app_context():
        assert versions.is_pooled()
        db.session.rollback()
    direct = replace(pooled, database_url=pooled.database_direct_url, database_direct_url="")
    with another_app(direct).app_context():
        assert not versions.is_pooled()
        db.session.rollback()
