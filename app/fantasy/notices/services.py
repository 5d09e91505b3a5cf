"""Notices: what members read about their teams (PRODUCT G5), stored once a cause and read newest first.

Lives here: storing, counting, listing and marking. Not here: the words (words.py), the pages and the feed
(pages/notice_views.py). Called by settlement, by the work after a deadline and by commissioners' services, inside their
transactions: a change and its notices are there together or not at all.

Keys name the cause and what it concerns, so that a job that runs twice notifies once:
`deadline:<gameweek>:<team rules>`, `result:<league>:<gameweek>`, `correction:<league>:<gameweek>:<game>:<event>`,
`rules:<change>`, `adjustment:<id>`, `league:<league>:<what>`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select, text, update

from app.core.db import db
from app.fantasy.notices.models import Notice
from app.fantasy.notices.words import Words

PAGE_ROWS = 30


@dataclass(frozen=True)
class NewNotice:
    """One notice for one member; the fields are models.Notice's. `path`: on this site, from `/` on."""

    member_id: int
    kind: str
    key: str
    title: str
    body: str
    path: str
    delta: int | None = None

    @classmethod
    def of(cls, member_id: int, kind: str, key: str, words: Words, path: str) -> NewNotice:
        return cls(member_id, kind, key, words.title, words.body, path, words.delta)


_INSERT = text(
    """
    INSERT INTO notices (member_id, kind, key, title, body, path, delta, created_at)
    SELECT fresh.*, CAST(:now AS timestamptz)
    FROM unnest(
      CAST(:member_id AS bigint[]), CAST(:kind AS text[]), CAST(:key AS text[]), CAST(:title AS text[]),
      CAST(:body AS text[]), CAST(:path AS text[]), CAST(:delta AS integer[])
    ) AS fresh
    ON CONFLICT ON CONSTRAINT uq_notices_key DO NOTHING
    """
)


def notify(rows: Iterable[NewNotice], now: datetime) -> int:
    """Stores them in one statement and says how many are new; a key that the member has already stays as it was.

    Does not commit.
    """
    # In one order always, so that two that notify the same members never wait for each other in a circle.
    ordered = sorted(rows, key=lambda row: (row.member_id, row.key))
    if not ordered:
        return 0
    names = ("member_id", "kind", "key", "title", "body", "path", "delta")
    columns = {name: [getattr(row, name) for row in ordered] for name in names}
    return int(db.session.execute(_INSERT, columns | {"now": now}).rowcount)  # type: ignore[attr-defined]


def unread(member_id: int) -> int:
    """How many the member has not seen: one look into an index that holds nothing else."""
    return db.session.scalar(select(func.count()).where(Notice.member_id == member_id, Notice.read_at.is_(None))) or 0


@dataclass(frozen=True)
class NoticeRow:
    """`delta` in thousandths; `is_read`: seen before this page was asked for."""

    id: int
    kind: str
    title: str
    body: str
    path: str
    delta: int | None
    created_at: datetime
    is_read: bool


def newest(member_id: int, limit: int = PAGE_ROWS, offset: int = 0) -> list[NoticeRow]:
    """The member's notices, newest first; those of one moment by id, the later first."""
    found = db.session.execute(
        select(
            Notice.id,
            Notice.kind,
            Notice.title,
            Notice.body,
            Notice.path,
            Notice.delta,
            Notice.created_at,
            Notice.read_at.is_not(None),
        )
        .where(Notice.member_id == member_id)
        .order_by(Notice.created_at.desc(), Notice.id.desc())
        .limit(limit)
        .offset(offset)
    )
    return [NoticeRow(*row) for row in found]


@dataclass(frozen=True)
class Overview:
    """Of all notices of a member. `latest`: the highest id, 0 without any."""

    count: int
    unread: int
    latest: int


def overview(member_id: int) -> Overview:
    """How many there are, and how many the member has not seen."""
    row = db.session.execute(
        select(
            func.count(), func.count().filter(Notice.read_at.is_(None)), func.coalesce(func.max(Notice.id), 0)
        ).where(Notice.member_id == member_id)
    ).one()
    return Overview(*row)


def find(member_id: int, notice_id: int) -> Notice | None:
    """The member's own notice; None for another's."""
    return db.session.scalar(select(Notice).where(Notice.id == notice_id, Notice.member_id == member_id))


def mark_read(member_id: int, up_to: int, now: datetime, *, alone: bool = False) -> int:
    """Marks the notice with the id `up_to` as read, and all earlier ones unless `alone`; how many were not. Commits.

    What came in after the page was drawn has a higher id and stays unread.
    """
    which = Notice.id == up_to if alone else Notice.id <= up_to
    done = db.session.execute(
        update(Notice).where(Notice.member_id == member_id, Notice.read_at.is_(None), which).values(read_at=now)
    )
    db.session.commit()
    return int(done.rowcount)  # type: ignore[attr-defined]
