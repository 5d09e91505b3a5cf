"""Stores, counts, lists and marks notices to members about their teams (PRODUCT G5).

Notices are stored in the transaction of the change that causes them, so that both are there or
neither. Their texts are in words.py.

A key names the cause and what it concerns, so that a job that runs twice notifies once. Whoever may
notify again after the notice was deleted keeps a mark of its own. The keys:
`deadline:<gameweek>:<team rules>`, `deadline-near:<gameweek>:<team rules>:<stage>:<its second>`,
`result:<league>:<gameweek>`, `correction:<gameweek>:<league>:<game>:<event>`, `rules:<change>`,
`adjustment:<id>`, `league:<league>:<what>`, `league:<league>:joined:<member>:<second>`,
`friend:<state>:<player>:<day>`, `mention:<post>`, `reply:<post>`, `draft:<draft>:<what>`,
`draft:<draft>:ran-out:<league>:<second>:<pick>`, `draft:<draft>:turn:<pick>:<second>`,
`trade:<trade>:<what>`, `waivers:<run>:<attempt>`.

Each notice is sent alone, but some are listed as one, which grows (`_GROUP`): the corrections of a
gameweek in a league, the reminders of a deadline, what happens to a trade, a member's turns in a
draft and their clocks that ran out, who joined a league, and the picks that a tournament misses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

from psycopg.types.json import Jsonb
from sqlalchemy import (
    ColumnElement,
    Select,
    bindparam,
    distinct,
    func,
    literal_column,
    or_,
    select,
    text,
    update,
)

from app.accounts.placeholders import PERSON
from app.core.db import db
from app.fantasy.notices import words
from app.fantasy.notices.models import Notice
from app.fantasy.notices.words import Words
from app.record.words import Sentence, naming

PAGE_ROWS = 30
NoticeQuery = Select[int, str, str, str, dict[str, str], str, int | None, datetime, bool]
OF_POINTS = ("correction", "adjustment", "rules", "result")  # kinds that say why points changed
# What the bell counts, because it asks something of the member: kinds, and how keys begin.
CALLING = ("mention", "draft", "friend", "moderation", "operations")
CALLING_KEYS = ("deadline-near:", "trade:", "waivers:")


@dataclass(frozen=True)
class NewNotice:
    """A notice for one member, with the fields of models.Notice.

    `path`: the page on this site, from `/` on.
    """

    member_id: int
    kind: str
    key: str
    title: str
    body: str
    path: str
    delta: int | None = None
    names: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, member_id: int, kind: str, key: str, words: Words, path: str) -> NewNotice:
        """Make the notice from its words."""
        runs = words.body.runs if isinstance(words.body, Sentence) else []
        names = {player: name for name, player in runs if player}
        return cls(member_id, kind, key, words.title, str(words.body), path, words.delta, names)


# Deliveries are stored with the notice. Their times are those of the database's clock, because
# `now` may differ in a simulated season.
_INSERT = text(
    f"""
    WITH fresh AS (
      INSERT INTO notices (member_id, kind, key, title, body, path, delta, names, created_at)
      SELECT wanted.*, CAST(:now AS timestamptz)
      FROM unnest(
        CAST(:member_id AS bigint[]), CAST(:kind AS text[]), CAST(:key AS text[]),
          CAST(:title AS text[]),
        CAST(:body AS text[]), CAST(:path AS text[]), CAST(:delta AS integer[]),
        CAST(:names AS jsonb[])
      ) AS wanted (member_id, kind, key, title, body, path, delta, names)
      WHERE NOT EXISTS (
        SELECT FROM members m WHERE m.id = wanted.member_id AND NOT ({PERSON.format("m")})
      )
      ON CONFLICT ON CONSTRAINT uq_notices_key DO NOTHING
      RETURNING id, member_id, kind, key
    ), outside AS (
      -- That a deadline has passed is read here; who asks for deadlines asks for what comes
      -- before them.
      -- A correction in several leagues is sent once.
      SELECT * FROM fresh f WHERE (kind <> 'deadline' OR key LIKE 'deadline-near:%')
        AND NOT (kind = 'correction' AND EXISTS (SELECT FROM fresh o
          WHERE o.member_id = f.member_id AND o.kind = f.kind AND o.id < f.id))
    ), sending AS (
      INSERT INTO notice_deliveries (notice_id, member_id, device_id, service, next_at, made_at)
      SELECT f.id, f.member_id, d.id, d.service, now(), now()
      FROM outside f JOIN notice_choices c ON c.member_id = f.member_id AND f.kind = ANY(c.push)
      JOIN push_devices d ON d.member_id = f.member_id
      UNION ALL
      SELECT f.id, f.member_id, NULL, 'mail', now(), now()
      FROM outside f JOIN notice_choices c ON c.member_id = f.member_id AND f.kind = ANY(c.mail)
      JOIN members m ON m.id = f.member_id AND m.email IS NOT NULL
    )
    SELECT count(*) FROM fresh
    """  # noqa: S608 (no input in it)
)


def notify(rows: Iterable[NewNotice], now: datetime) -> int:
    """Store notices in one statement, and return how many are new.

    A notice whose key the member has already changes nothing, nor does one to a placeholder. Those
    that the member wants pushed or mailed are sent (deliveries.py) after the caller commits.
    """
    # They are always in the same order, so that two transactions that notify the same members do
    # not deadlock.
    ordered = sorted(rows, key=lambda row: (row.member_id, row.key))
    if not ordered:
        return 0
    fields = ("member_id", "kind", "key", "title", "body", "path", "delta")
    columns = {column: [getattr(row, column) for row in ordered] for column in fields}
    columns["names"] = [Jsonb(row.names) for row in ordered]
    return int(db.session.scalar(_INSERT, columns | {"now": now}) or 0)


# Notices with the same are listed as one. Corrections of older versions stand alone.
_GROUP = """CASE
  WHEN kind = 'correction' AND split_part(key, ':', 5) <> ''
    THEN 'correction ' || split_part(key, ':', 2) || ' ' || split_part(key, ':', 3)
  WHEN kind = 'deadline'
    THEN 'deadline ' || split_part(key, ':', 2) || ' ' || split_part(key, ':', 3)
  WHEN split_part(key, ':', 1) = 'trade' THEN 'trade ' || split_part(key, ':', 2)
  WHEN split_part(key, ':', 3) IN ('ran-out', 'turn', 'joined')
    THEN split_part(key, ':', 3) || ' ' || split_part(key, ':', 2)
  WHEN kind = 'prediction' AND split_part(key, ':', 2) = 'missing'
    THEN 'missing ' || split_part(path, '/', 3)
  ELSE key END"""


def calling(member_id: int) -> int:
    """How many unread notices ask something of the member, as they are listed."""
    is_calling = or_(
        Notice.kind.in_(CALLING), *(Notice.key.startswith(begin) for begin in CALLING_KEYS)
    )
    group: ColumnElement[str] = literal_column(_GROUP)
    return (
        db.session.scalar(
            select(func.count(distinct(group))).where(
                Notice.member_id == member_id, Notice.read_at.is_(None), is_calling
            )
        )
        or 0
    )


@dataclass(frozen=True)
class NoticeRow:
    """A notice in a list.

    Attributes:
        body: The text with links for its names; of several notices that of the latest.
        delta: By how much a total changed, in thousandths.
        is_read: Whether it was read before this request.
    """

    id: int
    kind: str
    title: str
    body: Sentence
    path: str
    delta: int | None
    created_at: datetime
    is_read: bool


@dataclass(frozen=True)
class StoredNotice:
    """A notice as it is stored: a `NoticeRow` whose text is not yet linked to its `names`."""

    id: int
    kind: str
    title: str
    body: str
    names: dict[str, str]
    path: str
    delta: int | None
    created_at: datetime
    is_read: bool

    def row(self) -> NoticeRow:
        """Return the notice as a row of a list."""
        return NoticeRow(
            self.id,
            self.kind,
            self.title,
            naming(self.body, self.names),
            self.path,
            self.delta,
            self.created_at,
            self.is_read,
        )


def newest(member_id: int, limit: int = PAGE_ROWS, offset: int = 0) -> list[NoticeRow]:
    """The member's notices, newest first, then by id in descending order.

    Notices of one group (`_GROUP`) are one, at the place of the latest.
    """
    rows = db.session.execute(_GROUPS, {"member": member_id, "limit": limit, "offset": offset})
    return [_grouped(row) for row in rows]


# The names are those of now, because the key has ids.
_GROUPS = text(f"""
    SELECT n.id, n.kind, n.key, n.title, n.body, n.names, n.path, n.total AS delta, n.created_at,
      n.is_read, n.count, w.name AS gameweek, l.name AS league
    FROM (
      SELECT *, count(*) OVER its AS count, sum(delta) OVER its AS total,
        bool_and(read_at IS NOT NULL) OVER its AS is_read,
        row_number() OVER (its ORDER BY created_at DESC, id DESC) AS place
      FROM notices WHERE member_id = :member WINDOW its AS (PARTITION BY {_GROUP})
    ) n
    LEFT JOIN gameweeks w ON n.count > 1 AND n.kind = 'correction'
      AND w.id::text = split_part(n.key, ':', 2)
    LEFT JOIN leagues l ON n.count > 1 AND l.id::text = CASE
      WHEN n.kind = 'correction' THEN split_part(n.key, ':', 3)
      WHEN n.key LIKE 'draft:%' THEN split_part(n.key, ':', 4)
      WHEN n.key LIKE 'league:%' THEN split_part(n.key, ':', 2) END
    WHERE n.place = 1 ORDER BY n.created_at DESC, n.id DESC LIMIT :limit OFFSET :offset
