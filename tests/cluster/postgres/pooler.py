"""A PgBouncer in transaction mode between Pressbox and PostgreSQL.

Found on PATH or in /usr/sbin, or installed.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from app.embedded.stack import end_process
from tests import debian
from tests.ports import kept_port
from tests.waiting import patience, until

PROGRAM = "pgbouncer"
POLICY = Path("/usr/sbin/policy-rc.d")  # asked by Debian's packages before they start a service

# No `ignore_startup_parameters`: what Pressbox asks for when connecting, every PgBouncer must take.
SETTINGS = """
[databases]
* = host={host} port={port}
[pgbouncer]
listen_addr = {address}
listen_port = {listen}
unix_socket_dir =
auth_type = trust
auth_file = {users}
pool_mode = transaction
default_pool_size = {size}
max_client_conn = 500
query_wait_timeout = 60
"""


def program() -> str:
    """Where PgBouncer is. Skips the test where there is none and none can be installed."""
    program = _found()
    if program is None and debian.is_root():
        debian.apt("update", "-qq")
        with _services_stay_off():
            debian.apt("install", "-y", "-qq", "--no-install-recommends", PROGRAM)
        program = _found()
    if program is None:
        pytest.skip("needs PgBouncer: install it (on Debian: apt-get install pgbouncer)")
    return program


def _found() -> str | None:
    return shutil.which(PROGRAM) or shutil.which(PROGRAM, path="/usr/sbin")


@contextmanager
def _services_stay_off() -> Iterator[None]:
    """A package that is installed meanwhile starts no service of its own."""
    if POLICY.exists():
        yield
        return
    POLICY.write_text("#!/bin/sh\nexit 101\n")
    POLICY.chmod(0o755)
    try:
        yield
    finally:
        POLICY.unlink()


@contextmanager
def pooler(folder: Path, database: str, size: int, address: str = "127.0.0.1") -> Iterator[str]:
    """Runs one, with so many connections to `database` (psycopg's address) for everybody.

    Gives the address of the same role and database through it. `folder`: empty, and everybody may
    pass it.
    """
    where = conninfo_to_dict(database)
    user, listen = str(where["user"]), kept_port()
    users, settings = folder / "users.txt", folder / "pgbouncer.ini"
    users.write_text(f'"{user}" ""\n')
    settings.write_text(
        SETTINGS.format(
            host=where["host"],
            port=where.get("port", 5432),
            address=address,
            listen=listen,
            users=users,
            size=size,
        )
    )
    owner = pwd.getpwnam("nobody") if os.geteuid() == 0 else None  # it does not run as root
    with open(folder / "pgbouncer.log", "ab") as log:
        process = subprocess.Popen(
            [program(), str(settings)], stdout=log, stderr=log, user=owner.pw_uid if owner else None
        )
    url = f"postgresql://{user}:@{address}:{listen}/{where['dbname']}"

    def answers() -> bool:
        assert process.poll() is None, (folder / "pgbouncer.log").read_text()
        with suppress(psycopg.OperationalError):
            psycopg.connect(url, connect_timeout=round(patience(2))).close()
            return True
        return False

    try:
        until(answers, "PgBouncer answers", 20)
        yield url
    finally:
        end_process(process)
