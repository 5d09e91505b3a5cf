"""PostgreSQL on several machines, as far as one can.

A primary, and a replica that streams from it, on loopback.

The programs are those of the embedded store; every process that is started here is ended here, by
its id.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import psycopg

from app.embedded.postgres import _programs_of_wheel
from app.embedded.stack import end_process
from tests.ports import kept_port
from tests.waiting import patience, until

OWNER = "postgres"
APPLICATION = "pressbox_app"
DISK_MIB = 2048
REPLICA = "replica"  # the name by which the primary waits for it

SETTINGS = """
listen_addresses = '{host}'
unix_socket_directories = ''
port = {port}
wal_level = replica
max_wal_senders = 5
hot_standby = on
wal_log_hints = on
max_connections = 300
synchronous_standby_names = '{standby}'
"""


class Server:
    """One PostgreSQL, with its data in `home`.

    `disk`: the folder of the disk on which those lie, of DISK_MIB, where it has one of its own.
    """

    def __init__(self, home: Path, host: str, disk: Path | None = None) -> None:
        self.home, self.host, self.port, self.disk = home, host, kept_port(), disk
        self.process: subprocess.Popen[bytes] | None = None
        self._user = pwd.getpwnam("nobody") if os.geteuid() == 0 else None

    @property
    def url(self) -> str:
        return self.url_of(OWNER)

    def url_of(self, user: str) -> str:
        return f"postgresql://{user}:@{self.host}:{self.port}/postgres"

    def run(self, program: str, *arguments: str) -> None:
        """Runs one of PostgreSQL's programs to its end, as who owns the data."""
        command = [str(_programs_of_wheel() / program), *arguments]
        user, group = (self._user.pw_uid, self._user.pw_gid) if self._user else (None, None)
        subprocess.run(
            command, check=True, capture_output=True, user=user, group=group, cwd=self.home.parent
        )

    def make_home(self) -> None:
        self.home.mkdir(mode=0o700)
        if self._user:
            os.chown(self.home, self._user.pw_uid, self._user.pw_gid)

    def start(self) -> None:
        """Returns once it answers; the data are as the last end left them."""
        user, group = (self._user.pw_uid, self._user.pw_gid) if self._user else (None, None)
        with open(self.home.parent / f"{self.home.name}.log", "ab") as log:
            command = [str(_programs_of_wheel() / "postgres"), "-D", str(self.home)]
            self.process = subprocess.Popen(
                command, stdout=log, stderr=log, user=user, group=group, cwd=self.home
            )
        until(self.answers, f"PostgreSQL on port {self.port} answers")

    def answers(self) -> bool:
        assert self.process is None or self.process.poll() is None, (
            f"PostgreSQL ended: see {self.home}.log"
        )
        try:
            psycopg.connect(self.url, connect_timeout=round(patience(2))).close()
        except psycopg.OperationalError:
            return False
        return True

    def ask(self, statement: str) -> object:
        """The one value that a statement gives, in a transaction of its own."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            row = connection.execute(statement).fetchone()
        return None if row is None else row[0]

    def kill(self) -> None:
        """Ends all of its processes as a power failure would."""
        assert self.process is not None
        self._signal(signal.SIGKILL)
        self.process.wait(patience(60))

    def has_ended(self) -> bool:
        return self.process is None or self.process.poll() is not None

    def pause(self) -> None:
        """Stops all of its processes where they are, their connections open."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        """To the first process and all of its children."""
        assert self.process is not None
        with suppress(psutil.NoSuchProcess):
            first = psutil.Process(self.process.pid)
            for process in [first, *first.children(recursive=True)]:
                with suppress(psutil.NoSuchProcess):
                    process.send_signal(number)

    def stop(self) -> None:
        """As an operator would, without waiting for who is connected."""
        if self.process is not None:
            end_process(self.process, signal.SIGINT)


@dataclass
class Replicated:
    """`primary` and `replica`, which change places in `fail_over`."""

    primary: Server
    replica: Server

    def url(self, user: str) -> str:
        """Both addresses; clients take the one that may be written to."""
        hosts = ",".join(
            f"{server.host}:{server.port}"
            for server in sorted((self.primary, self.replica), key=lambda s: s.port)
        )
        return f"postgresql://{user}:@{hosts}/postgres?target_session_attrs=read-write"

    def is_in_step(self) -> bool:
        """Whether the replica has applied all that the primary has committed."""
        place = self.primary.ask("SELECT pg_current_wal_lsn()")
        return bool(self.replica.ask(f"SELECT pg_last_wal_replay_lsn() >= '{place}'::pg_lsn"))

    def fail_over(self) -> None:
        """The primary dies, the replica takes its place and waits for nobody."""
        self.primary.kill()
        with psycopg.connect(self.replica.url, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = ''")
            connection.execute("SELECT pg_reload_conf()")
            connection.execute("SELECT pg_promote(true, 60)")
        self.primary, self.replica = self.replica, self.primary

    def rejoin(self) -> None:
        """Makes a replica of the server that was the primary, of what the new one has."""
        shutil.rmtree(self.replica.home)
        _follow(self.replica, self.primary)


@contextmanager
def replicated(folder: Path, host: str = "127.0.0.1") -> Iterator[Replicated]:
    """A primary whose commits wait until its replica has them on disk (`synchronous_commit = on`).

    None is lost when it dies. Data lie below `folder`, which others must be able to pass; they
    listen at the address `host`.
    """
    with _disk(folder / "disk") as disk:
        yield from _replicated(
            Server((disk or folder) / "primary", host, disk), Server(folder / "replica", host)
        )


@contextmanager
def _disk(folder: Path) -> Iterator[Path | None]:
    """A disk in memory, so that it can be filled; None for an ordinary user, who may mount none."""
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={DISK_MIB}m,mode=755", "pressbox"]
    mounted = os.geteuid() == 0 and _run("mount", *options, str(folder))
    try:
        yield folder if mounted else None
    finally:
        if mounted:
            _run("umount", str(folder))


def _run(*command: str) -> bool:
    return subprocess.run(command, check=False).returncode == 0


def _replicated(primary: Server, replica: Server) -> Iterator[Replicated]:
    try:
        primary.make_home()
        primary.run(
            "initdb",
            "--auth=trust",
            "--encoding=utf8",
            f"--username={OWNER}",
            "--pgdata",
            str(primary.home),
        )
        with open(primary.home / "postgresql.conf", "a") as written:
            written.write(SETTINGS.format(host=primary.host, port=primary.port, standby=REPLICA))
        with open(primary.home / "pg_hba.conf", "a") as written:
            written.write("host all,replication all samenet trust\n")
        # Until the replica is there nobody is waited for.
        (primary.home / "postgresql.auto.conf").write_text("synchronous_standby_names = ''\n")
        primary.start()
        _follow(replica, primary)
        with psycopg.connect(primary.url, autocommit=True) as connection:
            connection.execute(f"CREATE ROLE {APPLICATION} LOGIN")
            connection.execute("ALTER SYSTEM RESET synchronous_standby_names")
            connection.execute("SELECT pg_reload_conf()")
        pair = Replicated(primary, replica)
        until(pair.is_in_step, "the replica is in step")
        yield pair
    finally:
        for server in (primary, replica):
            server.stop()


def _follow(replica: Server, primary: Server) -> None:
    replica.make_home()
    source = f"host={primary.host} port={primary.port} user={OWNER} application_name={REPLICA}"
    options = (
        "--checkpoint=fast",
        "--write-recovery-conf",
        "--pgdata",
        str(replica.home),
        "--dbname",
        source,
    )
    replica.run("pg_basebackup", *options)
    with open(replica.home / "postgresql.auto.conf", "a") as written:
        written.write(f"port = {replica.port}\n")
    replica.start()
