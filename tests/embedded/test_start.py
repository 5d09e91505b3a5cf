"""Starting: interrupted, beside another instance, with a home that is not writable."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import psycopg
import pytest
from flask import Flask

from app.accounts import services as accounts
from app.demo.logins import DEMO_PASSWORD
from app.demo.seed import has_demo_accounts
from app.embedded.stack import Stack, StackError
from app.embedded.store import wait_until_ended
from app.settings import Settings
from tests.commands import run_pressbox
from tests.embedded.running import ROOT, Up, processes_of
from tests.store_template import prepared_var
from tests.waiting import patience, until
from workers.supervisor import start
from workers.supervisor.first_start import EMPTY, FirstStart
from workers.supervisor.prepare import prepare

NEIGHBOUR = f"pressbox-test-{os.getpid()}"  # another run on this machine may make its own meanwhile


@pytest.fixture
def started(store_folder: Path) -> Iterator[list[Up]]:
    """What the test starts in the data folder `store_folder / "var"`.

    Killed at its end if it still runs.
    """
    processes: list[Up] = []
    yield processes
    for process in processes:
        process.kill_all()


FIRST_START: dict[str, Callable[[Up], bool]] = {
    "while PostgreSQL's folder is made": lambda up: (up.var / "postgres.new").exists(),
    "while initdb runs a server": lambda up: any(
        "sh -c" in words for words in processes_of(up.var / "postgres.new")
    ),
}
LATER_START: dict[str, Callable[[Up], bool]] = {
    "while PostgreSQL starts": lambda up: (up.var / "postgres" / "postmaster.pid").exists(),
    "while Valkey starts": lambda up: (up.var / "logs" / "valkey.log").exists(),
    "while the broker starts": lambda up: (up.var / "logs" / "broker.log").exists(),
    "while the database is made": lambda up: "Bringing the database" in up.text(),
    "while our processes start": lambda up: "Waiting until everything" in up.text(),
}
MOMENTS = FIRST_START | LATER_START
# A start is long: these are left to the full run, for the moments before and after them are like
# them.
LEFT_TO_FULL = {
    "while PostgreSQL's folder is made",
    "while Valkey starts",
    "while the broker starts",
}


@pytest.mark.parametrize(
    "moment",
    [
        pytest.param(moment, marks=[pytest.mark.full] if moment in LEFT_TO_FULL else [])
        for moment in MOMENTS
    ],
)
def test_being_stopped_during_the_start_ends_everything(
    started: list[Up], store_folder: Path, moment: str
) -> None:
    """Stopped by Ctrl-C, or by SIGTERM as a service manager does it."""
    if moment in LATER_START:
        prepared_var(store_folder / "var")
    up = Up(store_folder / "var", "--no-demo", WORKERS=1)
    started.append(up)
    until(lambda: MOMENTS[moment](up), moment, seconds=120)
    up.process.send_signal(
        signal.SIGTERM if moment == "while our processes start" else signal.SIGINT
    )
    up.process.wait(timeout=patience(180))
    assert processes_of(up.var) == []
    assert "Traceback" not in up.text()
    assert not (up.var / "stack.json").exists()


def test_what_a_killed_supervisor_left_is_ended_by_the_next_start(
    started: list[Up], store_folder: Path
) -> None:
    prepared_var(store_folder / "var")
    up = Up(store_folder / "var", "--no-demo", WORKERS=1)
    started.append(up)
    until(lambda: MOMENTS["while our processes start"](up), "our processes start", seconds=120)
    left = up.started()
    up.process.kill()
    up.process.wait(timeout=patience(180))
    assert len(processes_of(up.var)) > 3, "the stores at least"
    with Stack(Settings(var=up.var)) as stack:
        until(lambda: not any(psutil.pid_exists(pid) for pid in left), "what it left is ended")
        with psycopg.connect(stack.settings.owner_url) as connection:
            assert connection.execute("SELECT count(*) FROM alembic_version").fetchone() == (1,)


def test_a_zombie_has_ended() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        zombie = psutil.Process(child.pid)
        until(lambda: zombie.status() == psutil.STATUS_ZOMBIE, "it is a zombie")
        assert wait_until_ended([zombie], patience(60)) == []
        assert zombie.status() == psutil.STATUS_ZOMBIE, "nobody has reaped it"


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7", "::"])  # noqa: S104
def test_the_demo_is_not_opened_to_a_network(tmp_path: Path, host: str) -> None:
    result = run_pressbox("up", HOST=host, PRESSBOX_VAR=tmp_path / "var")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert f"HOST={host} would open the demo" in result.stderr
    assert "`PRESSBOX_DEMO=0 make run`" in result.stderr
    assert not (tmp_path / "var").exists()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_loopback_is_no_network(host: str) -> None:
    assert start.is_loopback(host)


def test_accounts_of_an_earlier_demo_are_not_opened_to_a_network_either(app: Flask) -> None:
    settings = app.config["PRESSBOX"]
    assert not has_demo_accounts()
    accounts.register("scorer", "Sal", DEMO_PASSWORD, ["scorer"])
    assert has_demo_accounts()
    here, outside = Stack(settings), Stack(replace(settings, host="0.0.0.0"))  # noqa: S104
    assert "--refuse-demo-accounts" not in start.prepare_arguments(here, FirstStart(EMPTY))
    prepare(settings, refill_broker=False, say=lambda _: None)
    assert "--refuse-demo-accounts" in start.prepare_arguments(outside, FirstStart(EMPTY))
    with pytest.raises(StackError, match=r"the demo's accounts.*PRESSBOX_VAR"):
        prepare(
            outside.given,
            refill_broker=False,
            say=lambda _: None,
            known_passwords=has_demo_accounts,
        )


def test_an_account_of_the_demo_with_another_password_is_nobodys_business(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    accounts.register("scorer", "Sal", "another password of length", ["scorer"])
    assert not has_demo_accounts()


def test_two_starts_in_one_folder_do_not_share_it(tmp_path: Path) -> None:
    settings = Settings(
        var=tmp_path, database_url="postgresql://h/d", redis_url="redis://h", kafka="h:9092"
    )
    with Stack(settings):
        (tmp_path / "stack.json").unlink()  # the first one is not yet so far
        with pytest.raises(StackError, match="already running"), Stack(settings):
            pass
    with Stack(settings):
        pass  # the lock went with its holder


@pytest.fixture
def neighbour(tmp_path: Path) -> Iterator[str]:
    """An ordinary user of this machine, made for the test."""
    if (
        os.geteuid() != 0
        or not Path("/usr/sbin/useradd").exists()
        or not Path("/usr/sbin/runuser").exists()
    ):
        pytest.skip("needs root, useradd and runuser: another user is made for it")
    subprocess.run(["/usr/sbin/useradd", "--no-create-home", NEIGHBOUR], check=True)
    yield NEIGHBOUR
    subprocess.run(["/usr/sbin/userdel", NEIGHBOUR], check=True)


THREE_STORES = """
import sys, types
from pathlib import Path
if sys.version_info < (3, 11, 3):  # redis-py imports it there, for what is not used here
    sys.modules["async_timeout"] = types.SimpleNamespace(timeout=None)
