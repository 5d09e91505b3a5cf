"""Log files and log lines: their owner, their greatest size, and the lines that are logged once."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from app.core.db import db
from app.core.logs import rotation
from app.core.logs.deduplication import Repeats
from app.core.logs.rotation import PATH_VARIABLE, PumpedLog, open_log
from app.embedded.stack import Stack
from tests.waiting import patience, until
from workers.supervisor.children import Children
from workers.supervisor.processes import Command

ROOT = Path(__file__).parent.parent.parent


def lines_of(path: Path) -> list[str]:
    """All lines of the log, the oldest file first."""
    files = sorted(path.parent.glob(f"{path.name}*"), key=lambda file: file.name, reverse=True)
    return [line for file in files for line in file.read_text().splitlines()]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def run(program: str, log: Path) -> None:
    """Runs a program of ours with its output sent to the log, as the supervisor does."""
    descriptor = open_log(log)
    try:
        subprocess.run(
            [sys.executable, "-c", program],
            stdout=descriptor,
            stderr=descriptor,
            env=os.environ | {PATH_VARIABLE: str(log)},
            cwd=ROOT,
            check=True,
            timeout=patience(120),
        )
    finally:
        os.close(descriptor)


def test_a_process_begins_new_files_and_loses_no_line(tmp_path: Path) -> None:
    """Neither its lines nor printed text are lost, from two processes and several threads."""
    log = tmp_path / "web.log"
    run(
        """
import os, sys, threading
from app.core.logs import rotation
from app.core.logs.configuration import configure_logging
rotation.rotate_own_log.__defaults__ = (40_000,)
configure_logging("INFO", "test")
import structlog
def write(name):
    log = structlog.get_logger()
    for number in range(150):
        log.info("line", name=f"{name}-{number}")
        if number % 10 == 0:
            sys.stdout.write(f"printed {name}-{number}\\n")
            sys.stdout.flush()
child = os.fork()
threads = [threading.Thread(target=write, args=(f"{child > 0}-{n}",)) for n in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
if child: os.waitpid(child, 0)
""",
        log,
    )
    lines = lines_of(log)
    assert 2 <= len(list(tmp_path.glob("web.log*"))) <= 1 + rotation.KEPT
    assert len([line for line in lines if "event=line" in line]) == 900
    assert len([line for line in lines if line.startswith("printed")]) == 90
    assert {mode(file) for file in tmp_path.glob("web.log*")} == {0o600}


def test_a_stores_output_is_pumped_into_files_without_losing_a_line(tmp_path: Path) -> None:
    log = tmp_path / "valkey.log"
    log.touch(mode=0o644)  # of an older release
    program = "for n in range(5000): print('line', n)"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        PumpedLog(log, process.stdout, largest=20_000).join(patience(60))
    assert [int(line.split()[1]) for line in lines_of(log)] == list(range(5000))
    assert 2 <= len(list(tmp_path.glob("valkey.log*"))) <= 1 + rotation.KEPT
    assert {mode(file) for file in tmp_path.glob("valkey.log*")} == {0o600}


def test_a_full_disk_does_not_stop_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "broker.log"
    write = os.write

    def maybe(descriptor: int, data: bytes) -> int:
        if not data.startswith((b"3 lines", b"kept")):
            raise OSError(28, "No space left on device")
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", maybe)
    program = "print('lost\\n' * 3 + 'kept')"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        PumpedLog(log, process.stdout).join(patience(60))
    assert log.read_text() == "3 lines are missing here\nkept\n"


def test_logs_of_stores_and_processes_are_their_owners_alone(app: Flask, stack: Stack) -> None:
    children = Children(stack, [Command("quiet", [sys.executable, "-c", "print('hello')"])])
    children.start()
    until(lambda: "hello" in (stack.var / "logs" / "quiet.log").read_text(), "its line is there")
    children.stop()
    logs = list((stack.var / "logs").glob("*.log"))
    assert len(logs) >= 3
    assert {log.name: mode(log) for log in logs} == {log.name: 0o600 for log in logs}


def test_a_repeated_error_is_one_line_and_a_count(tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    run(
        """
import logging as library
from app.core.logs.configuration import configure_logging
configure_logging("INFO", "test")
import structlog
log = structlog.get_logger()
for number in range(2000):
    try:
        {}["secret of " + str(number)]
    except KeyError:
        log.exception("failed", job_id=number)
    library.getLogger("kafka").error("Connection %s lost", number)
    log.warning("odd", game_id="g1")
    log.warning("odd", game_id=f"g{number}") if number < 3 else None
    log.info("fine")
""",
        log,
    )
    text = log.read_text()
    assert text.count("event=failed") == 1
    assert text.count("Traceback") == 1
    assert text.count("Connection 0 lost") == 1
    assert text.count("level=warning event=odd") == 3, "others are not the same"
    assert text.count("event=fine") == 2000, "only warnings and errors are counted"
    assert [int(count) for count in re.findall("event=repeated .*count=([0-9]+)", text)] == [
        1999,
        1999,
        2000,
    ]


def test_a_line_break_in_a_value_begins_no_line(tmp_path: Path) -> None:
    log = tmp_path / "web.log"
    run(
        """
from app.core.logs.configuration import configure_logging
configure_logging("INFO", "test")
import structlog
structlog.get_logger().info("renamed", name="ann\\nlevel=error event=forged")
""",
        log,
    )
    (line,) = lines_of(log)
    assert "event=renamed" in line
    assert "\\nlevel=error" in line


def test_counts_come_once_a_minute_and_none_is_lost() -> None:
    now = [0.0]
    repeats = Repeats(60, clock=lambda: now[0])
    assert [repeats.take("a") for _ in range(5)] == [True, False, False, False, False]
    assert repeats.take("b")
    assert repeats.due() == []
    now[0] = 60
    assert repeats.due() == [("a", 4)]
    assert [repeats.take("a") for _ in range(2)] == [True, False], "written again after its minute"
    for number in range(1000):
        repeats.take(number)
    assert sum(count for _, count in repeats.due(all_of_them=True)) == 1


def test_the_same_error_has_the_same_number_on_the_page(
    app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> str:
        raise RuntimeError("of the moment")

    monkeypatch.setitem(app.view_functions, "record.games", broken)
    broken.audience = frozenset({"public"})  # type: ignore[attr-defined]
    pages = [client.get("/games") for _ in range(2)]
    assert [page.status_code for page in pages] == [500, 500]
    numbers = [
        re.findall(r"this number to the person who runs this site: ([0-9a-f]{8})", page.text)
        for page in pages
    ]
    assert numbers[0] == numbers[1] != []


def test_no_parameter_of_a_statement_stands_in_an_error(app: Flask) -> None:
    with pytest.raises(SQLAlchemyError) as caught:
        db.session.execute(text("SELECT 1 / :zero, :hash"), {"zero": 0, "hash": "$argon2id$secret"})
    db.session.rollback()
    assert "argon2id" not in str(caught.value)
    assert "hide_parameters" in str(caught.value)
