"""What the command line shows of months: where each is, and the attempts of an archived one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import text

from app.core.blob_store import BlobStore
from app.core.db import db
from app.core.errors import UserError
from app.scores.archive import months
from app.scores.archive.reads import attempts_of_players
from app.scores.archive.services import attempts_of, partitions

if TYPE_CHECKING:
    from app.scores.archive.objects import Attempt


@dataclass(frozen=True)
class ListedMonth:
    """A month of scores; `place` is PostgreSQL or archive, `blob` the object of an archived one."""

    month: date
    place: str
    attempts: int
    blob: str = ""


def all_months() -> list[ListedMonth]:
    """Return every month that has a partition or is archived, oldest first."""
    archived = [
        ListedMonth(record.month, "archive", record.attempts, record.blob)
        for record in months.archived_between(None, None)
    ]
    hot = [
        ListedMonth(
            month,
            "PostgreSQL",
            db.session.scalar(text(f"SELECT count(*) FROM {months.table_of(month)}")) or 0,  # noqa: S608
        )
        for month in partitions()
    ]
    return sorted([*archived, *hot], key=lambda row: row.month)


def attempts_of_month(store: BlobStore, month: date, player: UUID | None) -> Iterable[Attempt]:
    """Return an archived month's attempts, of one player or all.

    Raises:
        UserError: The month is not archived.
        BlobStoreError: The blob store failed.
    """
    record = next((row for row in months.archived_between(None, None) if row.month == month), None)
    if record is None:
        raise UserError(
            f"The scores of {month:%B %Y} are not archived. `pressbox scores months` lists what is."
        )
    if player is not None:
        return attempts_of_players(store, [record], {player})
    return attempts_of(store, record)
