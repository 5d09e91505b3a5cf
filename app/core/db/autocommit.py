"""Reads without a transaction around them, for lookups that many requests share."""

from __future__ import annotations

from flask import current_app

from app.core.db import db, holds_connection
from app.core.postgres.timeouts import Use


def begin_autocommit() -> None:
    """Let the session's statements run without BEGIN and ROLLBACK until its next commit.

    That saves two round trips. The caller only reads. Nothing changes inside a transaction, nor
    behind a pooler, where the timeouts of a statement belong to its transaction.
    """
    if not holds_connection() and not current_app.config["PRESSBOX"].database(Use.WEB).is_pooled:
        db.session.connection(execution_options={"isolation_level": "AUTOCOMMIT"})
