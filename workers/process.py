"""The base of every long-running process: logging, stopping on a signal, and a heartbeat.

The standard library has nothing like it, and RQ's heartbeat covers only RQ's workers and does not
say since when they have been busy.
"""

from __future__ import annotations

import multiprocessing
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
from app.core.redis.connections import connect
from app.settings import Settings
from workers.memory import share_arenas

log = structlog.get_logger(__name__)

HEARTBEAT_SECONDS = 3
HEARTBEAT_TTL = 10
RESTART_SECONDS = 2.0  # after the failure of a part; twice as long after each further one
SLOWEST_RESTART_SECONDS = 30.0  # longer than HEARTBEAT_TTL, so that whoever keeps failing is down
LONG_LIFE_SECONDS = 60.0  # of a part that did not fail at once
STUCK_SECONDS = 600.0  # longer than any single task takes, for example the rebuild of a board
END_SECONDS = 20.0  # within which every process ends after SIGTERM
HOST = socket.gethostname()


def heartbeat_key(name: str, pid: int | str, host: str = HOST) -> str:
    """Return the heartbeat's Redis key. It names the host, because in containers every pid is 1."""
    return f"pressbox:heartbeat:{name}:{host}:{pid}"


class Progress:
    """Records since when this process has been busy with the same task.

    The heartbeat includes it, so that a stuck process is noticed.
    """

    def __init__(self) -> None:
        self.since: float | None = None
        self._tried_at = 0.0  # monotonic

    def begin(self) -> None:
        """Note that a task is tried, for the first time or again."""
        self.since = self.since or time.time()
        self._tried_at = time.monotonic()

    def done(self) -> None:
        """Note that a task is finished, or that there is nothing to do."""
        self.since = None

    def is_stuck(self) -> bool:
        """Whether one try takes so long that it will never end."""
        return self.since is not None and time.monotonic() - self._tried_at > STUCK_SECONDS


progress = Progress()  # of this process


class Parent:
    """The process that started this one: the supervisor, or the fork server on its behalf."""

    def __init__(self) -> None:
        self._pid = os.getppid()
        self._supervisor = multiprocessing.parent_process()

    def is_gone(self) -> bool:
        """Whether the supervisor has ended, or the fork server."""
        if self._supervisor is not None and not self._supervisor.is_alive():
            return True
        return os.getppid() != self._pid


class Process:
    """One worker process named `name`. SIGTERM or SIGINT sets `stopping`, which loops check.

    A process whose parent is gone gets SIGTERM too, so that nothing outlives a killed supervisor.
    So does a process of which a part is stuck, so that it is started again.

    Args:
        name: In logs, and in the heartbeat of the main thread.
        settings: The settings.
        of_rq: Whether RQ's worker runs in the main thread, with signal handlers and a heartbeat
            of its own.
    """

    def __init__(self, name: str, settings: Settings, *, of_rq: bool = False) -> None:
        share_arenas()
        self.settings = settings
        self.parts = {} if of_rq else {name: progress}  # by the name in its heartbeat
        self._threads: list[threading.Thread] = []
        self.stopping = threading.Event()
        self.redis = connect(settings.redis_url)
        self._parent = Parent()
        configure_logging(settings.log_level, name)
        if not of_rq:
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, self.stop)
        threading.Thread(target=self._beat, daemon=True).start()

    def run_beside(self, name: str, work: Callable[[Progress], object]) -> None:
        """Start a part in a thread, with a heartbeat under its own name, until `stopping` is set.

        A part that fails is started again after RESTART_SECONDS, and later each time if it keeps
        failing. It beats no more meanwhile, and the others of the process go on.
        """

        def run() -> None:
            seconds = RESTART_SECONDS
            while not self.stopping.is_set():
                began = time.monotonic()
                part_progress = self.parts[name] = Progress()
                try:
                    work(part_progress)
                except Exception:
                    log.exception("part_failed", part=name)
                finally:
                    del self.parts[name]
                if time.monotonic() - began > LONG_LIFE_SECONDS:
                    seconds = RESTART_SECONDS
                self.stopping.wait(seconds)
                seconds = min(2 * seconds, SLOWEST_RESTART_SECONDS)

        thread = threading.Thread(target=run, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def join_parts(self, until: float) -> None:
        """Wait for the parts to end, until this monotonic time. What they left can be redone."""
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))

    def stop(self, _number: int, _frame: FrameType | None) -> None:
        """Set `stopping`; a signal handler."""
        # In a thread, because the main thread may hold the lock of `stopping` just now (while it
        # waits, or in the handler of a previous signal). Setting it here would deadlock.
        start_new_thread(self.stopping.set, ())

    def _beat(self) -> None:
        while not self.stopping.wait(HEARTBEAT_SECONDS):
            try:
                for name, part in list(self.parts.items()):
                    beat = f"{time.time():.0f}" + (
                        f" {part.since:.0f}" if part.since is not None else ""
                    )
                    self.redis.set(heartbeat_key(name, os.getpid()), beat, ex=HEARTBEAT_TTL)
            except redis.RedisError as error:
                log.warning("heartbeat_failed", reason=str(error))
            if self._parent.is_gone():
                log.warning("parent_gone")
                os.kill(os.getpid(), signal.SIGTERM)
                return
            if stuck := [name for name, part in list(self.parts.items()) if part.is_stuck()]:
                log.error("part_stuck", parts=stuck)
                os.kill(os.getpid(), signal.SIGTERM)
                time.sleep(END_SECONDS)  # this thread has nothing else to do until then
                os.kill(os.getpid(), signal.SIGKILL)  # the main thread was stuck
