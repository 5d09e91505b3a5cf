"""Tables of the feeds, the runs of each, and the games that a feed of play-by-play follows."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, UniqueConstraint
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import BigId, CreatedAt, db

Model: Any = db.Model

STATES = ("on", "paused", "ended")
OUTCOMES = ("changed", "unchanged", "finding", "failed")
RUNS_SHOWN = 50  # of a feed; older ones are deleted


class Feed(Model):
    """A file that is followed, and what was fetched of it last.

    Attributes:
        preset: The publisher (presets.py).
        kind: What the file holds (kinds.py).
        address: A web address, or the whole path of a folder on this machine.
        state: `paused` by an operator; `ended`: its season is over.
        etag: Of the last file that was fetched, for conditional requests; so is `last_modified`.
        published: When its data were made, in the words of the publisher's timestamp file.
        sha256: Of the last file that was entered completely; so are `size` in bytes, `row_count`
            and `fetched_at`.
        checked_at: When the publisher was asked last.
        due_at: When it is to be asked again.
        failures: How many runs in a row have failed.
        findings: What is wrong with the file that was found last, in sentences.
    """

    __tablename__ = "feeds"

    id: Mapped[BigId]
    competition: Mapped[str]
    season: Mapped[int]
    kind: Mapped[str]
    preset: Mapped[str]
    address: Mapped[str]
    state: Mapped[str] = mapped_column(server_default="on")
    etag: Mapped[str | None]
    last_modified: Mapped[str | None]
    published: Mapped[str | None]
    sha256: Mapped[str | None]
    size: Mapped[int | None] = mapped_column(BigInteger)
    row_count: Mapped[int | None]
    fetched_at: Mapped[datetime | None]
    checked_at: Mapped[datetime | None]
    due_at: Mapped[datetime]
    failures: Mapped[int] = mapped_column(server_default="0")
    findings: Mapped[list[str]] = mapped_column(JSONB, server_default="[]")
    created_at: Mapped[CreatedAt]

    __table_args__ = (
        UniqueConstraint("competition", "season", "kind", name="uq_feeds_kind"),
        CheckConstraint(f"state in {STATES}", name="state"),
        CheckConstraint("season BETWEEN 1869 AND 2200", name="season"),
    )


class FeedRun(Model):
    """A run of a feed.

    Attributes:
        outcome: `finding`: the file cannot be used; `failed`: there was no file.
        size: Of the file that was fetched, in bytes; None if nothing was.
        changes: How many of each thing it changed, by noun: `plays entered`, `players moved`.
        findings: What an operator should look at, in sentences.
    """

    __tablename__ = "feed_runs"

    id: Mapped[BigId]
    feed_id: Mapped[int] = mapped_column(ForeignKey("feeds.id", ondelete="CASCADE"))
    began_at: Mapped[datetime]
    ended_at: Mapped[datetime]
    outcome: Mapped[str]
    size: Mapped[int | None] = mapped_column(BigInteger)
    changes: Mapped[dict[str, Any]]
    findings: Mapped[list[str]] = mapped_column(JSONB)

    __table_args__ = (
        Index("ix_feed_runs_feed_id", "feed_id", "id"),
        CheckConstraint(f"outcome in {OUTCOMES}", name="outcome"),
    )


class FeedGame(Model):
    """A game that a feed of play-by-play has entered.

    It spares work only: what was entered is read from the record.

    Attributes:
        rows_sha256: Of the game's rows in the file that was entered last.
        handed_over_to: Who entered events of the game besides the feed, which leaves it alone
            since; empty while the feed has it.
    """

    __tablename__ = "feed_games"

    feed_id: Mapped[int] = mapped_column(
        ForeignKey("feeds.id", ondelete="CASCADE"), primary_key=True
    )
    game_id: Mapped[str] = mapped_column(
        ForeignKey("games.id", ondelete="CASCADE"), primary_key=True
    )
    rows_sha256: Mapped[str]
    handed_over_to: Mapped[str] = mapped_column(server_default="")
