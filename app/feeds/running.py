"""Runs a feed: fetches its file, checks it, enters it, and records what was changed.

What a file changes and the note that it was entered are committed together, so a run that is killed
is repeated as a whole. Two runs of one feed at once wait for each other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import delete, select

from app.core import clock
from app.core.csv_files import FileError
from app.core.db import db, only_run, transaction
from app.core.errors import UserError
from app.core.postgres.advisory_locks import Lock
from app.fantasy.season_setup.storing import ImportRefusedError
from app.feeds import timing
from app.feeds.entered import Entered, FeedFindingError, Source, change_words
from app.feeds.entered import UnknownFeedError as UnknownFeedError
from app.feeds.fetching import Fetched, Marks, NotFetchedError, fetched, has_changed_since
from app.feeds.kinds import KINDS, Enter, count_rows, refuse_fewer_rows
from app.feeds.models import RUNS_SHOWN, Feed, FeedRun
from app.feeds.presets import PRESETS
from app.record.published_files import OtherKindError
from scorer_console.games.declaring import NothingNewError, declare
from scorer_console.lease.leases import LeaseHeldError

log = structlog.get_logger(__name__)

MOST_FINDINGS = 100  # of a run that are kept


class FeedBusyError(UserError):
    """Another run of the feed has not ended."""


@dataclass(frozen=True)
class RunReport:
    """What a run did (models.FeedRun).

    `is_missing`: the publisher has no such file, which may come later.
    """

    outcome: str
    entered: Entered = field(default_factory=Entered)
    size: int | None = None
    is_missing: bool = False

    @property
    def changes(self) -> dict[str, int]:
        """What it changed, by noun; without what it did not."""
        return {noun: count for noun, count in self.entered.changes.items() if count}


def run(feed_id: int, now: datetime, *, accepts_fewer_rows: bool = False) -> RunReport:
    """Fetch the feed's file, enter what is new in it, and record the run. Commits.

    Raises:
        UnknownFeedError: There is no such feed.
        FeedBusyError: Another run of it has not ended.
    """
    busy = FeedBusyError("Another run of this feed is still in progress. Wait for it.")
    with only_run(Lock.FEED, busy, feed_id):
        feed = _load(feed_id)
        try:
            report, marks, rows = _enter(feed, now, accepts_fewer_rows=accepts_fewer_rows)
        except NotFetchedError as error:
            db.session.rollback()
            return _failed(feed, error, now)
        except FeedFindingError as error:
            db.session.rollback()
            return _found(feed, str(error), now)
        except BaseException:
            db.session.rollback()
            raise
        # The transaction of what was entered is still open.
        with transaction():
            row = _locked(feed_id)
            if marks is not None:
                _remember(row, marks, report.size, now)
            if rows is not None:
                row.row_count = rows
            _record(row, report, now)
        _declare(report.entered)
    log.info("feed_run", feed_id=feed_id, kind=feed.kind, changes=change_words(report.changes))
    return report


def preview(feed_id: int, now: datetime, *, accepts_fewer_rows: bool = False) -> RunReport:
    """Say what a run would change now. Writes nothing.

    Raises:
        UnknownFeedError: There is no such feed.
        NotFetchedError: There is no file.
        FeedFindingError: The file cannot be used.
    """
    feed = _load(feed_id)
    try:
        with _fetched(feed, now) as file:
            if file.path is None:
                return RunReport("unchanged")
            _, entered = _use(feed, file, KINDS[feed.kind].preview, now, accepts_fewer_rows)
            return RunReport(_outcome(entered), entered, file.size)
    finally:
        db.session.rollback()


def _enter(
    feed: Feed, now: datetime, *, accepts_fewer_rows: bool
) -> tuple[RunReport, Marks | None, int | None]:
    """Enter the file; the caller commits.

    Returns:
        The report, what to remember of the file (None if it was changed meanwhile), and how many
        rows it has (None if it was not read).
    """
    with _fetched(feed, now) as file:
        if file.path is None:
            findings = tuple(feed.findings)
            return RunReport("unchanged", Entered(findings=findings), file.size), file.marks, None
        rows, entered = _use(feed, file, KINDS[feed.kind].enter, now, accepts_fewer_rows)
        # A status is declared after the commit, so a file with one is entered once more.
        is_complete = not entered.declared and not has_changed_since(file)
        marks = file.marks if is_complete else None
        return RunReport(_outcome(entered), entered, file.size), marks, rows


def _declare(entered: Entered) -> None:
    """Declare the statuses of games in the schedule. Commits."""
    for game_id, status in entered.declared:
        try:
            declare(game_id, status, "Changed by the schedule", clock.now())
        except (LeaseHeldError, NothingNewError) as error:
            log.info("feed_not_declared", game_id=game_id, status=status, reason=str(error))


def _fetched(feed: Feed, now: datetime) -> Any:
    file = PRESETS[feed.preset].file(feed.kind)
    marks = Marks(feed.published, feed.etag, feed.last_modified, feed.sha256)
    return fetched(feed.address, file, feed.season, marks, now)


def _use(
    feed: Feed, file: Fetched, act: Enter, now: datetime, accepts_fewer_rows: bool
) -> tuple[int, Entered]:
    """Check a file that was fetched, and enter or preview it.

    Returns:
        How many rows it has, and what it changes.

    Raises:
        FeedFindingError: It cannot be used.
    """
    assert file.path is not None
    try:
        rows = count_rows(file.path, KINDS[feed.kind].file, feed.season)
        if not accepts_fewer_rows:
            refuse_fewer_rows(rows, feed.row_count)
        return rows, act(file.path, _source(feed, now))
    except (FileError, ImportRefusedError) as error:
        text = str(error)
        if isinstance(error, OtherKindError):
            text = (
                f"{error.fault}. Nothing was changed; check where the feed reads, or wait for the "
                "publisher's next file."
            )
        if not file.is_local:  # a folder that exists only for this run
            text = text.replace(f"{file.path.parent}/", "")
        raise FeedFindingError(text) from error


def _source(feed: Feed, now: datetime) -> Source:
    return Source(feed.id, feed.competition, feed.season, now)


def _outcome(entered: Entered) -> str:
    return "changed" if any(entered.changes.values()) else "unchanged"


def _load(feed_id: int) -> Feed:
    """The feed, apart from the session: no transaction may wait for a publisher's server."""
    feed = db.session.get(Feed, feed_id, populate_existing=True)
    if feed is None:
        raise UnknownFeedError(feed_id)
    db.session.expunge(feed)
    db.session.rollback()
    return feed


