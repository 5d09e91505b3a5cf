"""Moves cold months of attempts from PostgreSQL to the blob store, and brings them back.

A month is written without a lock and read back. Then one transaction, in which nobody writes to the
month's partition, checks that the partition is still what was written, stores what the attempts
come to on live boards (ArchivedStanding), records the month and drops the partition. So a process
that dies at any line leaves the month either in PostgreSQL or in the archive; the next run deletes
objects that no record names. Decision 104 has the reasons.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import msgspec
import structlog
from psycopg.errors import DeadlockDetected, LockNotAvailable
from sqlalchemy import func, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import OperationalError

from app.accounts.models import Member, Player
from app.boards.catalogue import queries as catalogue
from app.boards.models import BoardRecord, Mode
from app.boards.rules import Aggregation
from app.boards.windows.rules import parse_window
from app.core.blob_store import BlobStore
from app.core.db import db, only_run, transaction
from app.core.errors import UserError
from app.core.postgres.advisory_locks import Lock
from app.scores.archive import months
from app.scores.models import ScoreMonth

if TYPE_CHECKING:
    from app.scores.archive.objects import Attempt

log = structlog.get_logger(__name__)

FOLDER = "score-attempts.v1"  # of the blob store
CHUNK = 5_000  # rows per statement
KEPT_AFTER_RESTORE = timedelta(days=7)  # what was brought back is archived again after that
# The columns that say something about a person or their device; erased players have none of them.
PRIVATE: dict[str, Any] = {
    "device": None,
    "address": None,
    "client_meta": "{}",
    "score_metadata": None,
}
BUSY = "Another run is archiving or restoring scores. Wait until it ends."


class ScoreArchiveBusyError(UserError):
    """Another run is in progress."""


class ScoreArchiveError(UserError):
    """An object is not what was written; the text says what to do."""


class _MonthChangedError(Exception):
    """The partition is not what was written any more, or is in use: the next run begins again."""


@dataclass
class ArchiveOutcome:
    """Result of a run.

    `waiting` has the reasons of months that are due and cannot be archived yet, `changed` the
    months that changed or were in use, `rewritten` those from which erased data was removed.
    """

    archived: list[date] = field(default_factory=list)
    changed: list[date] = field(default_factory=list)
    rewritten: list[date] = field(default_factory=list)
    waiting: dict[date, list[str]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class _Written:
    """The object of a month, and the fingerprint of the rows that it was written from."""

    blob: str
    sha256: str
    attempts: int
    fingerprint: tuple[int, int]


def archive_scores(
    store: BlobStore, now: datetime, kept_months: int, only: date | None = None
) -> ArchiveOutcome:
    """Archive the months that are due, and remove erased data from archived ones.

    A month is due if `kept_months` whole months lie between it and the current one, unless it was
    brought back less than KEPT_AFTER_RESTORE ago. With `only`, that month is archived whatever its
    age, as long as it is over. Commits after each month; a second run changes nothing.

    Raises:
        ScoreArchiveBusyError: Another run is in progress.
        ScoreArchiveError: An object does not read back as it was written.
        BlobStoreError: The blob store failed.
    """
    outcome = ArchiveOutcome()
    with only_run(Lock.SCORE_ARCHIVE, ScoreArchiveBusyError(BUSY)):
        current = months.month_of(now)
        last = months.plus(current, -kept_months - 1) if only is None else only
        if last >= current:
            raise UserError(f"{last:%B %Y} is not over. Choose an earlier month.")
        _move_late_attempts(store, now, last)
        for month in _due(now, last, only):
            if reasons := _reasons_to_wait(month, now):
                outcome.waiting[month] = reasons
                continue
            try:
                _archive(store, month, now)
                outcome.archived.append(month)
            except _MonthChangedError:
                log.info("score_month_changed", month=str(month))
                outcome.changed.append(month)
        outcome.rewritten = _rewrite_marked(store)
        _tidy(store)
    return outcome


def restore(store: BlobStore, month: date, now: datetime) -> int:
    """Bring an archived month back into PostgreSQL and commit; return how many attempts it has.

    The object stays until the month is archived again: a backup of the database may name it.

    Raises:
        UserError: The month is not archived.
        ScoreArchiveBusyError: Another run is in progress.
        ScoreArchiveError: The object is not what was written.
        BlobStoreError: The blob store failed.
    """
    with only_run(Lock.SCORE_ARCHIVE, ScoreArchiveBusyError(BUSY)):
        return _restore(store, month, now)


def attempts_of(store: BlobStore, record: ScoreMonth) -> Iterator[Attempt]:
    """Yield an archived month's attempts, by player, mode, time and event.

    Attempts of deleted players and modes are left out, and erased players have no private data,
    even if the object still has them.
    """
    # pyarrow is large, and most processes never read the archive
    from app.scores.archive.objects import ArchivedMonthObject

    for group in ArchivedMonthObject(store, record.blob).groups():
        yield from without_erased(group)


def partitions() -> list[date]:
    """Return the months that have a partition in PostgreSQL, oldest first."""
    names = db.session.scalars(
        text(
            "SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid"
            " WHERE i.inhparent = CAST('score_attempts' AS regclass)"
            r" AND c.relname ~ '\d{4}_\d{2}$' ORDER BY c.relname"
        )
    )
    return [date(int(name[-7:-3]), int(name[-2:]), 1) for name in names]


def _due(now: datetime, last: date, only: date | None) -> Sequence[date]:
    """Return the months with a partition that are due, oldest first."""
    there = partitions()
    restored = set(
        db.session.scalars(
            select(ScoreMonth.month).where(ScoreMonth.restored_at > now - KEPT_AFTER_RESTORE)
        )
    )
    db.session.rollback()
    if only is not None:
        if only not in there:
            raise UserError(
                f"PostgreSQL has no scores from {only:%B %Y}. `pressbox scores months` lists all "
                "months."
            )
        return [only]
    return [month for month in there if month <= last and month not in restored]


def _move_late_attempts(store: BlobStore, now: datetime, last: date) -> None:
    """Give attempts of due months that wait in the default partition the partition of their month.

    An archived month is brought back for them.
    """
    waiting = db.session.scalars(
        text(
            "SELECT DISTINCT CAST(date_trunc('month', achieved_at AT TIME ZONE 'UTC') AS date)"
            " FROM score_attempts_default WHERE achieved_at < :end ORDER BY 1"
        ),
        {"end": months.start_of(months.plus(last, 1))},
    ).all()
    archived = {record.month for record in months.archived_between(None, None)}
    db.session.rollback()
    for month in waiting:
        if month in archived:
            # Not restored on request: the same run archives it again.
            _restore(store, month, now - KEPT_AFTER_RESTORE)
        else:
            with transaction():
                db.session.execute(text("SELECT add_score_month(:month)"), {"month": month})


def _reasons_to_wait(month: date, now: datetime) -> list[str]:
    """Return why the month cannot leave PostgreSQL yet."""
    part = months.table_of(month)
    values = {
        "starts": months.start_of(month),
        "ends": months.start_of(months.plus(month, 1)),
        "now": now,
    }
    in_month = "k.achieved_at >= :starts AND k.achieved_at < :ends"
    questions = {
        "scores that wait for a review": f"SELECT count(*) FROM {part}"  # noqa: S608
        " WHERE fraud_state = 'flagged' AND rolled_back_at IS NULL",
        "corrections that boards do not show yet": "SELECT count(*) FROM score_corrections c"  # noqa: S608
        f" JOIN score_attempt_keys k USING (event_id) WHERE c.published_at IS NULL AND {in_month}",
        "rollbacks that boards do not show yet": f"SELECT count(DISTINCT r.id) FROM {part} a"  # noqa: S608
        " JOIN rollbacks r ON r.id = a.rollback_id WHERE r.shown_at IS NULL",
        "open appeals": "SELECT count(*) FROM appeals a JOIN score_attempt_keys k"  # noqa: S608
        f" USING (event_id) WHERE a.decided_at IS NULL AND {in_month}",
        "windows of competitions that are not final": "SELECT count(*) FROM competition_windows"
        " WHERE starts_at < :ends AND ends_at > :starts"
        " AND (final_at > :now OR settled_at IS NULL)",
    }
    counts = {
        reason: db.session.scalar(text(question), values) for reason, question in questions.items()
    }
    db.session.rollback()
    return [f"{reason}: {count}" for reason, count in counts.items() if count]


def _archive(store: BlobStore, month: date, now: datetime) -> None:
    written = _write(store, month)
    modes = db.session.scalars(
        text(f"SELECT DISTINCT mode_id FROM {months.table_of(month)}")  # noqa: S608
    ).all()
    db.session.rollback()
    with _giving_way(), transaction():
        # No mode changes how it counts meanwhile, and whoever corrects waits here, without locks.
        locked = catalogue.lock_modes(modes, exclusive=False)
        _begin_long_statements()
        db.session.execute(text(f"LOCK TABLE {months.table_of(month)} IN SHARE MODE"))
        if _fingerprint(month) != written.fingerprint:
            raise _MonthChangedError
        _record(month, written, now)
        for mode in locked.values():
            _store_standings(mode, month)
        # Not long enough for PostgreSQL to look for a deadlock: this run gives way, nobody else.
        db.session.execute(text("SELECT set_config('lock_timeout', '800ms', true)"))
        db.session.execute(text("SELECT drop_score_month(:month)"), {"month": month})
    log.info("score_month_archived", month=str(month), blob=written.blob, attempts=written.attempts)


@contextmanager
def _giving_way() -> Iterator[None]:
    """Leave the month to the next run if somebody else uses the table."""
    try:
        yield
    except OperationalError as error:
        if isinstance(error.orig, LockNotAvailable | DeadlockDetected):
            raise _MonthChangedError from error
        raise


def _begin_long_statements() -> None:
    """Allow the transaction's statements an hour: they read or write a whole month."""
    db.session.execute(
        text(
            "SELECT set_config('statement_timeout', '1h', true),"
            " set_config('idle_in_transaction_session_timeout', '10min', true)"
        )
    )


