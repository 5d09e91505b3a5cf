"""Ports of this machine that a test keeps to itself."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager


@contextmanager
def reserved_port() -> Iterator[int]:
    """A port on 127.0.0.1 that nobody else is given until the context ends.

    It is bound but not listened on, so connections are refused. A server that is told the port can still listen on it,
    stop and listen again: Linux lets two sockets with SO_REUSEADDR share a port as long as one of them does not listen.
    """
    with socket.socket() as reservation:
        reservation.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reservation.bind(("127.0.0.1", 0))
        yield int(reservation.getsockname()[1])


_KEPT = ExitStack()


def kept_port() -> int:
    """A reserved port that stays reserved until this process ends."""
    return _KEPT.enter_context(reserved_port())
