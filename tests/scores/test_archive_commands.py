"""`pressbox scores`: months listed, archived, read and brought back; and the scheduled job."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID

import pytest
from click.testing import CliRunner
from flask import Flask

from app.boards.models import Mode
from app.cli import scores as commands
from app.core import clock
from app.core.blob_store import BlobStore
from app.core.db import db
from tests.commands import use_here
from tests.worlds.score_log import Log, score_event
from tests.worlds.score_months import IN_JANUARY, score_months, stored_attempts
from workers.jobs import archive_scores as job

MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]


@pytest.fixture
def store(app: Flask, tmp_path: Path) -> Iterator[BlobStore]:
    with score_months(tmp_path) as empty:
        yield empty


@pytest.fixture
def attempts(store: BlobStore, make_mode: MakeMode, players: Players) -> list[UUID]:
    """Two players' scores of January 2026."""
    mode, people = make_mode(), players(2)
    log = Log()
    log.put(*(score_event(mode, player, 5 + n, IN_JANUARY) for n, player in enumerate(people)))
    log.consume()
    return people


def test_the_commands_archive_list_read_and_restore_a_month(
    app: Flask, monkeypatch: pytest.MonkeyPatch, attempts: list[UUID]
) -> None:
    use_here(monkeypatch, commands, app)

    def run(*words: str) -> str:
        result = CliRunner().invoke(commands.scores, list(words))
        assert result.exception is None, (result.output, result.exception)
        db.session.rollback()
        lines = result.output.splitlines(keepends=True)
        return "".join(line for line in lines if "[info" not in line)  # the log of the services

    before = stored_attempts()
    assert run("archive") == "Nothing to do: no month is due.\n"
    assert run("archive", "--month", "2026-01") == "2026-01: archived\n"
    assert stored_attempts() == {}
    (line,) = [line for line in run("months", "--csv").splitlines() if line.startswith("2026-01")]
    assert line.startswith("2026-01,archive,2,score-attempts.v1/month=2026-01/")
    (read,) = map(json.loads, run("read", "2026-01", "--player", str(attempts[1])).splitlines())
    assert (read["player_id"], read["score"]) == (str(attempts[1]), 6)
    assert len(run("read", "2026-01").splitlines()) == 2
    assert run("restore", "2026-01") == "2026-01: 2 scores are in PostgreSQL again\n"
    assert stored_attempts() == before
    refused = CliRunner().invoke(commands.scores, ["restore", "March"])
    assert "'March' is not a month. Write it like 2025-03." in refused.output


def test_the_job_archives_what_is_older_than_the_months_kept(
    app: Flask, monkeypatch: pytest.MonkeyPatch, attempts: list[UUID]
) -> None:
    assert app.config["PRESSBOX"].score_months == 14
    before = stored_attempts()
    monkeypatch.setattr(clock, "now", lambda: IN_JANUARY.replace(year=2027, month=3))
    job.run()
    db.session.rollback()
    assert stored_attempts() == before  # January 2026 is the fourteenth month before March 2027
    monkeypatch.setattr(clock, "now", lambda: IN_JANUARY.replace(year=2027, month=4))
    job.run()
    db.session.rollback()
    assert stored_attempts() == {}
    job.run()
