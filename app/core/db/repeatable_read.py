"""One snapshot of the database for pages whose figures come from several reads."""

from __future__ import annotations

from flask import Response, after_this_request, has_request_context

from app.core.db import db


def begin_snapshot() -> None:
    """Let all following reads see the database as of the first of them.

    The snapshot lasts until the response is made; in a job, until `end_reading`. The current
    transaction is rolled back, so nothing may be waiting to be committed.
    """
    db.session.rollback()
    db.session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
    if has_request_context():
        after_this_request(_end_snapshot)


def is_snapshot() -> bool:
    """Whether the session reads a snapshot, which may lack what has been committed since."""
    if not db.session().in_transaction():
        return False
    options = db.session.connection().get_execution_options()
    return options.get("isolation_level") == "REPEATABLE READ"


def end_reading() -> None:
    """End the snapshot before a long computation, in which PostgreSQL would end the connection.

    Nothing may be waiting to be committed. What is read afterwards may be newer.
    """
    db.session.rollback()


def _end_snapshot(response: Response) -> Response:
    """End the snapshot, so that code after the response writes in an ordinary transaction."""
    db.session.rollback()
    return response
