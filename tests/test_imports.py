"""Each process imports what it uses: a dozen of them run on one machine.

One new Python process imports all of them one after the other, those that may import least first.
What it has imported so far includes everything that a process of its own would have, so an unwanted
module cannot hide, and it is reported for the first statement that brings it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise

import pytest
from flask import Flask

from app.core.db import db

# Large, and each for one purpose: pages and forms, migrations, archives, arrays, models of
# cheating.
PAGES = {
    "flask_wtf",
    "wtforms",
    "flask_limiter",
    "htmx_flask",
    "app.web_app",
    "app.core.http.responses",
}
LARGE = {"alembic", "flask_migrate", "pyarrow", "fsspec", "s3fs", "botocore", "sklearn"}
NO_MODELS = PAGES | LARGE | {"numpy", "sqlalchemy"}
CLIENTS = {"kafka", "flask", "psycopg", "redis", "rq"}
ALL_TABLES = "import app.subjects; app.subjects.import_tables()"
# Statement -> what it must not import. Each set includes the next one.
STEPS = {
    "from app.cli import main; main.list_commands(None)": NO_MODELS | CLIENTS,
    "import workers.supervisor.start, app.cli.operations": NO_MODELS | CLIENTS,
    "import workers.relay": NO_MODELS,
    "import workers.schedule": NO_MODELS,
    ALL_TABLES: PAGES | LARGE | {"numpy"},
    "import workers.bridge": PAGES | LARGE | {"numpy"},
    "import workers.scores": PAGES | LARGE | {"numpy"},
    "import workers.verifier": PAGES | LARGE | {"numpy"},
    "import workers.rq_worker": PAGES | LARGE | {"numpy"},
    "import workers.demo": PAGES | LARGE,
    "import app.web_app; app.web_app.web_modules()": LARGE,
}
IMPORTER = f"""
import json, sys
before, brought = set(sys.modules), {{}}
for statement in {list(STEPS)!r}:
    exec(statement)
    brought[statement] = sorted(set(sys.modules) - before)
    before |= set(sys.modules)
    if statement == {ALL_TABLES!r}:
        tables = list(sys.modules["app.core.db"].db.metadata.tables)
print(json.dumps({{"brought": brought, "tables": tables}}))
"""


def run_python(code: str) -> str:
    """What the code prints in a new Python process."""
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout


@pytest.fixture(scope="module")
def imported() -> dict[str, dict[str, list[str]]]:
    """`brought`: the modules that each step was the first to import.

    `tables`: those that a worker knows.
    """
    answer: dict[str, dict[str, list[str]]] = json.loads(run_python(IMPORTER))
    return answer


def test_each_step_may_import_more_than_the_one_before() -> None:
    """Else an unwanted module could be hidden by a process that may import it."""
    unwanted = list(STEPS.values())
    assert all(later <= earlier for earlier, later in pairwise(unwanted))


@pytest.mark.parametrize("statement", STEPS)
def test_a_process_does_not_import_what_it_does_not_use(
    imported: dict[str, dict[str, list[str]]], statement: str
) -> None:
    assert set(imported["brought"][statement]) & STEPS[statement] == set()


def test_a_job_that_finds_nothing_to_archive_imports_no_parquet() -> None:
    modules = run_python(
        "import sys, workers.jobs.archive_stream, workers.jobs.archive_boards; print(*sys.modules)"
    )
    assert set(modules.split()) & {"pyarrow", "numpy"} == set()


def test_workers_know_every_table(app: Flask, imported: dict[str, dict[str, list[str]]]) -> None:
    """A worker must not find a foreign key to a table that only the web application imports."""
    assert {table.name for table in db.metadata.sorted_tables} - set(imported["tables"]) == set()
