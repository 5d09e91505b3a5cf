"""What every long-running process shares: logging, stopping on a signal, and a heartbeat.

Our own, because the standard library has no process base, and RQ's heartbeat covers only its own
workers and does not say since when they are busy.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from _thread import start_new_thread
from collections.abc import Callable
from types import FrameType

import redis
import structlog

from app.core.logs.configuration import configure_logging
from app.core.redis.clients import connect
from app.settings import Settings

log = structlog.get_logger(__name__)

HEARTBEAT_SECONDS = 2
HEARTBEAT_TTL = 10
HOST = socket.gethostname()


def heartbeat_key(name: str, pid: int | str, host: str = HOST) -> str:
    """The heartbeat's Redis key. It names the host: in a container every process is number 1."""
    return f"pressbox:heartbeat:{name}:{host}:{pid}"


class Progress:
    """Since when this process has been busy with the same thing.

    The heartbeat includes it, so that a stuck process is noticed.
    """

    def __init__(self) -> None:
        self.since: float | None = None

    def begin(self) -> None:
        """There is something to do; further calls until `done` change nothing."""
        self.since = self.since or time.time()

    def done(self) -> None:
        """Something was finished, or there is nothing to do."""
        self.since = None


progress = Progress()  # of this process


class Process:
    """One worker process named `name`. SIGTERM or SIGINT sets `stopping`; loops look at it.

    A process that lost its parent stops too, so that nothing outlives a killed supervisor.
    """

    def __init__(self, name: str, settings: Settings) -> None:
        self.parts = {name: progress}  # by the name in its heartbeat
        self.stopping = threading.Event()
        self.failed = False  # a part that runs beside has ended by itself
        self._redis = connect(settings.redis_url)
        self._parent = os.getppid()
        configure_logging(settings.log_level, name)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        threading.Thread(target=self._beat, daemon=True).start()

    def run_beside(self, name: str, work: Callable[[Progress], None]) -> threading.Thread:
        """Start a part in a thread, with a heartbeat of its own name.

        A part that ends by itself stops the process, so that all of it is started again.
        """
        part_progress = Progress()

        def run() -> None:
            self.parts = self.parts | {name: part_progress}
            try:
                work(part_progress)
            finally:
                self.parts = {part: beats for part, beats in self.parts.items() if part != name}
                self.failed = self.failed or not self.stopping.is_set()
                self.stopping.set()

        thread = threading.Thread(target=run, name=name, daemon=True)
        thread.start()
        return thread

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        # By a thread: the main one may be inside of `stopping` just now, waiting or in a handler of
        # the signal before, and its lock would then be waited for by the thread that holds it, for
        # ever.
        start_new_thread(self.stopping.set, ())

    def _beat(self) -> None:
        while not self.stopping.wait(HEARTBEAT_SECONDS):
            try:
                for name, part in self.parts.items():
                    beat = f"{time.time():.0f}" + (
                        f" {part.since:.0f}" if part.since is not None else ""
                    )
                    self._redis.set(heartbeat_key(name, os.getpid()), beat, ex=HEARTBEAT_TTL)
            except redis.RedisError as error:
                log.warning("heartbeat_failed", reason=str(error))
            if os.getppid() != self._parent:
                log.warning("parent_gone")
                self.stopping.set()
