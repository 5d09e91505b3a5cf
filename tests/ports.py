"""Ports of this machine that a test keeps to itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager

from app.embedded.store import ReservedPort

_KEPT = ExitStack()


@contextmanager
def reserved_port() -> Iterator[int]:
    """Yield a port of 127.0.0.1 that nobody else is given inside the block.

    Connections are refused until a server that was told the port listens on it.
    """
    with closing(ReservedPort()) as port:
        yield port.number


def kept_port() -> int:
    """Return a port that stays reserved until this process ends."""
    return _KEPT.enter_context(reserved_port())
