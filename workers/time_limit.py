"""The time limit of a job: when it has passed, the job ends, and with it what it has begun in PostgreSQL."""

from __future__ import annotations

from types import FrameType

from rq.timeouts import JobTimeoutException, UnixSignalDeathPenalty


class JobTimedOut(KeyboardInterrupt):
    """The job is over its time limit.

    A KeyboardInterrupt, because psycopg and SQLAlchemy know what that means in the middle of a statement: psycopg
    cancels it in the server, SQLAlchemy throws the connection away. After RQ's own exception, which is a plain one, the
    query would go on and keep its locks. And no `except Exception` on the way takes it for something else.
    """


class TimeLimit(UnixSignalDeathPenalty):
    """RQ's alarm, with our exception for jobs. RQ uses it for other waits of its own too; those stay as they are."""

    def handle_death_penalty(self, signum: int, frame: FrameType | None) -> None:
        if self._exception is JobTimeoutException:
            raise JobTimedOut(f"over its time limit of {self._timeout} s")
        super().handle_death_penalty(signum, frame)

    def cancel_death_penalty(self) -> None:
        try:
            super().cancel_death_penalty()
        except JobTimedOut:  # the alarm came when the job was done
            super().cancel_death_penalty()
