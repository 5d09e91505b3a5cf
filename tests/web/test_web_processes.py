"""When web processes end: at a signal that comes early, and when their parent is gone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress

import psutil
import pytest
from flask import Flask

from app.embedded.stack import Stack
from tests.ports import kept_port
from tests.waiting import patience, until
from tests.web.test_slow_clients import listens
from workers.supervisor.children import environment

# The signal comes after the process has begun and before the server runs.
SIGNAL_WHILE_STARTING = """
import os, signal
from workers.web import __main__ as web

create_app = web.create_app

def interrupted(settings):
    os.kill(os.getpid(), signal.SIGTERM)
    return create_app(settings)

web.create_app = interrupted
web.main()
"""

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start(app: Flask, stack: Stack) -> Iterator[Start]:
    """Start Python on the test's stores; at the end, kill what still runs."""
    started: list[subprocess.Popen[bytes]] = []

    def run(*arguments: str, web_processes: int = 1) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            env=environment(stack) | {"WEB_PROCESSES": str(web_processes)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(patience(10))


def test_a_signal_while_it_starts_ends_a_web_process(start: Start) -> None:
    process = start("-c", SIGNAL_WHILE_STARTING, f"127.0.0.1:{kept_port()}")
    process.wait(patience(60))
    assert process.returncode in (0, -signal.SIGTERM)


def test_web_processes_do_not_outlive_their_parent(start: Start) -> None:
    port = kept_port()
    parent = start("-m", "workers.web", f"127.0.0.1:{port}", web_processes=2)
    until(lambda: listens(port), "the web server listens")
    running = psutil.Process(parent.pid)
    until(lambda: len(running.children()) == 2, "both web processes run")
    children = running.children()
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait(patience(10))
    until(
        lambda: not any(child.is_running() for child in children),
        "the web processes have ended with their parent",
    )
