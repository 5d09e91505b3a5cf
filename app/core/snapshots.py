"""Pages that put live figures of several reads side by side show the database as it was at one moment."""

from __future__ import annotations

from app.core.db import db


def begin_snapshot() -> None:
    """From here on the reads of this request see one moment, until its transaction ends. Ends the transaction before;
    nothing may be written between."""
    db.session.rollback()
    db.session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