def _write(store: BlobStore, month: date) -> _Written:
    """Write the month's object as of one moment, and compare what the store has of it."""
    from app.scores.archive import objects

    names = ", ".join(
        f"CAST({name} AS text) AS {name}" if name in ("score_metadata", "client_meta") else name
        for name in objects.SCHEMA.names
    )
    query = text(
        f"SELECT {names} FROM {months.table_of(month)} ORDER BY {', '.join(objects.ORDER)}"  # noqa: S608
    )
    with TemporaryDirectory(prefix="pressbox-scores-") as folder:
        path = str(Path(folder) / "attempts.parquet")
        try:
            db.session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
            _begin_long_statements()
            fingerprint = _fingerprint(month)
            rows = db.session.execute(query.execution_options(yield_per=CHUNK)).mappings()
            attempts = objects.write(path, (dict(row) for row in rows))
        finally:
            db.session.rollback()
        blob, sha256 = _put(store, month, path)
    if attempts != fingerprint[0]:
        raise ScoreArchiveError(
            f"{month:%B %Y} has {fingerprint[0]} scores, but {attempts} were written. "
            "Nothing is lost: they stay in PostgreSQL."
        )
    return _Written(blob=blob, sha256=sha256, attempts=attempts, fingerprint=fingerprint)


def _put(store: BlobStore, month: date, path: str) -> tuple[str, str]:
    """Store a local file under a name of its own and read it back; return name and SHA-256."""
    sha256 = _sha256_of(path)
    blob = f"{FOLDER}/month={month:%Y-%m}/{sha256[:16]}.parquet"
    store.put_file(blob, path)
    with store.open(blob) as stored:
        if hashlib.file_digest(stored, "sha256").hexdigest() != sha256:
            raise ScoreArchiveError(
                f"{blob} could not be read back correctly. Nothing is lost. Check the blob "
                "store; the next run writes it again."
            )
    return blob, sha256


