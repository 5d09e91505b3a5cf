"""The time limit of a job: once it has passed, or the worker is to end, the job and its statement
end.
"""

from __future__ import annotations

import ctypes
import signal
import threading
from types import FrameType

from rq.timeouts import JobTimeoutException, TimerDeathPenalty, UnixSignalDeathPenalty


class JobTimedOut(KeyboardInterrupt):
    """The job is over its time limit.

    A KeyboardInterrupt, because psycopg and SQLAlchemy know what that means in the middle of a
    statement: psycopg cancels it in the server, SQLAlchemy throws the connection away. After RQ's
    own exception, which is a plain one, the query would go on and keep its locks. And no `except
    Exception` on the way takes it for something else.
    """


class JobReturned(KeyboardInterrupt):
    """The worker is to end and the job is not done: it goes back to its queue.

    A KeyboardInterrupt as above.
    """


class ThreadTimeLimit(TimerDeathPenalty):
    """The limit of a worker in a thread, which no signal reaches: JobTimedOut is raised at the next
    line of Python.

    Every wait of ours has an end of its own, so that line comes.
    """

    def __init__(
        self, timeout: float, exception: type[BaseException] = JobTimeoutException, **more: object
    ) -> None:
        # RQ writes the message into the class, so each limit has one of its own.
        base = JobTimedOut if exception is JobTimeoutException else exception
        super().__init__(timeout, type(base.__name__, (base,), {}), **more)


def raise_in(thread: threading.Thread, error: type[BaseException]) -> None:
    """Raises it in the thread at its next line of Python; nothing where the thread has ended."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread.ident or 0), ctypes.py_object(error)
    )


_ending = False


def give_back_after(seconds: float) -> None:
    """From now on a job that runs ends after so long, with JobReturned.

    Call it when the worker is told to end.
    """
    global _ending
    _ending = True
    signal.setitimer(signal.ITIMER_REAL, seconds)


class TimeLimit(UnixSignalDeathPenalty):
    """RQ's alarm, with our exception for jobs.

    RQ uses it for other waits of its own too; those stay as they are.
    """

    def handle_death_penalty(self, signum: int, frame: FrameType | None) -> None:
        if self._exception is JobTimeoutException and _ending:
            raise JobReturned("the worker was told to end")
        if self._exception is JobTimeoutException:
            raise JobTimedOut(f"over its time limit of {self._timeout} s")
        super().handle_death_penalty(signum, frame)

    def cancel_death_penalty(self) -> None:
        try:
            super().cancel_death_penalty()
        except (JobTimedOut, JobReturned):  # the alarm came when the job was done
            super().cancel_death_penalty()
