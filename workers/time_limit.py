"""The time limit of a job. Both the job and its SQL statement end, also when the worker must end.

RQ's own limit raises an ordinary exception, after which a running query would continue.
"""

from __future__ import annotations

import ctypes
import signal
import threading
from types import FrameType

from rq.timeouts import JobTimeoutException, TimerDeathPenalty, UnixSignalDeathPenalty


class JobTimedOut(KeyboardInterrupt):
    """The job exceeded its time limit.

    It is a KeyboardInterrupt, because psycopg and SQLAlchemy handle that in the middle of a
    statement: psycopg cancels it on the server, and SQLAlchemy discards the connection. After RQ's
    own exception the query would continue and keep its locks. And `except Exception` does not
    catch it.
    """


class JobReturned(KeyboardInterrupt):
    """The worker must end and the job is not done: it goes back to its queue.

    It is a KeyboardInterrupt for the same reason as JobTimedOut.
    """


class ThreadTimeLimit(TimerDeathPenalty):
    """The time limit of a worker in a thread, which signals cannot reach.

    JobTimedOut is raised at the next line of Python, which is reached because all our waits end.
    """

    def __init__(
        self, timeout: float, exception: type[BaseException] = JobTimeoutException, **more: object
    ) -> None:
        # RQ writes the message into the exception class, so each limit has its own class.
        base = JobTimedOut if exception is JobTimeoutException else exception
        super().__init__(timeout, type(base.__name__, (base,), {}), **more)


def raise_in(thread: threading.Thread, error: type[BaseException]) -> None:
    """Raise the error in the thread at its next line of Python, unless the thread has ended."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread.ident or 0), ctypes.py_object(error)
    )


_ending = False


def give_back_after(seconds: float) -> None:
    """End the running job with JobReturned after this many seconds.

    Call it when the worker is told to end.
    """
    global _ending
    _ending = True
    signal.setitimer(signal.ITIMER_REAL, seconds)


class TimeLimit(UnixSignalDeathPenalty):
    """RQ's alarm, with our exception for jobs.

    RQ also uses the alarm for other waits, which keep RQ's exception.
    """

    def __init__(
        self, timeout: float, exception: type[BaseException] = JobTimeoutException, **more: object
    ) -> None:
        super().__init__(timeout, exception, **more)
        self.seconds = timeout
        self.is_of_job = exception is JobTimeoutException

    def handle_death_penalty(self, signum: int, frame: FrameType | None) -> None:
        """Raise JobReturned or JobTimedOut in a job, and RQ's exception elsewhere."""
        if self.is_of_job and _ending:
            raise JobReturned("the worker was told to end")
        if self.is_of_job:
            raise JobTimedOut(f"over its time limit of {self.seconds} s")
        super().handle_death_penalty(signum, frame)

    def cancel_death_penalty(self) -> None:
        """Cancel the alarm, even if it goes off just when the job is done."""
        try:
            super().cancel_death_penalty()
        except (JobTimedOut, JobReturned):  # the alarm went off after the job was done
            super().cancel_death_penalty()
