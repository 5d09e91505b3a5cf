"""A broad selection of the suite on Debian's older PostgreSQL and Redis."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.embedded.programs import debian_programs
from tests.embedded.running import ROOT

CHOSEN = (  # what writes SQL and Lua, rather than what computes
    "tests/test_migrations.py",
    "tests/accounts",
    "tests/boards",
    "tests/fantasy/leagues",
    "tests/fantasy/sheets",
    "tests/fantasy/standings",
    "tests/fantasy/test_settlement.py",
    "tests/record/test_ingest.py",
    "tests/record/test_ledger.py",
    "tests/scores/test_apply.py",
    "tests/scores/test_corrections.py",
    "tests/scores/test_feed.py",
    "tests/scores/test_webhooks.py",
)


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_the_suite_passes_on_debians_postgresql_and_redis(measured: Callable[[str], None]) -> None:
    programs = debian_programs()
    if programs is None or programs.postgres is None:
        pytest.skip("needs Debian's servers: apt-get install postgresql redis-server")
    result = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("-m", "not e2e and not realgames and not full", *CHOSEN),
        ],
        cwd=ROOT,
        env=os.environ
        | {"PRESSBOX_TEST_STORES": "debian", "PRESSBOX_TEST_SIZE": "", "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout[-5000:]
    measured(
        f"on {programs.postgres} and {programs.valkey}: {result.stdout.strip().splitlines()[-1]}"
    )
