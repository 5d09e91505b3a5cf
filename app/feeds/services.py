"""Adds, pauses, resumes and removes feeds. Each function is one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select

from app.core.csv_files import FIRST_SEASON
from app.core.db import db, transaction, upsert
from app.core.errors import UserError
from app.feeds.fetching import address_fault, is_web
from app.feeds.kinds import KINDS
from app.feeds.models import Feed
from app.feeds.presets import PRESETS, Preset

OVERDUE = timedelta(minutes=10)  # due feeds are looked for every minute


class FeedRefusedError(UserError):
    """The feed cannot be added or changed; the text says why and what to do."""


@dataclass(frozen=True)
class Following:
    """Which publisher is followed in a season. `folder`: read there instead of the internet."""

    preset: str
    season: int
    folder: str = ""


def add(following: Following, now: datetime) -> list[Feed]:
    """Add the feeds of a publisher for a season, and return them in the order of their runs.

    Feeds that are there get the address, and are on again, except those of earlier seasons that
    another followed season has too. Commits.

    Raises:
        FeedRefusedError: There is no such publisher or folder.
    """
    preset = PRESETS.get(following.preset)
    if preset is None:
        raise FeedRefusedError(
            f"There is no publisher {following.preset!r}: choose {' or '.join(PRESETS)}."
        )
    if following.folder and (fault := address_fault(following.folder)):
        raise FeedRefusedError(fault)
    rows = _rows(preset, following.season, following.folder, now)
    shared = _files_of_others(preset, following.season)
    _store([row for row in rows if (row["season"], row["kind"]) not in shared])
    files = {(row["season"], row["kind"]) for row in rows}
    return [feed for feed in listed() if (feed.season, feed.kind) in files]


def _files_of_others(preset: Preset, season: int) -> set[tuple[int, str]]:
    """Season and kind of each feed that belongs to another followed season."""
    feeds = [feed for feed in listed() if feed.preset == preset.name]
    followed = {feed.season for feed in feeds if not preset.file(feed.kind).earlier_seasons}
    files = {
        (year, kind) for other in followed - {season} for year, kind, _ in _files(preset, other)
    }
    return files & {(feed.season, feed.kind) for feed in feeds}


def _rows(preset: Preset, season: int, folder: str, now: datetime) -> list[dict[str, Any]]:
    feeds = {(feed.season, feed.kind): feed for feed in listed()}
    return [
        {
            "competition": preset.competition,
            "season": year,
            "kind": kind,
            "preset": preset.name,
            "address": folder or address,
            "state": "on",
            "due_at": now,
            **_marks(feeds.get((year, kind)), folder or address),
        }
        for year, kind, address in _files(preset, season)
    ]


def _marks(feed: Feed | None, address: str) -> dict[str, str | None]:
    """What is remembered of the last file; nothing of a file that was fetched elsewhere."""
    marks = ("sha256", "etag", "last_modified", "published")
    is_same = feed is not None and feed.address == address
    return {mark: getattr(feed, mark) if is_same else None for mark in marks}


def _store(rows: list[dict[str, Any]]) -> list[Feed]:
    with transaction():
        upsert(Feed, ["competition", "season", "kind"], rows)
    added = {(row["season"], row["kind"]) for row in rows}
    return [feed for feed in listed() if (feed.season, feed.kind) in added]


def _files(preset: Preset, season: int) -> list[tuple[int, str, str]]:
    """Season, kind and web address of each file that is followed."""
    return [
        (year, file.kind, file.address.format(season=year))
        for file in preset.files
        if file.kind in KINDS
        for year in (
            range(max(season - file.earlier_seasons, FIRST_SEASON), season)
            if file.earlier_seasons
            else [season]
        )
    ]


def listed() -> list[Feed]:
    """All feeds by season, the newest first, and in the order in which they are run."""
    order = {kind: place for place, kind in enumerate(KINDS)}
    feeds = db.session.scalars(select(Feed).execution_options(populate_existing=True)).all()
    return sorted(feeds, key=lambda feed: (-feed.season, order.get(feed.kind, len(order)), feed.id))


def chosen(names: tuple[str, ...]) -> list[Feed]:
    """The feeds of these numbers or kinds; all without a name, in the order of `listed`.

    They are apart from the session, so that they stay readable while each of them is run.

    Raises:
        FeedRefusedError: There is no feed of such a name.
    """
    feeds = listed()
    for name in names:
        if not any(name in (str(feed.id), feed.kind) for feed in feeds):
            raise FeedRefusedError(
                f"There is no feed {name}: `pressbox feed list` shows their numbers and kinds."
            )
    db.session.expunge_all()
    return [feed for feed in feeds if not names or {str(feed.id), feed.kind} & set(names)]


def find(feed_id: int) -> Feed | None:
    """The feed, or None."""
    return db.session.get(Feed, feed_id, populate_existing=True)


def pause(feed_id: int) -> None:
    """Ask the publisher no more until the feed is resumed. Commits."""
    with transaction():
        _changed(feed_id).state = "paused"


def resume(feed_id: int, now: datetime) -> None:
    """Go on, at once. Commits."""
    with transaction():
        feed = _changed(feed_id)
        feed.state, feed.due_at = "on", now


def remove(feed_id: int) -> None:
    """Delete the feed and its runs. What it entered stays. Commits."""
    with transaction():
        db.session.delete(_changed(feed_id))


def due(now: datetime) -> list[int]:
    """Ids of the feeds that are on and due, in the order in which they are run.

    Workers run several feeds at once, so a feed waits while one that it needs is due. It does not
    wait any longer for one that is overdue, such as one whose runs end with an error.
    """
    due_feeds = [feed for feed in listed() if feed.state == "on" and feed.due_at <= now]
    first = {
        (feed.competition, feed.season, feed.kind)
        for feed in due_feeds
        if feed.checked_at is None or not is_overdue(feed, now)
    }
    return [
        feed.id
        for feed in due_feeds
        if not any((feed.competition, feed.season, kind) in first for kind in _needs(feed))
    ]


def _needs(feed: Feed) -> tuple[str, ...]:
    return KINDS[feed.kind].needs if feed.kind in KINDS else ()


def is_overdue(feed: Feed, now: datetime) -> bool:
    """Whether no worker has run the feed although it was due a while ago."""
    return feed.state == "on" and feed.due_at + OVERDUE < now


def add_missing(following: Following, now: datetime) -> list[Feed]:
    """Add those feeds of a season that there are not, where the others of it are read. Commits.

    Returns:
        What was added; nothing if the season is followed already.
    """
    feeds = [feed for feed in listed() if feed.preset == following.preset]
    kinds = {(feed.season, feed.kind) for feed in feeds}
    preset = PRESETS[following.preset]
    missing = {(season, kind) for season, kind, _ in _files(preset, following.season)} - kinds
    if not missing:
        return []
    folder = next(
        (
            feed.address
            for feed in feeds
            if feed.season == following.season and not is_web(feed.address)
        ),
        following.folder,
    )
    rows = [
        row
        for row in _rows(preset, following.season, folder, now)
        if (row["season"], row["kind"]) in missing
    ]
    return _store(rows)


def source_words(feed: Feed) -> str:
    """Where a feed reads, for people."""
    return feed.address if is_web(feed.address) else f"folder {feed.address}"


def _changed(feed_id: int) -> Feed:
    feed = db.session.get(Feed, feed_id, populate_existing=True, with_for_update=True)
    if feed is None:
        raise FeedRefusedError("This feed no longer exists. Reload the page.")
    return feed
