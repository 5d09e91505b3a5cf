"""`pressbox up` and its errors, as somebody who types it sees them."""

from __future__ import annotations

import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from app.embedded.stack import Stack, StackError, free_port, running, with_running_stack
from app.settings import Settings
from tests.embedded.running import PRESSBOX, ROOT, environment, is_healthy, pressbox
from tests.waiting import patience, until


@pytest.fixture
def up() -> Iterator[Callable[..., tuple[subprocess.Popen[str], int]]]:
    """Starts `pressbox up` in a folder and gives the process and its port; kills what a failed test left."""
    started: list[subprocess.Popen[str]] = []

    def start(var: Path, *arguments: str) -> tuple[subprocess.Popen[str], int]:
        port = free_port()
        process = subprocess.Popen(
            [*PRESSBOX, "up", *arguments],
            cwd=ROOT,
            env=environment(PORT=port, PRESSBOX_VAR=var),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        started.append(process)
        return process, port

    yield start
    for process in started:
        if process.poll() is None:
            for child in psutil.Process(process.pid).children(recursive=True):
                child.kill()
            process.kill()


def until_ready(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        if "Ctrl-C stops everything" in line:
            return "".join(lines)
    raise AssertionError("".join(lines))


def processes_of(folder: Path) -> list[str]:
    found = []
    for process in psutil.process_iter(["cmdline", "cwd"]):
        words = " ".join(process.info["cmdline"] or [])
        if str(folder) in words or process.info["cwd"] == str(folder):
            found.append(words)
    return found


def test_up_is_healthy_stops_without_a_trace_and_goes_on_where_it_was_even_after_a_kill(
    up: Callable[..., tuple[subprocess.Popen[str], int]], store_folder: Path
) -> None:
    var = store_folder / "var"
    process, port = up(var)
    text = until_ready(process)
    assert f"Pressbox is ready at http://127.0.0.1:{port}" in text
    assert all(role in text for role in ("member", "scorer", "moderator", "operator"))
    until(lambda: is_healthy(port), "it says that it is healthy")

    def is_whole() -> bool:
        doctor = pressbox("doctor", PRESSBOX_VAR=var)
        return (doctor.returncode, "All parts are up." in doctor.stdout) == (0, True)

    until(is_whole, "the doctor finds nothing")
    second = pressbox("up", PRESSBOX_VAR=var, PORT=free_port())
    assert second.returncode == 1
    assert "already running" in second.stderr
    pids = [int(line.split()[0]) for line in (var / "started.pids").read_text().splitlines()]
    process.send_signal(signal.SIGINT)
    process.wait(timeout=patience(180))
    assert not any(psutil.pid_exists(pid) for pid in pids)
    assert processes_of(var) == []
    before = secret_of(var)
    process, _ = up(var, "--no-demo")
    assert "Refilling the empty broker" in until_ready(process)
    assert secret_of(var) == before
    left = [int(line.split()[0]) for line in (var / "started.pids").read_text().splitlines()]
    process.kill()
    process.wait(timeout=patience(60))
    again, _ = up(var, "--no-demo")
    until_ready(again)
    until(lambda: not any(psutil.pid_exists(pid) for pid in left), "what the killed supervisor left is ended")
    again.send_signal(signal.SIGTERM)
    again.wait(timeout=patience(180))
    assert processes_of(var) == []


def secret_of(var: Path) -> str:
    return (var / "secret_key").read_text()


def test_a_port_in_use_gets_one_sentence(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = pressbox("up", PORT=port, PRESSBOX_VAR=tmp_path)
    assert result.returncode == 1
    assert f"Port {port} is in use" in result.stderr
    assert f"PORT={port + 1} make run" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_data_folder_that_is_a_file_gets_one_sentence(tmp_path: Path) -> None:
    broken = tmp_path / "var"
    broken.write_text("")
    result = pressbox("up", PORT=free_port(), PRESSBOX_VAR=broken)
    assert result.returncode == 1
    assert "PRESSBOX_VAR" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_broken_database_folder_gets_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "PG_VERSION").write_text("8.0\n")
    result = pressbox("up", PORT=free_port(), PRESSBOX_VAR=tmp_path)
    assert result.returncode == 1
    assert "embedded PostgreSQL did not start" in result.stderr
    assert "move that folder away" in result.stderr
    assert "Traceback" not in result.stderr


def test_wrong_settings_are_reported_all_at_once(tmp_path: Path) -> None:
    result = pressbox("up", PORT="http", WORKERS=0, PRESSBOX_VAR=tmp_path)
    assert result.returncode == 1
    assert "PORT=" in result.stderr
    assert "WORKERS=" in result.stderr


def test_commands_say_how_to_start_what_they_need(tmp_path: Path) -> None:
    result = pressbox("doctor", PRESSBOX_VAR=tmp_path)
    assert result.returncode == 1
    assert "make run" in result.stderr


def test_given_addresses_are_used_instead_of_embedded_stores(tmp_path: Path) -> None:
    given = Settings(var=tmp_path, database_url="postgresql://h/d", redis_url="redis://h", kafka="h:9092")
    with Stack(given) as stack:
        assert stack.settings == given
        assert stack.stores == []
        found = running(given)
        assert found is not None
        assert "postgresql" not in found.database_url, "a given address may hold a password: it is not written down"
    assert running(given) is None


def test_without_a_running_stack_an_address_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(StackError, match="make run"):
        with_running_stack(Settings(var=tmp_path, redis_url="redis://h"))
