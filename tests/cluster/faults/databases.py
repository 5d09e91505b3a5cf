"""Faults of PostgreSQL.

It ends, hangs, fails over, cuts its connections, takes no writes, has a full disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import psycopg
import pytest

from tests.cluster.pressbox import Pressbox
from tests.waiting import rest, until


@contextmanager
def database_restarted(box: Pressbox, chance: Random) -> Iterator[None]:
    yield
    box.machines.postgres.primary.stop()
    rest(2)
    box.machines.postgres.primary.start()


@contextmanager
def connections_cut(box: Pressbox, chance: Random) -> Iterator[None]:
    """Every connection to PostgreSQL is ended, wherever its transaction is, again and again."""
    yield
    cut = (
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name LIKE "
        "'pressbox%'"
    )
    for _ in range(8):
        with psycopg.connect(box.machines.postgres.primary.url, autocommit=True) as connection:
            connection.execute(cut)
        rest(chance.uniform(0.2, 1.0))


@contextmanager
def database_fails_over(box: Pressbox, chance: Random) -> Iterator[None]:
    """The primary dies, its replica takes its place, and a new replica is made."""
    postgres = box.machines.postgres
    yield
    postgres.fail_over()
    postgres.rejoin()
    with psycopg.connect(postgres.primary.url, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM RESET synchronous_standby_names")
        connection.execute("SELECT pg_reload_conf()")
    until(postgres.is_in_step, "the new replica is in step")


@contextmanager
def database_read_only(box: Pressbox, chance: Random) -> Iterator[None]:
    """Nothing may be written, as on a full disk or a replica."""
    owner = box.machines.postgres.primary.url
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET default_transaction_read_only = on")
        connection.execute("SELECT pg_reload_conf()")
    yield
    rest(4)
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute("SET default_transaction_read_only = off")
        connection.execute("ALTER SYSTEM RESET default_transaction_read_only")
        connection.execute("SELECT pg_reload_conf()")


@contextmanager
def database_hangs(box: Pressbox, chance: Random) -> Iterator[None]:
    """It stops where it is, its connections open.

    To a client as a network that swallows everything.
    """
    yield
    box.machines.postgres.primary.pause()
    rest(8)
    box.machines.postgres.primary.resume()


@contextmanager
def disk_full(box: Pressbox, chance: Random) -> Iterator[None]:
    """The disk of the primary has no room left, not for a row and not for the log of writes."""
    disk = box.machines.postgres.primary.disk
    if disk is None:
        pytest.skip("a disk of a known size needs root, to mount one in memory")
    filler = disk / "filler"
    yield
    with open(filler, "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * (1 << 16))
        except OSError:
            pass  # full
    rest(6)
    filler.unlink()
    if box.machines.postgres.primary.has_ended():
        box.machines.postgres.primary.start()
