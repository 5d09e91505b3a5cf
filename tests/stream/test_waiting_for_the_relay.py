"""Commands that compare with the topic wait for the relay first."""

from __future__ import annotations

import pytest

from app.cli import shared
from app.embedded.stack import StackError
from app.record import backlog


def test_a_relay_that_does_not_publish_is_an_error_and_no_silence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shared, "INGEST_WAIT_SECONDS", 0)
    monkeypatch.setattr(backlog, "unpublished_count", lambda: 3)
    with pytest.raises(StackError, match="3 events are not on the topic"):
        shared.until_published()


def test_a_command_goes_on_once_all_is_published(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = iter([2, 0])
    monkeypatch.setattr(backlog, "unpublished_count", lambda: next(counts))
    shared.until_published()
    assert list(counts) == []