""")  # noqa: S608 (no input in it)


def _grouped(row: Any) -> NoticeRow:
    """A notice, or several of one group as one."""
    title = _group_title(row)
    delta = None if row.delta is None else int(row.delta)
    stored = StoredNotice(
        row.id, row.kind, title, row.body, row.names, row.path, delta, row.created_at, row.is_read
    )
    return stored.row()


def _group_title(row: Any) -> str:
    """The title of a group that counts what happened; of others that of the latest."""
    if row.league is None:
        return str(row.title)
    if row.gameweek:
        return words.corrections(row.gameweek, row.league, row.count)
    match row.key.split(":")[2]:
        case "ran-out":
            return words.clocks_ran_out(row.league, row.count)
        case "joined":
            return words.teams_joined(row.league, row.count)
    return str(row.title)


@cache
def newest_of_points() -> NoticeQuery:
    """The query of the newest notice of `member` that says why points or places changed.

    Its row has the fields of `StoredNotice`.
    """
    return _newest().where(Notice.kind.in_(OF_POINTS)).limit(1)


@cache
def _newest() -> NoticeQuery:
    return (
        select(
            Notice.id,
            Notice.kind,
            Notice.title,
            Notice.body,
            Notice.names,
            Notice.path,
            Notice.delta,
            Notice.created_at,
            Notice.read_at.is_not(None).label("is_read"),
        )
        .where(Notice.member_id == bindparam("member"))
        .order_by(Notice.created_at.desc(), Notice.id.desc())
    )


@dataclass(frozen=True)
class Overview:
    """Numbers of all notices of a member, as they are listed. `latest`: the highest id, or 0."""

    count: int
    unread: int
    latest: int


def overview(member_id: int) -> Overview:
    """Count the member's notices and those that are unread."""
    group: ColumnElement[str] = literal_column(_GROUP)
    row = db.session.execute(
        select(
            func.count(distinct(group)),
            func.count(distinct(group)).filter(Notice.read_at.is_(None)),
            func.coalesce(func.max(Notice.id), 0),
        ).where(Notice.member_id == member_id)
    ).one()
    return Overview(*row)


def find(member_id: int, notice_id: int) -> Notice | None:
    """The notice if it is the member's own, else None."""
    return db.session.scalar(
        select(Notice).where(Notice.id == notice_id, Notice.member_id == member_id)
    )


def mark_read(member_id: int, up_to: int, now: datetime, *, alone: bool = False) -> int:
    """Mark the notice `up_to` as read, and all earlier ones unless `alone`. Commits.

    Notices that were stored after the page was rendered have higher ids and stay unread. `alone`
    marks the earlier notices of the same group too, as they are listed as one.

    Returns:
        How many were unread.
    """
    which = [Notice.id <= up_to]
    if alone:
        group: ColumnElement[str] = literal_column(_GROUP)
        which.append(group == db.session.scalar(select(group).where(Notice.id == up_to)))
    done = db.session.execute(
        update(Notice)
        .where(Notice.member_id == member_id, Notice.read_at.is_(None), *which)
        .values(read_at=now)
    )
    db.session.commit()
    return int(done.rowcount)  # type: ignore[attr-defined]
