"""`pressbox up` and its errors, as somebody who types it sees them."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import psutil
import pytest

from app.embedded.stack import Running, Stack, StackError, running, with_running_stack
from app.embedded.store import ReservedPort
from app.settings import Settings
from tests.commands import run_pressbox
from tests.embedded.running import Up, is_healthy, pressbox, processes_of
from tests.waiting import patience, until
from workers.supervisor.prepare import prepare


@pytest.fixture
def up(store_folder: Path) -> Iterator[Up]:
    """`pressbox up` in an empty data folder; killed at the end of a failed test."""
    up = Up(store_folder / "var", WORKERS=1)
    yield up
    up.kill_all()


def secret_of(up: Up) -> str:
    return (up.var / "secret_key").read_text()


@pytest.mark.smoke
def test_up_is_healthy_stops_without_a_trace_and_goes_on_where_it_was(up: Up) -> None:
    until(up.is_ready, "the first start is ready")
    assert f"Pressbox is ready at http://127.0.0.1:{up.port}" in up.text()
    assert all(role in up.text() for role in ("member", "scorer", "moderator", "operator"))
    until(lambda: is_healthy(up.port), "it says that it is healthy")

    def is_whole() -> bool:
        doctor = run_pressbox("doctor", PRESSBOX_VAR=up.var)
        return (doctor.exit_code, "All parts are up." in doctor.stdout) == (0, True)

    until(is_whole, "the doctor finds nothing")
    with closing(ReservedPort()) as port:
        beside = pressbox("up", PRESSBOX_VAR=up.var, PORT=port.number)
    assert beside.returncode == 1
    assert "already running" in beside.stderr

    pids, secret = up.started(), secret_of(up)
    up.process.send_signal(signal.SIGINT)
    up.process.wait(timeout=patience(180))
    assert not any(psutil.pid_exists(pid) for pid in pids)
    assert processes_of(up.var) == []

    lines: list[str] = []
    with Stack(Settings(var=up.var)) as stack:
        prepare(stack.settings, refill_broker=True, say=lines.append)
    assert any("Refilling the empty broker" in line for line in lines)
    assert secret_of(up) == secret


def test_a_port_in_use_gets_one_sentence(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = run_pressbox("up", PORT=port, PRESSBOX_VAR=tmp_path)
    assert result.exit_code == 1
    assert f"Port {port} is in use" in result.stderr
    assert f"PORT={port + 1} make run" in result.stderr


def test_a_data_folder_that_is_a_file_gets_one_sentence(tmp_path: Path) -> None:
    broken = tmp_path / "var"
    broken.write_text("")
    with (
        pytest.raises(StackError, match=r"data folder .* cannot be written"),
        Stack(Settings(var=broken)),
    ):
        pass


def test_a_broken_database_folder_gets_one_sentence(store_folder: Path) -> None:
    (store_folder / "postgres").mkdir()
    (store_folder / "postgres" / "PG_VERSION").write_text("8.0\n")
    sentence = "embedded PostgreSQL did not start .* move that folder away"
    with pytest.raises(StackError, match=sentence), Stack(Settings(var=store_folder)):
        pass


def test_wrong_settings_are_reported_all_at_once(tmp_path: Path) -> None:
    result = run_pressbox("up", PORT="http", WORKERS=0, PRESSBOX_VAR=tmp_path)
    assert result.exit_code == 1
    assert "PORT=" in result.stderr
    assert "WORKERS=" in result.stderr


def test_commands_say_how_to_start_what_they_need(tmp_path: Path) -> None:
    result = run_pressbox("doctor", PRESSBOX_VAR=tmp_path)
    assert result.exit_code == 1
    assert "make run" in result.stderr


def test_given_addresses_are_used_instead_of_embedded_stores(tmp_path: Path) -> None:
    settings = Settings(
        var=tmp_path, database_url="postgresql://h/d", redis_url="redis://h", kafka="h:9092"
    )
    with Stack(settings) as stack:
        assert stack.settings == settings
        assert stack.stores == []
        check = running(settings)
        assert check is not None
        assert "postgresql" not in check.database_url, (
            "a given address may hold a password: it is not written down"
        )
    assert running(settings) is None


def test_without_a_running_stack_an_address_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(StackError, match="make run"):
        with_running_stack(Settings(var=tmp_path, redis_url="redis://h"))


def test_a_command_beside_a_stack_that_was_given_an_address_says_which_to_set(
    tmp_path: Path,
) -> None:
    stack = Running(os.getpid(), "postgresql://h/p", "", "")
    (tmp_path / "stack.json").write_text(json.dumps(asdict(stack)))
    with pytest.raises(StackError, match="REDIS_URL and KAFKA_BOOTSTRAP_SERVERS: set the same"):
        with_running_stack(Settings(var=tmp_path))
