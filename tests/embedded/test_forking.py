"""Our processes are forked from a server that has imported Pressbox (decision 98)."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from flask import Flask
from rq import Worker

from app.core.redis.clients import jobs_redis
from app.embedded.stack import Stack
from tests.waiting import patience, until
from workers.process import heartbeat_key
from workers.supervisor.children import ROOT, Children, environment
from workers.supervisor.forking import ForkedProcess
from workers.supervisor.processes import Command, rq_worker

RELAY = Command("test-relay", [sys.executable, "-m", "workers.relay"])
REFRESH = rq_worker("test-refresh", "refresh")


def title_of(pid: int) -> str:
    """The command line that `ps` shows."""
    return " ".join(psutil.Process(pid).cmdline()).rstrip()


@pytest.fixture
def children(app: Flask, stack: Stack) -> Iterator[Children]:
    """A supervised relay and a worker of RQ's."""
    supervised = Children(stack, [RELAY, REFRESH])
    supervised.start()
    yield supervised
    supervised.stop()


def registered() -> list[Worker]:
    """RQ's workers."""
    return Worker.all(connection=jobs_redis())


def test_a_forked_process_has_what_pressbox_imports_and_its_own_name_and_log(
    stack: Stack, tmp_path: Path
) -> None:
    log = tmp_path / "fork.log"
    arguments = [sys.executable, "-m", "tests.embedded.says_what_it_has", "one", "two"]
    process = ForkedProcess(arguments, environment(stack), ROOT, log)
    assert process.wait(patience(60)) == 3
    assert log.read_text().splitlines() == [
        f"{sys.executable} -m tests.embedded.says_what_it_has one two",
        "one two",
        "app.web_app workers.jobs.ingest_events workers.rq_worker",
        str(stack.var),
    ]


def test_a_lost_fork_server_takes_its_processes_with_it_and_they_start_again(
    children: Children,
) -> None:
    first = [children.running[command.name] for command in (RELAY, REFRESH)]
    fork_server = psutil.Process(first[0].pid).ppid()
    assert fork_server != os.getpid()
    os.kill(fork_server, signal.SIGTERM)  # as a signal to the whole group would
    until(
        lambda: bool(jobs_redis().exists(heartbeat_key("relay", first[0].pid))), "the relay works"
    )
    assert psutil.Process(first[0].pid).ppid() == fork_server
    until(lambda: any(worker.pid == first[1].pid for worker in registered()), "so does RQ's worker")
    os.kill(fork_server, signal.SIGKILL)
    for process in first:
        until(lambda process=process: process.poll() is not None, "the supervisor notices")
        until(lambda process=process: not psutil.pid_exists(process.pid), "it ends by itself")
    children.start()
    assert [children.running[name].poll() for name in (RELAY.name, REFRESH.name)] == [None, None]
