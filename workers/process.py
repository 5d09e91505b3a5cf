"""What every long-running process shares: logging, stopping on a signal, and a heartbeat that the ops page reads."""

from __future__ import annotations

import os
import signal
import threading
import time
from types import FrameType

import redis
import structlog

from app.core import logging
from app.core.redis import connect
from app.settings import Settings

log = structlog.get_logger(__name__)

HEARTBEAT_SECONDS = 2
HEARTBEAT_TTL = 10


def heartbeat_key(name: str, pid: int | str) -> str:
    return f"pressbox:heartbeat:{name}:{pid}"


class Progress:
    """Since when this process works on the same thing; the heartbeat says it, so that a stuck process is noticed."""

    def __init__(self) -> None:
        self.since: float | None = None

    def begin(self) -> None:
        """There is something to do; called again while it is not done, it changes nothing."""
        self.since = self.since or time.time()

    def done(self) -> None:
        """Something was finished, or there is nothing to do."""
        self.since = None


progress = Progress()  # of this process


class Process:
    """One worker process named `name`. `stopping` is set by SIGTERM or SIGINT; loops look at it.

    A process that lost its parent stops too, so that nothing outlives a killed supervisor.
    """

    def __init__(self, name: str, settings: Settings) -> None:
        self.name = name
        self.stopping = threading.Event()
        self._redis = connect(settings.redis_url)
        self._parent = os.getppid()
        logging.configure(settings.log_level, name)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        threading.Thread(target=self._beat, daemon=True).start()

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self.stopping.set()

    def _beat(self) -> None:
        while not self.stopping.wait(HEARTBEAT_SECONDS):
            try:
                beat = f"{time.time():.0f}" + (f" {progress.since:.0f}" if progress.since is not None else "")
                self._redis.set(heartbeat_key(self.name, os.getpid()), beat, ex=HEARTBEAT_TTL)
            except redis.RedisError as error:
                log.warning("heartbeat_failed", reason=str(error))
            if os.getppid() != self._parent:
                log.warning("parent_gone")
                self.stopping.set()
