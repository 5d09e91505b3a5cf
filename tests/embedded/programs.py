"""Servers of the system that the tests may run on instead of the wheels' ones."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from app.embedded.stack import Programs


def debian_programs() -> Programs | None:
    """The oldest PostgreSQL of /usr/lib/postgresql and redis-server.

    None where one of them is missing.
    """
    programs = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3])
    )
    redis_server = shutil.which("redis-server")
    return Programs(programs[0].parent, Path(redis_server)) if programs and redis_server else None


def wanted_programs() -> Programs:
    """What PRESSBOX_TEST_STORES asks for.

    `debian`, a folder with PostgreSQL's programs, or (unset) the wheels' own.
    """
    stores = os.environ.get("PRESSBOX_TEST_STORES", "")
    if not stores:
        return Programs()
    if stores != "debian":
        return Programs(postgres=Path(stores))
    if (programs := debian_programs()) is None:
        pytest.skip("needs Debian's servers: apt-get install postgresql redis-server")
    return programs
