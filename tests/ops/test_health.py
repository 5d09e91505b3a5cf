from __future__ import annotations

import socket
import time
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from structlog.testing import capture_logs

from app.core import jobs
from app.core.redis.clients import jobs_redis
from app.ops import health
from app.ops.health import PROCESSES, check_all
from app.ops.work import STUCK_SECONDS
from workers.process import heartbeat_key


def test_what_is_down_is_named_with_503(client: FlaskClient) -> None:
    answer = client.get("/healthz")
    assert answer.status_code == 503
    assert answer.json is not None
    processes = ["relay", "bridge", "scores", "verifier", "scheduler"]
    assert answer.json["down"] == [*processes, *(f"workers {kind}" for kind in jobs.WORKER_KINDS)]
    assert answer.json["parts"]["postgres"] == answer.json["parts"]["kafka"] == "up"


def test_a_heartbeat_counts_as_up(client: FlaskClient) -> None:
    jobs_redis().set(heartbeat_key("relay", 1), 1, ex=10)
    assert client.get("/healthz").json["parts"]["relay"] == "up"  # type: ignore[index]


def test_processes_of_two_hosts_with_one_number_are_two(client: FlaskClient, app: Flask) -> None:
    """In containers all have the number 1.

    One that is stuck must not hide behind one that works.
    """
    now = time.time()
    jobs_redis().set(heartbeat_key("relay", 1, "a"), f"{now:.0f}", ex=10)
    jobs_redis().set(
        heartbeat_key("relay", 1, "b"), f"{now:.0f} {now - STUCK_SECONDS - 30:.0f}", ex=10
    )
    assert client.get("/healthz").json["parts"]["relay"] == "down"  # type: ignore[index]
    jobs_redis().set(heartbeat_key("relay", 1, "b"), f"{now:.0f}", ex=10)
    (relay,) = [part for part in check_all(app.config["PRESSBOX"]) if part.name == "relay"]
    assert relay.detail == "2 running"


@pytest.mark.parametrize("name", PROCESSES)
def test_a_process_that_is_not_there_is_missed_with_the_command_that_starts_it(
    app: Flask, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scheduler too: it sends failed jobs again."""
    # Redis may have just been started for this run
    monkeypatch.setattr(health, "UNHEARD_SECONDS", -1)
    (part,) = (
        part
        for part in check_all(replace(app.config["PRESSBOX"], var=tmp_path))
        if part.name == name
    )
    assert (part.up, part.detail) == (False, "not running")
    assert f"python -m {PROCESSES[name]}" in part.remedy
    assert find_spec(PROCESSES[name]) is not None


def test_right_after_a_start_of_redis_the_cause_is_said_instead_of_twelve_parts_being_down(
    app: Flask, sign_in: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their signs of life were in the Redis that was lost.

    The processes themselves never stopped.
    """
    monkeypatch.setattr(health, "UNHEARD_SECONDS", 10**9)
    down = [part for part in check_all(app.config["PRESSBOX"]) if not part.up]
    assert len(down) == len(PROCESSES) + len(jobs.WORKER_KINDS)
    assert {part.because_of.partition(" at ")[0] for part in down} == {"Redis was started"}
    page = sign_in("operator").get("/ops").text
    assert f"holds nothing from before: {len(down)} parts haven&#39;t reported" in page


def test_nothing_private_is_shown(client: FlaskClient, app: Flask) -> None:
    text = client.get("/healthz").text
    settings = app.config["PRESSBOX"]
    for private in (settings.database_url, settings.redis_url, settings.kafka):
        assert private not in text


@pytest.mark.parametrize("part", ["kafka"])
def test_a_dead_store_is_down_and_says_what_to_do(app: Flask, part: str) -> None:
    settings = replace(app.config["PRESSBOX"], kafka="127.0.0.1:1")
    parts = {p.name: p for p in check_all(settings)}
    assert not parts[part].up
    assert "outbox" in parts[part].remedy
    assert parts["postgres"].up


def test_a_broker_that_takes_connections_and_says_nothing_does_not_answer(app: Flask) -> None:
    """Also when Kafka's client has given up before our patience ends."""
    with socket.create_server(("127.0.0.1", 0)) as mute:
        settings = replace(app.config["PRESSBOX"], kafka=f"127.0.0.1:{mute.getsockname()[1]}")
        kafka = next(part for part in check_all(settings) if part.name == "kafka")
    assert (kafka.up, kafka.detail) == (False, "does not answer")


def test_an_error_of_a_store_is_in_the_log_because_pages_do_not_show_it(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> str:
        raise redis.ResponseError("OOM command not allowed")

    monkeypatch.setattr(health, "_redis", refuse)
    with capture_logs() as lines:
        part = next(part for part in check_all(app.config["PRESSBOX"]) if part.name == "redis")
    assert (part.up, part.detail) == (False, "answered with an error")
    assert ("part_answered_with_an_error", "ResponseError: OOM command not allowed") in [
        (line["event"], line.get("reason")) for line in lines
    ]
