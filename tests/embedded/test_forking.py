"""Our processes are forked from a server that has imported Pressbox (decision 98)."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from app.embedded.stack import Stack
from tests.waiting import patience, until
from workers.supervisor.children import ROOT, Children, environment
from workers.supervisor.forking import ForkedProcess
from workers.supervisor.processes import Command

RELAY = Command("relay-of-a-test", [sys.executable, "-m", "workers.relay"])


def title_of(pid: int) -> str:
    """The command line that `ps` shows."""
    return " ".join(psutil.Process(pid).cmdline()).rstrip()


@pytest.fixture
def relay(stack: Stack) -> Iterator[Children]:
    """A supervised relay."""
    children = Children(stack, [RELAY])
    children.start()
    yield children
    children.stop()


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
        "app.web_app workers.jobs.ingest_events workers.keeper",
        str(stack.var),
    ]


def test_a_lost_fork_server_takes_its_processes_with_it_and_they_start_again(
    relay: Children,
) -> None:
    first = relay.running[RELAY.name]
    until(lambda: title_of(first.pid).endswith("-m workers.relay"), "the process has its title")
    fork_server = psutil.Process(first.pid).ppid()
    assert fork_server != os.getpid()
    os.kill(fork_server, signal.SIGTERM)  # as a signal to the whole group would
    assert psutil.Process(first.pid).ppid() == fork_server
    os.kill(fork_server, signal.SIGKILL)
    until(lambda: first.poll() is not None, "the supervisor notices")
    until(lambda: not psutil.pid_exists(first.pid), "the orphan ends by itself")
    relay.start()
    assert relay.running[RELAY.name].poll() is None