def _locked(feed_id: int) -> Feed:
    feed = db.session.get(Feed, feed_id, populate_existing=True, with_for_update=True)
    if feed is None:
        raise UnknownFeedError(feed_id)
    return feed


def _remember(feed: Feed, marks: Marks, size: int | None, now: datetime) -> None:
    if marks.sha256 != feed.sha256:
        feed.fetched_at = now
    feed.published, feed.etag, feed.last_modified = (
        marks.published,
        marks.etag,
        marks.last_modified,
    )
    feed.sha256 = marks.sha256
    if size is not None:
        feed.size = size


def _record(feed: Feed, report: RunReport, now: datetime) -> None:
    """Note a run that got a file, or heard that it has not changed."""
    feed.findings = list(report.entered.findings[:MOST_FINDINGS])
    feed.failures, feed.checked_at = 0, now
    games = timing.games_of(feed.competition, feed.season)
    feed.due_at = now + timing.pause(feed.kind, games, now)
    if timing.is_season_over(games, now):
        feed.state = "ended"
    _add_run(feed, report, now)


def _pause(feed: Feed, now: datetime) -> timedelta:
    return timing.pause(feed.kind, timing.games_of(feed.competition, feed.season), now)


def _failed(feed: Feed, error: NotFetchedError, now: datetime) -> RunReport:
    """Note that there was no file. A file that is not published yet is no failure."""
    report = RunReport("failed", Entered(findings=(str(error),)), is_missing=error.is_missing)
    with transaction():
        row = _locked(feed.id)
        row.failures = 0 if error.is_missing else row.failures + 1
        row.findings, row.checked_at = [str(error)], now
        wait = _pause(row, now) if error.is_missing else timing.back_off(row.failures)
        row.due_at = now + max(wait, error.retry_after or timedelta(0))
        _add_run(row, report, now)
    log.warning("feed_not_fetched", feed_id=feed.id, kind=feed.kind, reason=str(error))
    return report


def _found(feed: Feed, finding: str, now: datetime) -> RunReport:
    """Note that the file cannot be used. It is fetched again, because the next one may be good."""
    report = RunReport("finding", Entered(findings=(finding,)))
    with transaction():
        row = _locked(feed.id)
        row.findings, row.checked_at, row.failures = [finding], now, 0
        row.due_at = now + _pause(row, now)
        _add_run(row, report, now)
    log.warning("feed_finding", feed_id=feed.id, kind=feed.kind, finding=finding)
    return report


def _add_run(feed: Feed, report: RunReport, now: datetime) -> None:
    db.session.add(
        FeedRun(
            feed_id=feed.id,
            began_at=now,
            ended_at=max(now, clock.now()),
            outcome=report.outcome,
            size=report.size,
            changes=report.changes,
            findings=list(report.entered.findings[:MOST_FINDINGS]),
        )
    )
    db.session.flush()
    older = (
        select(FeedRun.id)
        .where(FeedRun.feed_id == feed.id)
        .order_by(FeedRun.id.desc())
        .offset(RUNS_SHOWN)
    )
    db.session.execute(delete(FeedRun).where(FeedRun.id.in_(older)))