def _sha256_of(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fingerprint(month: date) -> tuple[int, int]:
    """Return the number of attempts and a number that changes with anything about them."""
    row = db.session.execute(
        text(
            "SELECT count(*) AS attempts, coalesce(sum(CAST(hashtextextended(CAST(s AS text), 0)"  # noqa: S608
            f" AS numeric)), 0) AS hashes FROM {months.table_of(month)} s"
        )
    ).one()
    return row.attempts, int(row.hashes)


def _record(month: date, written: _Written, now: datetime) -> None:
    part = months.table_of(month)
    ends = months.start_of(months.plus(month, 1))
    changes = db.session.execute(
        text(
            f"SELECT greatest(:ends, max(a.ingested_at), max(a.rolled_back_at), max(c.created_at))"  # noqa: S608
            " AS settled_at, coalesce(array_agg(DISTINCT a.rollback_id)"
            " FILTER (WHERE a.rollback_id IS NOT NULL), CAST('{}' AS uuid[])) AS rollback_ids"
            f" FROM {part} a LEFT JOIN score_corrections c USING (event_id)"
        ),
        {"ends": ends},
    ).one()
    values = {
        "archived_at": now,
        "settled_at": changes.settled_at,
        "attempts": written.attempts,
        "blob": written.blob,
        "sha256": written.sha256,
        "rollback_ids": changes.rollback_ids,
        "rewrite_since": None,
        "restored_at": None,
    }
    statement = insert(ScoreMonth).values(month=month, **values)
    db.session.execute(statement.on_conflict_do_update(index_elements=["month"], set_=values))


_COLUMNS = "board_id, player_id, month, event_id, score, subscore, achieved_at, score_metadata"
# How the month's attempts fold (app/boards/rules.py), in the form of one attempt.
_ATTEMPT = "player_id, CAST(:month AS date), event_id, score, subscore, achieved_at, score_metadata"
_FOLDS = {
    Aggregation.HIGHEST: f"""SELECT DISTINCT ON (player_id) :board, {_ATTEMPT} FROM counted
      ORDER BY player_id, key DESC, achieved_at, event_id""",  # noqa: S608
    Aggregation.LATEST: f"""SELECT DISTINCT ON (player_id) :board, {_ATTEMPT} FROM counted
      ORDER BY player_id, achieved_at DESC, event_id DESC""",  # noqa: S608
    Aggregation.SUM: """SELECT :board, player_id, CAST(:month AS date),
      (array_agg(event_id ORDER BY achieved_at DESC, event_id DESC))[1], sum(score), NULL,
      max(achieved_at), (array_agg(score_metadata ORDER BY achieved_at DESC, event_id DESC))[1]
      FROM counted GROUP BY player_id""",
}


def _store_standings(mode: Mode, month: date) -> None:
    """Store what the month's attempts come to on each live board of the mode."""
    boards = db.session.scalars(
        select(BoardRecord)
        .where(BoardRecord.mode_id == mode.id, BoardRecord.archived_at.is_(None))
        .execution_options(populate_existing=True)
    ).all()
    month_starts, month_ends = months.start_of(month), months.start_of(months.plus(month, 1))
    for board in boards:
        window = parse_window(board.window_id, mode.calendar)
        starts, ends = window.starts or month_starts, window.ends or month_ends
        if starts >= month_ends or ends <= month_starts:
            continue
        statement = f"""WITH counted AS (
            SELECT *, {mode.ordering.sql()} AS key FROM {months.table_of(month)}
            WHERE mode_id = :mode AND achieved_at >= :starts AND achieved_at < :ends
              AND fraud_state = 'clean' AND rolled_back_at IS NULL)
          INSERT INTO archived_standings ({_COLUMNS}) {_FOLDS[Aggregation(mode.aggregation)]}"""  # noqa: S608
        values = {
            "board": board.id,
            "month": month,
            "mode": mode.id,
            "starts": starts,
            "ends": ends,
        }
        db.session.execute(text(statement), values)


def _restore(store: BlobStore, month: date, restored_at: datetime) -> int:
    record = db.session.get(ScoreMonth, month, populate_existing=True)
    db.session.rollback()
    if record is None or record.restored_at is not None:
        raise UserError(
            f"The scores of {month:%B %Y} are not archived. `pressbox scores months` lists what is."
        )
    _check(store, record)
    count = 0
    with transaction():
        _begin_long_statements()
        db.session.execute(text("SELECT begin_score_month(:month)"), {"month": month})
        chunk: list[Attempt] = []
        for attempt in attempts_of(store, record):
            chunk.append(attempt)
            if len(chunk) == CHUNK:
                count += _insert(month, chunk)
                chunk = []
        count += _insert(month, chunk)
        db.session.execute(text("SELECT attach_score_month(:month)"), {"month": month})
        db.session.execute(
            text("DELETE FROM archived_standings WHERE month = :month"), {"month": month}
        )
        stored = db.session.get_one(ScoreMonth, month, populate_existing=True, with_for_update=True)
        stored.restored_at = restored_at
    log.info("score_month_restored", month=str(month), attempts=count)
    return count


def _check(store: BlobStore, record: ScoreMonth) -> None:
    """Compare the object with its record."""
    with store.open(record.blob) as stored:
        if hashlib.file_digest(stored, "sha256").hexdigest() != record.sha256:
            raise ScoreArchiveError(
                f"{record.blob} has changed since it was written. Restore it from a backup "
                "of the blob store, then run this again. Nothing was changed."
            )


_encode = msgspec.json.Encoder().encode


def _insert(month: date, attempts: Sequence[Attempt]) -> int:
    """Insert attempts into the month's table, which is no partition yet; return how many."""
    if not attempts:
        return 0
    columns = db.session.execute(
        text(
            "SELECT attname, format_type(atttypid, atttypmod) AS type FROM pg_attribute"
            " WHERE attrelid = CAST('score_attempts' AS regclass) AND attnum > 0"
            " AND NOT attisdropped ORDER BY attnum"
        )
    ).all()
    names = ", ".join(column.attname for column in columns)
    typed = ", ".join(
        f"{column.attname} {'text' if column.type.startswith('json') else column.type}"
        for column in columns
    )
    values = ", ".join(
        f"CAST({column.attname} AS {column.type})" for column in columns
    )  # JSON travels as the text that was stored
    db.session.execute(
        text(
            f"INSERT INTO {months.table_of(month)} ({names}) SELECT {values}"  # noqa: S608
            f" FROM json_to_recordset(CAST(:rows AS json)) AS archived ({typed})"
        ),
        {"rows": _encode(attempts).decode()},
    )
    return len(attempts)


def without_erased(attempts: Sequence[Attempt]) -> Iterator[Attempt]:
    """Yield the attempts of players and modes that still exist.

    Those of erased players have no private data (PRIVATE).
    """
    players = _erased({attempt["player_id"] for attempt in attempts})
    modes = set(
        db.session.scalars(
            select(Mode.id).where(Mode.id.in_({attempt["mode_id"] for attempt in attempts}))
        )
    )
    for attempt in attempts:
        is_erased = players.get(attempt["player_id"])
        if is_erased is None or attempt["mode_id"] not in modes:
            continue
        yield attempt | PRIVATE if is_erased else attempt


def _erased(players: set[Any]) -> dict[Any, bool]:
    """Return which of the players exist, and whether they are erased.

    A member's player is erased with the member.
    """
    query = (
        select(Player.id, func.coalesce(Player.erased_at, Member.erased_at).is_not(None))
        .outerjoin(Member, Member.id == Player.member_id)
        .where(Player.id.in_(players))
    )
    return {row[0]: row[1] for row in db.session.execute(query)}


def _rewrite_marked(store: BlobStore) -> list[date]:
    """Write the objects of months again from which something was erased; return the months."""
    marked = db.session.scalars(
        select(ScoreMonth).where(ScoreMonth.rewrite_since.is_not(None)).order_by(ScoreMonth.month)
    ).all()
    db.session.rollback()
    for record in marked:
        _rewrite(store, record)
    return [record.month for record in marked]


def _rewrite(store: BlobStore, record: ScoreMonth) -> None:
    from app.scores.archive import objects

    _check(store, record)
    deleted: list[Any] = []

    def kept() -> Iterator[Attempt]:
        for group in objects.ArchivedMonthObject(store, record.blob).groups():
            remaining = list(without_erased(group))
            db.session.rollback()
            ids = {attempt["event_id"] for attempt in remaining}
            deleted.extend(a["event_id"] for a in group if a["event_id"] not in ids)
            yield from remaining

    with TemporaryDirectory(prefix="pressbox-scores-") as folder:
        path = str(Path(folder) / "attempts.parquet")
        attempts = objects.write(path, kept())
        blob, sha256 = _put(store, record.month, path)
    with transaction():
        stored = db.session.get_one(
            ScoreMonth, record.month, populate_existing=True, with_for_update=True
        )
        stored.blob, stored.sha256, stored.attempts = blob, sha256, attempts
        if stored.rewrite_since == record.rewrite_since:
            stored.rewrite_since = None  # otherwise somebody else was erased meanwhile
        if stored.restored_at is not None:
            deleted.clear()  # the keys of attempts in PostgreSQL are removed with these
        for start in range(0, len(deleted), CHUNK):
            db.session.execute(
                text("DELETE FROM score_attempt_keys WHERE event_id = ANY(:events)"),
                {"events": deleted[start : start + CHUNK]},
            )
    log.info("score_month_rewritten", month=str(record.month), attempts=attempts)


def _tidy(store: BlobStore) -> None:
    """Delete objects that no record names: of a run that died, or replaced by a newer one.

    A database that was restored from a backup may name an object that was replaced since: then the
    month's present object takes its place.

    Raises:
        ScoreArchiveError: The store has no object of a month.
    """
    records = db.session.scalars(select(ScoreMonth).order_by(ScoreMonth.month)).all()
    db.session.rollback()
    names = store.names(FOLDER)
    named = {record.blob for record in records}
    lost = []
    for record in records:
        if record.restored_at is not None or record.blob in names:
            continue
        folder = f"{FOLDER}/month={record.month:%Y-%m}/"
        present = [name for name in names if name.startswith(folder)]
        if not present:
            lost.append(record.blob)
            continue
        named.add(present[-1])
        _adopt(store, record.month, present[-1])
    for name in names:
        if name not in named:
            store.delete(name)
    if lost:
        raise ScoreArchiveError(
            f"The blob store has lost {', '.join(lost)}. Restore them from its backup."
        )


def _adopt(store: BlobStore, month: date, blob: str) -> None:
    with store.open(blob) as stored:
        sha256 = hashlib.file_digest(stored, "sha256").hexdigest()
    with transaction():
        record = db.session.get_one(ScoreMonth, month, populate_existing=True, with_for_update=True)
        record.blob, record.sha256 = blob, sha256
    log.warning("score_month_adopted", month=str(month), blob=blob)
