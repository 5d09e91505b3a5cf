"""Each process imports what it uses: a dozen of them run on one machine."""

from __future__ import annotations

import subprocess
import sys

import pytest
from flask import Flask

from app.core.db import db

# Large, and each for one purpose: pages and forms, migrations, archives, arrays, models of cheating.
PAGES = {"flask_wtf", "wtforms", "flask_limiter", "htmx_flask", "app.web_app", "app.core.web"}
LARGE = {"alembic", "flask_migrate", "pyarrow", "fsspec", "s3fs", "botocore", "sklearn"}
TABLES_TOO = "import app.worker_app; app.worker_app.import_tables()"
PROCESSES = {
    "workers.relay": PAGES | LARGE | {"numpy", "sqlalchemy"},
    "workers.bridge": PAGES | LARGE | {"numpy"},
    "workers.scores": PAGES | LARGE | {"numpy"},
    "workers.keeper": PAGES | LARGE | {"numpy"},
    "workers.verifier": PAGES | LARGE | {"numpy"},
    "workers.rq_worker": PAGES | LARGE | {"numpy"},
    "workers.schedule": PAGES | LARGE | {"numpy", "sqlalchemy"},
    "workers.demo": PAGES | LARGE,
    "workers.supervisor": PAGES | LARGE | {"numpy", "sqlalchemy", "kafka"},
}


def imported(statement: str) -> set[str]:
    """What the statement prints in a new Python process, and the names of all modules that the process has then."""
    code = f"import sys; {statement}; print(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize("process", PROCESSES)
def test_a_process_does_not_import_what_it_does_not_use(process: str) -> None:
    tables = TABLES_TOO if "sqlalchemy" not in PROCESSES[process] else "pass"
    assert imported(f"import {process}; {tables}") & PROCESSES[process] == set()


def test_the_command_line_imports_a_command_when_it_is_called() -> None:
    unused = PAGES | LARGE | {"numpy", "sqlalchemy", "kafka", "flask"}
    assert imported("from app.cli import main; main.list_commands(None)") & unused == set()


def test_the_web_process_imports_no_migrations_and_no_archives() -> None:
    assert imported("import app.web_app as made; made.import_pages()") & LARGE == set()


def test_a_job_that_finds_nothing_to_archive_imports_no_parquet() -> None:
    assert imported("import workers.jobs.archive_stream, workers.jobs.archive_boards") & {"pyarrow", "numpy"} == set()


def test_workers_know_every_table(app: Flask) -> None:
    """A worker must not find a foreign key to a table that only the web application has imported."""
    names = imported(f"{TABLES_TOO}; from app.core.db import db; print(*db.metadata.tables)")
    assert {table.name for table in db.metadata.sorted_tables} - names == set()
