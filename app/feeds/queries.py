"""Reads the runs of feeds, and which feeds need an operator."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError

from app.core.db import db
from app.feeds.models import RUNS_SHOWN, Feed, FeedRun


def runs(feed_id: int) -> Sequence[FeedRun]:
    """The last runs of a feed, the newest first."""
    return db.session.scalars(
        select(FeedRun)
        .where(FeedRun.feed_id == feed_id)
        .order_by(FeedRun.id.desc())
        .limit(RUNS_SHOWN)
    ).all()


def latest_runs() -> dict[int, FeedRun]:
    """The newest run of each feed that changed something, by the feed's id."""
    newest = (
        select(func.max(FeedRun.id)).where(FeedRun.outcome == "changed").group_by(FeedRun.feed_id)
    )
    changed = db.session.scalars(select(FeedRun).where(FeedRun.id.in_(newest)))
    return {run.feed_id: run for run in changed}


def count_failing() -> int:
    """How many feeds got no answer or no usable file the last time.

    A file that the publisher does not have yet is no failure. 0 while PostgreSQL does not answer.
    """
    newest = select(func.max(FeedRun.id)).group_by(FeedRun.feed_id)
    unusable = select(FeedRun.feed_id).where(FeedRun.id.in_(newest), FeedRun.outcome == "finding")
    try:
        return (
            db.session.scalar(
                select(func.count())
                .select_from(Feed)
                .where(Feed.state == "on", (Feed.failures > 0) | Feed.id.in_(unusable))
            )
            or 0
        )
    except SQLAlchemyError:
        db.session.rollback()
        return 0
