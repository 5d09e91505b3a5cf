"""One snapshot of the database for pages whose figures come from several reads."""

from __future__ import annotations

from flask import Response, after_this_request

from app.core.db import db


def begin_snapshot() -> None:
    """Let the reads that follow in this request see the database as it is at the first of them.

    The snapshot lasts until the answer is made. The transaction before it is rolled back, so
    nothing may be waiting to be committed.
    """
    db.session.rollback()
    db.session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
    after_this_request(_end_snapshot)


def _end_snapshot(response: Response) -> Response:
    """Whoever notes something about the request afterwards writes in a transaction of the usual
    kind.
    """
    db.session.rollback()
    return response
