"""The process of docker-compose.yml and the Helm chart whose workers follow the game schedule."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from flask import Flask
from rq import Worker
from sqlalchemy import text

from app.core import clock
from app.core.db import db
from app.core.redis.clients import jobs_redis
from app.embedded.stack import Stack
from tests.waiting import patience, until
from tests.worlds.games import make_game
from workers.supervisor.children import environment

ROOT = Path(__file__).parents[2]
COMMAND = ["workers.worker_pool", "ingest"]


@pytest.fixture
def pool(app: Flask, stack: Stack) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", *COMMAND],
        env=environment(stack) | {"WORKERS": "1", "WORKERS_MAX": "3"},
        cwd=ROOT,
    )
    yield process
    if process.poll() is None:
        process.kill()
        process.wait()


def workers() -> list[int | None]:
    return [worker.pid for worker in Worker.all(connection=jobs_redis())]


def test_a_container_has_more_workers_while_games_are_played_and_ends_them_with_itself(
    pool: subprocess.Popen[bytes],
) -> None:
    until(lambda: len(workers()) == 1, "one worker while nothing is played")
    for number in range(9):
        make_game(f"sunday-{number}")
    db.session.execute(text("UPDATE games SET kickoff = :now"), {"now": clock.now()})
    db.session.commit()
    until(lambda: len(workers()) == 3, "a worker per four games")
    pids = workers()
    pool.send_signal(signal.SIGTERM)
    assert pool.wait(patience(30)) == 0
    assert workers() == []
    for pid in pids:
        assert pid is not None
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_kind_whose_number_does_not_follow_the_schedule_is_refused() -> None:
    refused = subprocess.run(
        [sys.executable, "-m", "workers.worker_pool", "refresh"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 1
    assert refused.stderr.strip() == (
        "Only the number of ingest workers follows the schedule: name ingest."
    )


def test_compose_and_chart_run_it() -> None:
    """Seed 000: a simple container scheduler based on the game schedule."""
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["worker"]
    assert compose["command"].split() == ["python", "-m", *COMMAND]
    assert compose["environment"]["WORKERS_MAX"] == "4"
    assert compose["deploy"]["replicas"] == 2  # the other one takes over
    chart = ROOT / "deploy/helm/pressbox"
    processes = yaml.safe_load((chart / "files/processes.yaml").read_text())
    assert processes["ingest"]["run"] == COMMAND
    assert yaml.safe_load((chart / "values.yaml").read_text())["settings"]["WORKERS_MAX"] == "4"
