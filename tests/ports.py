"""Ports for servers that tests start, and ports at which nobody listens.

A port that is probed and released again may be taken by somebody else before it is used. So each test process owns
blocks of ports below the range from which systems take ports for outgoing connections (32768 on Linux, 49152 on macOS),
and no other test process gets a port of its blocks.
"""

from __future__ import annotations

import fcntl
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO

FIRST, LAST, BLOCK = 20_000, 31_999, 100
LOCKS = Path(tempfile.gettempdir()) / "pressbox-test-ports"


def reserved_port() -> int:
    """Return a free port of 127.0.0.1 that only this process may use until it ends."""
    return next(_own_ports())


@contextmanager
def refusing_port() -> Iterator[int]:
    """Yield a port at which connections are refused as long as the block runs: it is bound, and nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield int(held.getsockname()[1])


@cache
def _own_ports() -> Iterator[int]:
    """The one generator of this process; it never gives a port twice."""
    return _ports()


def _ports() -> Iterator[int]:
    locks: list[IO[str]] = []  # the system releases them when the process ends, however it ends
    LOCKS.mkdir(exist_ok=True)
    for first in range(FIRST, LAST, BLOCK):
        lock = open(LOCKS / f"{first}.lock", "w")  # noqa: SIM115 (held until the process ends)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            continue
        locks.append(lock)
        yield from (port for port in range(first, first + BLOCK) if _is_free(port))
    raise RuntimeError(f"All ports from {FIRST} to {LAST} are taken: end other test runs.")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as servers do
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
