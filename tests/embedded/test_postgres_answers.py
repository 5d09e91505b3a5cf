"""Asking whether the embedded PostgreSQL answers has an end, whatever the server does."""

from __future__ import annotations

import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.embedded import postgres
from app.embedded.postgres import _run
from tests.waiting import join

WELCOME = b"R\0\0\0\x08\0\0\0\0" + b"Z\0\0\0\x05I"  # no password wanted; ready for a query


@contextmanager
def server(folder: Path, says: bytes) -> Iterator[str]:
    """A PostgreSQL that greets with these bytes and then says nothing more."""
    accepted: list[socket.socket] = []

    def serve() -> None:
        while True:
            try:
                client, _ = listening.accept()
            except OSError:
                return
            accepted.append(client)
            client.recv(4096)
            client.sendall(says)

    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / ".s.PGSQL.5432"))
        listening.listen()
        threading.Thread(target=serve, daemon=True).start()
        yield f"postgresql://postgres:@/postgres?host={folder}"
        listening.shutdown(socket.SHUT_RDWR)
        for client in accepted:
            client.close()


def outcome(ask: Callable[[], bool]) -> list[object]:
    answers: list[object] = []

    def run() -> None:
        try:
            answers.append(ask())
        except subprocess.SubprocessError:
            answers.append("not yet")

    asking = threading.Thread(target=run, daemon=True)
    asking.start()
    join(asking)
    return answers


@pytest.mark.parametrize("says", [WELCOME, b""])
def test_a_server_that_falls_silent_holds_up_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: bytes
) -> None:
    monkeypatch.setattr(postgres, "ANSWER_SECONDS", 1)
    with server(tmp_path, says) as url:
        assert outcome(lambda: _run("SELECT 1", url)) == ["not yet"]
