"""Months of scores for the archive: a store of its own, and partitions that go with the test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from flask import current_app
from sqlalchemy import text, update

from app.core.blob_store import BlobStore
from app.core.db import db
from app.scores.archive.services import ArchiveOutcome, archive_scores, partitions
from app.scores.models import ScoreAttempt
from tests.owner import owner

JANUARY, FEBRUARY = date(2026, 1, 1), date(2026, 2, 1)
IN_JANUARY = datetime(2026, 1, 10, 12, 0, tzinfo=UTC)
IN_FEBRUARY = datetime(2026, 2, 10, 12, 0, tzinfo=UTC)
IN_MARCH = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
# With one month kept, January and February are due.
ARCHIVED_AT = datetime(2026, 4, 5, 3, 0, tzinfo=UTC)


@contextmanager
def score_months(folder: Path) -> Iterator[BlobStore]:
    """Make an empty store the application's; afterwards only the partitions of before are there."""
    there, current_app.extensions["blobs"] = current_app.extensions["blobs"], BlobStore(str(folder))
    before = partitions()
    db.session.rollback()
    try:
        yield current_app.extensions["blobs"]
    finally:
        current_app.extensions["blobs"] = there
        db.session.rollback()
        with owner().begin() as connection:
            for month in set(partitions()) - set(before):
                db.session.rollback()
                connection.execute(text(f"DROP TABLE score_attempts_{month:%Y_%m}"))


def archive(store: BlobStore, **changes: Any) -> ArchiveOutcome:
    db.session.rollback()
    outcome = archive_scores(store, **({"now": ARCHIVED_AT, "kept_months": 1} | changes))
    db.session.expire_all()
    return outcome


def ingest_at_once() -> None:
    """The attempts reached PostgreSQL when they were achieved, not while the test runs."""
    db.session.execute(update(ScoreAttempt).values(ingested_at=ScoreAttempt.achieved_at))
    db.session.commit()


def stored_attempts() -> dict[str, str]:
    """Every attempt in PostgreSQL, as text by event."""
    rows = db.session.execute(
        text(f"SELECT event_id, CAST(ROW({', '.join(_NAMES)}) AS text) FROM score_attempts")
    ).all()
    db.session.rollback()
    return {str(event): row for event, row in rows}


_NAMES = [column.name for column in ScoreAttempt.__table__.columns]