import psycopg, redis
from app.embedded.stack import Stack
from app.settings import Settings
with Stack(Settings(var=Path(sys.argv[1]))) as stack:
    with psycopg.connect(stack.settings.owner_url) as connection:
        print(connection.execute("SHOW data_directory").fetchone()[0])
    print(redis.Redis.from_url(stack.settings.redis_url).ping(), stack.settings.kafka)
"""


def as_user(name: str, cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python as this user, without a home and a temporary folder."""
    packages = sysconfig.get_path("purelib")
    clean = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": f"{ROOT}:{packages}",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    clean |= {"HOME": "/nonexistent", "TMPDIR": "/nonexistent"}
    system = f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"
    # the first may lie in a folder that is closed to others
    for python in (sys.executable, system):
        command = ["/usr/sbin/runuser", "-u", name, "--", python]
        if (
            subprocess.run(
                [*command, "-c", "import flask"], env=clean, cwd=cwd, capture_output=True
            ).returncode
            == 0
        ):
            return subprocess.run(
                [*command, *arguments],
                env=clean,
                cwd=cwd,
                capture_output=True,
                text=True,
                timeout=patience(300),
            )
    pytest.skip(f"another user may run neither {sys.executable} nor {system}")


@pytest.mark.everyday("only processes start")
def test_an_ordinary_user_starts_beside_root_and_writes_only_the_data_folder(
    stack: Stack, neighbour: str
) -> None:
    if not stack.has_embedded("postgres"):
        pytest.skip("root's own embedded stores are to run meanwhile: `make test` runs this")
    user = pwd.getpwnam(neighbour)
    lock = Path("/tmp/.lockfile")
    was_there = lock.exists()
    lock.touch(0o600)
    var = Path(tempfile.mkdtemp(prefix="pressbox-test-"))
    os.chown(var, user.pw_uid, user.pw_gid)
    try:
        result = as_user(neighbour, var, "-c", THREE_STORES, str(var))
        assert result.returncode == 0, result.stderr
        assert result.stdout.splitlines()[0] == str(var / "postgres")
        assert "True 127.0.0.1:" in result.stdout
        assert processes_of(var) == []
    finally:
        shutil.rmtree(var)
        if not was_there:
            lock.unlink(missing_ok=True)
