"""HTTP to other people's servers: every wait has an end."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from app.core.http import outbound
from tests.waiting import patience


@pytest.fixture
def silent_names(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A name server that does not answer while the test runs."""
    is_over = threading.Event()

    def look(*_: object, **__: object) -> list[object]:
        is_over.wait(patience(60))
        return []

    monkeypatch.setattr(socket, "getaddrinfo", look)
    yield
    is_over.set()


def test_a_name_server_that_does_not_answer_is_given_up_at_the_deadline(silent_names: None) -> None:
    answer = outbound.get("https://example.com/", {}, private=False, seconds=0.2, most_bytes=10)
    assert (answer.status, answer.fault) == (None, "No complete response within 0.2 s.")
